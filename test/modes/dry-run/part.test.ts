/** The parts that controllers take in a dry run. */
import { describe, expect, test } from "bun:test";
import { ClusterRoles, ConfigMaps, Pods } from "../../../src/api/kinds.ts";
import { type ControllerDefinition, defineController } from "../../../src/controller/api/definition.ts";
import type { DryRunPart, KnownCluster } from "../../../src/controller/api/dry-run-part.ts";
import { watchPrimary } from "../../../src/controller/api/primary.ts";
import type { SyncContext } from "../../../src/controller/api/sync-context.ts";
import { type Scope, whyLeftOut, wholeCluster, withinScope } from "../../../src/modes/dry-run/scope.ts";

const synced: string[] = [];

function controller(dryRun?: DryRunPart): ControllerDefinition {
  return defineController({
    name: "marker",
    purpose: "marks ConfigMaps",
    for: ConfigMaps,
    watches: [watchPrimary(ConfigMaps)],
    rules: [],
    ...(dryRun !== undefined && { dryRun }),
    async sync(key) {
      synced.push(key);
    },
  });
}

/** The namespaces `shop` and `going`, of which the latter has unknown objects; ClusterRoles were not read. */
const scope: Scope = {
  namespaces: ["shop", "going"],
  held: new Map([["going", "it contains widgets"]]),
  unread: new Map([["rbac.authorization.k8s.io/ClusterRole", "they are not read here"]]),
  uncounted: new Set(["widgets.example.com"]),
};

/** The keys that are synced. */
async function syncedOf(
  dryRun: DryRunPart | undefined,
  keys: readonly string[],
  nodesReport = false,
): Promise<string[]> {
  synced.length = 0;
  for (const running of withinScope([controller(dryRun)], { scope, nodesReport })) {
    for (const key of keys) await running.sync(key, {} as SyncContext);
  }
  return [...synced];
}

function knownIn(within: Scope): KnownCluster {
  let known: KnownCluster | undefined;
  const limited = controller({
    is: "limited",
    to: "nothing",
    knowsEnough(given) {
      known = given;
      return false;
    },
  });
  for (const running of withinScope([limited], { scope: within, nodesReport: false })) {
    void running.sync("shop/a", {} as SyncContext);
  }
  if (known === undefined) throw new Error("it was not asked");
  return known;
}

describe("a controller in a dry run", () => {
  test("runs as in a cluster by default", async () => {
    expect(await syncedOf(undefined, ["shop/a", "other/b"])).toEqual(["shop/a", "other/b"]);
  });

  test("that is left out does not run, and says why", async () => {
    const part: DryRunPart = { is: "left out", why: "it only removes old objects" };
    expect(await syncedOf(part, ["shop/a"])).toEqual([]);
    expect(whyLeftOut(controller(part))).toBe("it only removes old objects");
  });

  test("about nodes runs only if they report", async () => {
    expect(await syncedOf({ is: "about nodes" }, ["shop/a"])).toEqual([]);
    expect(await syncedOf({ is: "about nodes" }, ["shop/a"], true)).toEqual(["shop/a"]);
  });

  test("that is limited syncs the keys about which it knows enough", async () => {
    const part: DryRunPart = { is: "limited", to: "the shop", knowsEnough: (_known, key) => key.startsWith("shop/") };
    expect(await syncedOf(part, ["shop/a", "other/b"])).toEqual(["shop/a"]);
  });

  test("that is adapted has other syncs", async () => {
    const adapted: DryRunPart = {
      is: "adapted",
      why: "it is slower",
      async sync(key) {
        synced.push(`slowly ${key}`);
      },
    };
    expect(await syncedOf(adapted, ["shop/a"])).toEqual(["slowly shop/a"]);
  });
});

describe("what is known of a cluster", () => {
  const known = knownIn(scope);

  test.each([
    { what: "a kind in a namespace that was read", is: known.knowsAll(Pods, "shop"), expected: true },
    { what: "a kind in another namespace", is: known.knowsAll(Pods, "other"), expected: false },
    { what: "a kind in all namespaces", is: known.knowsAll(Pods), expected: false },
    { what: "a kind without namespace that was not read", is: known.knowsAll(ClusterRoles), expected: false },
    {
      what: "a kind without namespace that was read",
      is: knownIn({ ...scope, unread: new Map() }).knowsAll(ClusterRoles),
      expected: true,
    },
    { what: "a kind in all namespaces of manifests alone", is: knownIn(wholeCluster).knowsAll(Pods), expected: true },
    { what: "a resource", is: known.knowsResource("pods"), expected: true },
    { what: "a resource that was not read", is: known.knowsResource("widgets.example.com"), expected: false },
    { what: "a namespace", is: known.knowsNamespace("shop"), expected: true },
    { what: "a namespace with unknown objects", is: known.knowsNamespace("going"), expected: false },
    { what: "a namespace that was not read", is: known.knowsNamespace("other"), expected: false },
  ])("$what: $expected", ({ is, expected }) => {
    expect(is).toBe(expected);
  });
});
