/** Namespaces that are deleted in an embedded cluster, on virtual time: the order of deletions, and what blocks them. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Kind, kindOf } from "../../../src/api/kind.ts";
import { Namespaces, Pods } from "../../../src/api/kinds.ts";
import type { ApiRequest, ApiResponse, Transport } from "../../../src/api/transport.ts";
import type { Namespace } from "../../../src/api/types.ts";
import { isNotFound } from "../../../src/api/status-error.ts";
import { namespace } from "../../../src/controllers/namespace/namespace.ts";
import { embeddedScene, embeddedStart, type EmbeddedScene } from "../../support/embedded-scene.ts";
import { plainDiscovery } from "../../support/plain-discovery.ts";

// Each test iterates over all kinds several times.
setDefaultTimeout(30_000);

const ConfigMaps: Kind = kindOf({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
});

/** A response in place of the server's; undefined lets the request through. */
type Intercept = (request: ApiRequest) => { readonly status: number; readonly body: object } | undefined;

interface NamespaceScene extends EmbeddedScene {
  /** Intercepts requests of the controller; can be changed while the scene runs. */
  intercept: Intercept;
  /** Requests of the controller, such as `DELETE /api/v1/namespaces/shop/pods`. */
  readonly requests: string[];
  configMap(name: string, finalizers?: readonly string[]): Promise<void>;
  deleteNamespace(): Promise<void>;
  live(): Promise<Namespace | undefined>;
  /** Conditions that are True, as `ContentRemaining: …`. */
  problems(): Promise<readonly string[]>;
  /** Decisions about the namespace as `rule: sentence`. */
  decisions(): readonly string[];
}

const name = "shop";

function respond({ status, body }: { readonly status: number; readonly body: object }): ApiResponse {
  let bytes: Uint8Array | undefined = new TextEncoder().encode(JSON.stringify(body));
  return {
    status,
    header: (header) => (header === "content-type" ? "application/json" : undefined),
    body: {
      next() {
        const next = bytes;
        bytes = undefined;
        return Promise.resolve(next);
      },
      cancel: () => undefined,
    },
  };
}

async function scene(): Promise<NamespaceScene> {
  const own = { intercept: (() => undefined) as Intercept, requests: [] as string[] };
  const wrap = (transport: Transport, actor: string): Transport => ({
    send(request) {
      if (actor !== "kubectl-reconcile-namespace") return transport.send(request);
      own.requests.push(`${request.method} ${request.path}`);
      const response = own.intercept(request);
      return response === undefined ? plainDiscovery(transport).send(request) : Promise.resolve(respond(response));
    },
  });
  const embedded = await embeddedScene({ controllers: [namespace], nodes: 1, wrap });
  const { you, events } = embedded;
  const during = <T>(promise: Promise<T>): Promise<T> => embedded.during(promise);
  await during(you.create(Namespaces, { metadata: { name } }));
  const live = async (): Promise<Namespace | undefined> => {
    try {
      return await during(you.get(Namespaces, { namespace: "", name }));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const scene: NamespaceScene = Object.assign(own, embedded, {
    async configMap(map: string, finalizers: readonly string[] = []) {
      await during(you.create(ConfigMaps, { metadata: { namespace: name, name: map, finalizers: [...finalizers] } }));
    },
    async deleteNamespace() {
      await during(you.delete(Namespaces, { namespace: "", name }));
    },
    live,
    async problems() {
      const conditions = (await live())?.status?.conditions ?? [];
      return conditions
        .filter(({ status }) => status === "True")
        .map(({ type, message }) => `${type.replace("Namespace", "")}: ${message}`);
    },
    decisions: () =>
      events.flatMap((event) =>
        event.stage === "decision" && event.controller === "namespace" ? [`${event.rule}: ${event.sentence}`] : [],
      ),
  });
  return scene;
}

/** The paths of deletions, relative to the namespace. */
function deleted({ requests }: NamespaceScene): string[] {
  return requests.flatMap((request) => {
    const found = /^DELETE .*\/namespaces\/shop\/(.*)$/.exec(request);
    return found === null ? [] : [found[1] as string];
  });
}

const unsupported = {
  status: 405,
  body: { kind: "Status", reason: "MethodNotAllowed", code: 405, message: "the server does not allow this method" },
};
const missing = { status: 404, body: { kind: "Status", reason: "NotFound", code: 404, message: "not there" } };

function isDeletionOf(resource: string): (request: ApiRequest) => boolean {
  return ({ method, path }) => method === "DELETE" && path.endsWith(`/namespaces/shop/${resource}`);
}

describe("a deleted namespace", () => {
  test("is emptied of every kind, pods first, and removed", async () => {
    const it = await scene();
    await it.configMap("a");
    await it.deleteNamespace();
    await it.run(20_000);
    expect(await it.live()).toBeUndefined();
    const order = deleted(it);
    expect(order[0]).toBe("pods");
    expect(order).toContain("configmaps");
    expect(order).toContain("deployments");
    const deletions = it.requests.filter((request) => request.startsWith("DELETE"));
    expect(new Set(deletions).size).toBe(deletions.length);
    expect(it.requests.at(-1)).toBe("PUT /api/v1/namespaces/shop/finalize");
    expect(it.decisions()).toEqual([
      "pods-first: its pods are deleted before everything else → delete them",
      expect.stringMatching(/^delete-content: no pod is left → delete all objects of \d+ kinds$/) as string,
      "conditions: nothing blocks the deletion → all five conditions are False",
      "finalize: nothing is left in it → remove the finalizer kubernetes",
    ]);
    await it.stop();
  });

  test("is processed 5 seconds after its deletion, and not before", async () => {
    const it = await scene();
    await it.deleteNamespace();
    const deletedAt = it.timeline.now();
    let lookedAt = 0;
    it.intercept = () => {
      lookedAt ||= it.timeline.now();
      return undefined;
    };
    await it.run(20_000);
    expect(lookedAt - deletedAt).toBeWithin(4990, 5100);
    await it.stop();
  });

  test("that hangs is processed every 5 minutes, without a change and without a due retry", async () => {
    const it = await scene();
    // It is empty, so the controller removes its own finalizer, but another finalizer remains.
    const metadata = { name: "held" };
    await it.during(it.you.create(Namespaces, { metadata, spec: { finalizers: ["kubernetes", "example.com/hold"] } }));
    await it.during(it.you.delete(Namespaces, { namespace: "", name: "held" }));
    const looks = (): number => it.requests.filter((request) => request === "GET /api/v1/namespaces/held").length;
    const runUntil = async (ms: number): Promise<void> => {
      const left = embeddedStart + ms - it.timeline.now();
      it.timeline.after(left, "test", () => undefined);
      await it.run(left);
    };
    await runUntil(60_000);
    expect(looks()).toBeGreaterThan(0);
    const before = looks();
    await runUntil(290_000);
    expect(looks()).toBe(before);
    await runUntil(320_000);
    expect(looks()).toBe(before + 1);
    await runUntil(620_000);
    expect(looks()).toBe(before + 2);
    await it.stop();
  });

  test("is blocked by a finalizer of its content, reports it, and is retried until that is gone", async () => {
    const it = await scene();
    await it.configMap("held", ["example.com/hold", "example.com/also"]);
    await it.configMap("free");
    await it.deleteNamespace();
    await it.run(7000);
    expect(await it.problems()).toEqual([
      "ContentRemaining: Some resources are remaining: configmaps. has 1 resource instances",
      "FinalizersRemaining: Some content in the namespace has finalizers remaining: example.com/also in 1 resource instances, example.com/hold in 1 resource instances",
    ]);
    expect(it.decisions()).toContain(
      "wait-for-content: 1 configmaps left, blocked by example.com/hold, example.com/also → wait; requeue in 8 s",
    );
    const patch = { type: "merge", body: { metadata: { finalizers: null } } } as const;
    await it.during(it.you.patch(ConfigMaps, { namespace: name, name: "held" }, patch));
    await it.run(9000);
    expect(await it.live()).toBeUndefined();
    await it.stop();
  });

  test("waits for pods in their grace period, and deletes nothing else meanwhile", async () => {
    const it = await scene();
    await it.configMap("a");
    const spec = { containers: [{ name: "main", image: "main:1" }], terminationGracePeriodSeconds: 600 };
    const finalizers = ["example.com/hold"];
    await it.during(it.you.create(Pods, { metadata: { namespace: name, name: "slow", finalizers }, spec }));
    await it.deleteNamespace();
    await it.run(6000);
    expect(new Set(deleted(it))).toEqual(new Set(["pods"]));
    expect(it.decisions()).toContain(
      "wait-for-pods: 1 pod left, blocked by example.com/hold → everything else waits; requeue in 301 s",
    );
    // The rest of the content has not been examined yet.
    expect(await it.problems()).toEqual([]);
    await it.stop();
  });

  test("has its objects deleted one by one if the server has no deletecollection", async () => {
    const it = await scene();
    const isCollection = isDeletionOf("configmaps");
    it.intercept = (request) => (isCollection(request) ? unsupported : undefined);
    await it.configMap("a");
    await it.configMap("b");
    await it.deleteNamespace();
    await it.run(20_000);
    expect(deleted(it).filter((path) => path.startsWith("configmaps"))).toEqual([
      "configmaps",
      "configmaps/a",
      "configmaps/b",
    ]);
    expect(await it.live()).toBeUndefined();
    await it.stop();
  });

  test("is removed although a kind was removed since the discovery", async () => {
    const it = await scene();
    it.intercept = ({ path }) => (path.endsWith("/namespaces/shop/leases") ? missing : undefined);
    await it.deleteNamespace();
    await it.run(20_000);
    // The deletecollection, the list for single deletions, and the list of the remaining objects.
    expect(it.requests.filter((request) => request.endsWith("/leases"))).toHaveLength(3);
    expect(await it.live()).toBeUndefined();
    await it.stop();
  });

  test("stays while the discovery of a group fails; everything else is deleted", async () => {
    const it = await scene();
    it.intercept = ({ path }) =>
      path === "/apis/apps/v1" ? { status: 503, body: { kind: "Status", code: 503, message: "down" } } : undefined;
    await it.configMap("a");
    await it.deleteNamespace();
    await it.run(7000);
    expect(await it.problems()).toEqual([
      "DeletionDiscoveryFailure: Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: apps/v1: down",
    ]);
    expect(deleted(it)).toContain("configmaps");
    expect(deleted(it)).not.toContain("deployments");
    it.intercept = () => undefined;
    await it.run(15_000);
    expect(await it.live()).toBeUndefined();
    await it.stop();
  });

  test("stays while aggregated discovery marks a group as stale", async () => {
    const it = await scene();
    const verbs = ["create", "delete", "deletecollection", "get", "list"];
    const maps = { resource: "configmaps", responseKind: { kind: "ConfigMap" }, scope: "Namespaced", verbs };
    const groups: Readonly<Record<string, readonly object[]>> = {
      "/api": [{ versions: [{ version: "v1", freshness: "Current", resources: [maps] }] }],
      "/apis": [{ metadata: { name: "apps" }, versions: [{ version: "v1", freshness: "Stale" }] }],
    };
    it.intercept = ({ path }) => {
      const items = groups[path];
      return items === undefined ? undefined : { status: 200, body: { kind: "APIGroupDiscoveryList", items } };
    };
    await it.configMap("a");
    await it.deleteNamespace();
    await it.run(7000);
    expect(deleted(it)).toContain("configmaps");
    expect(await it.problems()).toEqual([
      "DeletionDiscoveryFailure: Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: apps/v1: stale GroupVersion discovery: apps/v1",
    ]);
    it.intercept = () => undefined;
    await it.run(15_000);
    expect(await it.live()).toBeUndefined();
    await it.stop();
  });

  test("is not finalized when nothing can be discovered", async () => {
    const it = await scene();
    it.intercept = ({ path }) =>
      path === "/apis" ? { status: 500, body: { kind: "Status", code: 500, message: "broken" } } : undefined;
    await it.deleteNamespace();
    await it.run(7000);
    expect(deleted(it)).toEqual([]);
    expect(await it.problems()).toEqual(["DeletionDiscoveryFailure: broken"]);
    await it.stop();
  });

  test("reports kinds that could not be deleted, and deletes the others", async () => {
    const it = await scene();
    const fails = isDeletionOf("secrets");
    const body = { kind: "Status", reason: "Forbidden", code: 403, message: "not you" };
    it.intercept = (request) => (fails(request) ? { status: 403, body } : undefined);
    await it.configMap("a");
    await it.deleteNamespace();
    await it.run(7000);
    expect(await it.problems()).toEqual([
      "DeletionContentFailure: Failed to delete all resource types, 1 remaining: not you",
    ]);
    expect(deleted(it)).toContain("configmaps");
    it.intercept = () => undefined;
    await it.run(15_000);
    expect(await it.live()).toBeUndefined();
    await it.stop();
  });

  test("is a failure if objects remain that nothing blocks", async () => {
    const it = await scene();
    const ignored = isDeletionOf("configmaps");
    it.intercept = (request) =>
      ignored(request) ? { status: 200, body: { kind: "Status", status: "Success" } } : undefined;
    await it.configMap("a");
    await it.deleteNamespace();
    await it.run(7000);
    expect(await it.problems()).toEqual([
      "DeletionContentFailure: Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: shop for gvr: /v1, Resource=configmaps",
      "ContentRemaining: Some resources are remaining: configmaps. has 1 resource instances",
    ]);
    await it.stop();
  });

  test("keeps other finalizers in its spec, and is then left alone", async () => {
    const it = await scene();
    const before = (await it.live()) as Namespace;
    const spec = { finalizers: ["kubernetes", "example.com/z", "example.com/a"] };
    await it.during(it.you.update(Namespaces, { ...before, spec }, { subresource: "finalize" }));
    await it.deleteNamespace();
    await it.run(20_000);
    expect((await it.live())?.spec?.finalizers).toEqual(["example.com/a", "example.com/z"]);
    expect(it.decisions()).toContain(
      "finalize: nothing is left in it → remove the finalizer kubernetes; example.com/a, example.com/z stay",
    );
    await it.stop();
  });

  test("is finalized at the second attempt when its version has changed", async () => {
    const it = await scene();
    let conflicts = 0;
    const body = { kind: "Status", reason: "Conflict", code: 409, message: "changed" };
    it.intercept = ({ path }) => (path.endsWith("/finalize") && conflicts++ === 0 ? { status: 409, body } : undefined);
    await it.deleteNamespace();
    await it.run(20_000);
    expect(conflicts).toBe(2);
    expect(await it.live()).toBeUndefined();
    await it.stop();
  });
});

test("a namespace that is not being deleted is never processed", async () => {
  const it = await scene();
  await it.configMap("a");
  const patch = { type: "merge", body: { metadata: { labels: { a: "b" } } } } as const;
  await it.during(it.you.patch(Namespaces, { namespace: "", name }, patch));
  await it.run(20_000);
  expect(it.requests).toEqual([]);
  await it.stop();
});
