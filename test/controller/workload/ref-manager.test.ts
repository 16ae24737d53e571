import { beforeEach, describe, expect, test } from "bun:test";
import { Deployments, Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import { selectorOf } from "../../../src/api/labels.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import { controllerReference } from "../../../src/api/owner-references.ts";
import type { Pod, ReplicaSet } from "../../../src/api/types.ts";
import { claim } from "../../../src/controller/workload/ref-manager.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, syncScene } from "../../support/sync-context.ts";
import { podOf, replicaSetOf, webLabels } from "../../support/workloads.ts";

const selector = selectorOf({ matchLabels: webLabels });
const going = { deletionTimestamp: "2026-11-21T09:59:00Z" };
const other = { app: "other" };
const stranger = replicaSetOf({ name: "stranger" });

let scene: Scene;
beforeEach(() => {
  scene = syncScene(replicaset);
});

interface Claimed {
  readonly names: readonly string[];
  readonly written: readonly StoredObject[];
}

async function claimWith(owner: ReplicaSet, pods: readonly Pod[], finalizers?: readonly string[]): Promise<Claimed> {
  if (scene.live(ReplicaSets).length === 0) scene.put(ReplicaSets, owner);
  scene.put(Pods, ...pods);
  const written: StoredObject[] = [];
  const claimed = await claim(scene.context("shop/web"), pods, {
    owner,
    ownerKind: ReplicaSets,
    kind: Pods,
    selector,
    onWrite: (pod) => void written.push(pod),
    ...(finalizers !== undefined && { finalizers }),
  });
  return { names: claimed.map((pod) => pod.metadata.name), written };
}

const patches = (): readonly string[] => scene.calls.filter(({ verb }) => verb === "patch").map(({ name }) => name);

describe("claim", () => {
  const web = replicaSetOf();
  const rows: readonly {
    name: string;
    owner?: ReplicaSet;
    pods: readonly Pod[];
    claimed: readonly string[];
    patched: readonly string[];
  }[] = [
    {
      name: "adopts an orphan that matches, and leaves one that does not",
      pods: [podOf("a", { owner: "none" }), podOf("b", { owner: "none", labels: other })],
      claimed: ["a"],
      patched: ["a"],
    },
    {
      name: "adopts nothing for an owner that is being deleted",
      owner: replicaSetOf({ meta: going }),
      pods: [podOf("a", { owner: "none" })],
      claimed: [],
      patched: [],
    },
    {
      name: "keeps the matching objects of an owner that is being deleted, and releases nothing",
      owner: replicaSetOf({ meta: going }),
      pods: [podOf("a"), podOf("b", { owner: "none" }), podOf("c", { labels: other })],
      claimed: ["a"],
      patched: [],
    },
    {
      name: "leaves objects of another controller alone",
      pods: [podOf("a"), podOf("b", { owner: stranger })],
      claimed: ["a"],
      patched: [],
    },
    {
      name: "releases an object that no longer matches",
      pods: [podOf("a"), podOf("b", { labels: other })],
      claimed: ["a"],
      patched: ["b"],
    },
    {
      name: "does not adopt an orphan that is being deleted, but keeps an owned pod that is",
      pods: [podOf("a", { meta: going }), podOf("b", { owner: "none", meta: going })],
      claimed: ["a"],
      patched: [],
    },
    {
      name: "does not adopt an orphan of another namespace",
      pods: [podOf("a", { owner: "none" }), podOf("b", { owner: "none", meta: { namespace: "elsewhere" } })],
      claimed: ["a"],
      patched: ["a"],
    },
  ];
  for (const { name, owner = web, pods, claimed, patched } of rows) {
    test(name, async () => {
      expect((await claimWith(owner, pods)).names).toEqual([...claimed]);
      expect(patches()).toEqual([...patched]);
    });
  }

  test("neither adopts nor keeps objects that match the selector but are excluded by the owner's filter", async () => {
    const pods = [podOf("a"), podOf("b", { owner: "none" }), podOf("web-1"), podOf("web-2", { owner: "none" })];
    scene.put(ReplicaSets, web);
    scene.put(Pods, ...pods);
    const options = { owner: web, ownerKind: ReplicaSets, kind: Pods, selector };
    const isMember = ({ metadata }: Pod): boolean => metadata.name.startsWith("web-");
    const claimed = await claim(scene.context("shop/web"), pods, { ...options, isMember });
    expect(claimed.map(({ metadata }) => metadata.name)).toEqual(["web-1", "web-2"]);
    expect(patches()).toEqual(["a", "web-2"]);
  });

  test("adopts in any namespace for a cluster-scoped owner", async () => {
    const { namespace: _none, ...metadata } = web.metadata;
    const owner = { ...web, metadata };
    const pods = [podOf("a", { owner: "none" }), podOf("b", { owner: "none", meta: { namespace: "elsewhere" } })];
    expect((await claimWith(owner, pods)).names).toEqual(["a", "b"]);
    expect(patches()).toEqual(["a", "b"]);
  });

  test("ignores owner references that are not the controller's", async () => {
    const reference = { ...controllerReference(Deployments, stranger), controller: false };
    const { names } = await claimWith(web, [podOf("a", { owner: "none", meta: { ownerReferences: [reference] } })]);
    expect(names).toEqual(["a"]);
  });

  test("sends patches in upstream's form, each with its decision", async () => {
    const { written } = await claimWith(web, [podOf("a", { owner: "none" }), podOf("b", { labels: other })]);
    const [adoption, release] = scene.calls.filter(({ verb }) => verb === "patch");
    expect(JSON.stringify(adoption?.body)).toBe(
      '{"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"uid-web",' +
        '"controller":true,"blockOwnerDeletion":true}],"uid":"uid-a"}}',
    );
    expect(adoption?.because?.sentence).toBe("Pod a matches the selector and has no controller → adopt it");
    expect(JSON.stringify(release?.body)).toBe(
      '{"metadata":{"uid":"uid-b","ownerReferences":[{"$patch":"delete","uid":"uid-web"}]}}',
    );
    expect(release?.because?.sentence).toBe("Pod b no longer matches the selector → release it");
    expect(written.map(({ metadata }) => metadata.ownerReferences?.length)).toEqual([1, 0]);
  });

  test("adds finalizers with an adoption and removes them with a release", async () => {
    await claimWith(web, [podOf("a", { owner: "none" }), podOf("b", { labels: other })], ["example.com/track"]);
    const bodies = scene.calls
      .filter(({ verb }) => verb === "patch")
      .map(({ body }) => (body as { metadata: object }).metadata);
    expect(bodies[0]).toMatchObject({ finalizers: ["example.com/track"] });
    expect(bodies[1]).toMatchObject({ "$deleteFromPrimitiveList/finalizers": ["example.com/track"] });
  });
});

describe("the uncached check before an adoption", () => {
  const web = replicaSetOf();
  const orphans = [podOf("a", { owner: "none" }), podOf("b", { owner: "none" })];
  const gets = (): number => scene.calls.filter(({ verb }) => verb === "get").length;

  test("is made once for all adoptions, and not at all without one", async () => {
    await claimWith(web, [podOf("c"), podOf("d", { labels: other })]);
    expect(gets()).toBe(0);
    await claimWith(web, orphans);
    expect(gets()).toBe(1);
  });

  const rows: readonly { name: string; live: ReplicaSet | undefined; says: string }[] = [
    {
      name: "is being deleted",
      live: replicaSetOf({ meta: going }),
      says: "is being deleted since 2026-11-21T09:59:00Z",
    },
    {
      name: "is another one of its name",
      live: replicaSetOf({ meta: { uid: "new" } }),
      says: "its name now belongs to uid new",
    },
    { name: "is gone", live: undefined, says: "cannot ask whether ReplicaSet shop/web still lives" },
  ];
  for (const { name, live, says } of rows) {
    test(`prevents the adoption and its decision if the owner ${name}`, async () => {
      if (live === undefined)
        scene.refuse = ({ verb }) => (verb === "get" ? refusal(404, "NotFound", "gone") : undefined);
      else scene.putLive(ReplicaSets, live);
      const claiming = claimWith(web, [...orphans, podOf("c", { labels: other })]);
      expect((await rejection(claiming)).message).toContain(says);
      expect((await rejection(claiming)).message).toContain("Cannot claim 2 objects");
      expect(gets()).toBe(1);
      // A release does not require that the owner exists.
      expect(patches()).toEqual(["c"]);
      expect(scene.decisions.map(({ rule }) => rule)).toEqual(["release"]);
    });
  }
});

describe("refused patches", () => {
  const web = replicaSetOf();
  const refuseWith = (code: number, reason: string): void => {
    scene.refuse = ({ verb, name }) => (verb === "patch" ? refusal(code, reason, `${name}: ${reason}`) : undefined);
  };

  test("do not adopt a deleted pod, and cause no error", async () => {
    refuseWith(404, "NotFound");
    expect((await claimWith(web, [podOf("a", { owner: "none" }), podOf("b")])).names).toEqual(["b"]);
  });

  for (const [code, reason] of [
    [404, "NotFound"],
    [422, "Invalid"],
  ] as const) {
    test(`leave nothing to do for a release refused as ${reason}`, async () => {
      refuseWith(code, reason);
      expect((await claimWith(web, [podOf("a", { labels: other }), podOf("b")])).names).toEqual(["b"]);
      expect(patches()).toEqual(["a"]);
    });
  }

  test("are an error for an adoption refused as Invalid: another owner was faster", async () => {
    refuseWith(422, "Invalid");
    expect((await rejection(claimWith(web, [podOf("a", { owner: "none" })]))).message).toContain("a: Invalid");
  });

  test("do not prevent the other attempts, and are thrown unchanged", async () => {
    scene.refuse = ({ verb, name }) =>
      verb === "patch" && name === "a" ? refusal(409, "Conflict", "changed") : undefined;
    const claiming = claimWith(web, [podOf("a", { labels: other }), podOf("b", { labels: other })]);
    expect(await rejection(claiming)).toMatchObject({ code: 409, reason: "Conflict" });
    expect(patches()).toEqual(["a", "b"]);
  });
});
