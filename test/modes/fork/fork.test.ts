/** A fork of a cluster: it reads the cluster's objects and keeps its writes to itself. The cluster is a sandbox. */
import { describe, expect, test } from "bun:test";
import { objectKey } from "../../../src/api/key.ts";
import { readAll } from "../../../src/api/transport.ts";
import { during, forkScene } from "./scene.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const map = (name: string, data: object): object => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });

const widgets = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    ],
  },
};
const widgetPath = "/apis/example.com/v1/namespaces/default/widgets";

function withoutVersion({ metadata, ...rest }: { metadata: Record<string, unknown> }): object {
  const { resourceVersion: _version, ...others } = metadata;
  return { ...rest, metadata: others };
}

describe("reads", () => {
  test("return the cluster's objects, with uid, status and managed fields, from the first request on", async () => {
    const { onCluster, onFork } = await forkScene();
    await onCluster("POST", maps, map("a", { a: "1" }));
    const [there, here] = [await onCluster("GET", `${maps}/a`), await onFork("GET", `${maps}/a`)];
    expect(here.status).toBe(200);
    expect(withoutVersion(here.body)).toEqual(withoutVersion(there.body));
    expect(here.body.metadata.managedFields).toHaveLength(1);
    const [all, mine] = [await onCluster("GET", "/api/v1/namespaces"), await onFork("GET", "/api/v1/namespaces")];
    expect(mine.body.items.map(withoutVersion)).toEqual(all.body.items.map(withoutVersion));
  });

  test("have the versions of the fork, not those of the cluster", async () => {
    const { onCluster, onFork } = await forkScene();
    for (let n = 0; n < 50; n++) await onCluster("POST", maps, map(`m-${n}`, {}));
    const { body } = await onFork("GET", maps);
    const versions = body.items.map((item: { metadata: { resourceVersion: string } }) =>
      Number(item.metadata.resourceVersion),
    );
    expect(versions).toHaveLength(50);
    expect(Math.max(...versions)).toBeLessThanOrEqual(Number(body.metadata.resourceVersion));
  });

  test("make the cluster's version of an object known, also after a write in the fork", async () => {
    const { fork, onCluster, onFork } = await forkScene();
    const { body } = await onCluster("POST", maps, map("a", { a: "1" }));
    const resource = fork.sandbox.server.registry.find("v1", "configmaps");
    if (resource === undefined) throw new Error("the sandbox serves config maps");
    const liveVersion = (name: string): string | undefined => fork.liveVersion(resource, objectKey("default", name));
    expect(liveVersion("a")).toBeUndefined();
    await onFork("GET", maps);
    await onFork("PATCH", `${maps}/a`, { data: { a: "2" } });
    await onFork("POST", maps, map("b", {}));
    expect([liveVersion("a"), liveVersion("b")]).toEqual([body.metadata.resourceVersion, undefined]);
  });

  test("are right after a watch that cannot be resumed; unchanged objects stay the same", async () => {
    const { cluster, onCluster, onFork, timeline } = await forkScene();
    for (const name of ["stays", "changes", "goes"]) await onCluster("POST", maps, map(name, { a: "1" }));
    const before = await onFork("GET", `${maps}/stays`);
    for (const watch of cluster.server.watches) watch.end();
    await onCluster("PATCH", `${maps}/changes`, { data: { a: "2" } });
    await onCluster("DELETE", `${maps}/goes`);
    await onCluster("POST", maps, map("comes", { a: "1" }));
    cluster.compact();
    await timeline.runUntil({ ms: 60_000 });
    const { body } = await onFork("GET", maps);
    const found = body.items.map((item: { metadata: { name: string }; data: { a: string } }) => [
      item.metadata.name,
      item.data.a,
    ]);
    expect(found).toEqual([
      ["changes", "2"],
      ["comes", "1"],
      ["stays", "1"],
    ]);
    expect((await onFork("GET", `${maps}/stays`)).body).toEqual(before.body);
  });

  test("follow the cluster: an open watch of the fork gets its changes", async () => {
    const { onCluster, onFork, fork, timeline, settle } = await forkScene();
    const { body: list } = await onFork("GET", maps);
    const watch = await during(
      timeline,
      fork.transport.send({
        method: "GET",
        path: maps,
        query: [
          ["watch", "true"],
          ["resourceVersion", list.metadata.resourceVersion],
        ],
        signal: new AbortController().signal,
      }),
    );
    await onCluster("POST", maps, map("a", { a: "1" }));
    await onCluster("PATCH", `${maps}/a`, { data: { a: "2" } });
    await onCluster("DELETE", `${maps}/a`);
    await settle();
    const events: string[] = [];
    while (events.length < 3) {
      const piece = new TextDecoder().decode(await during(timeline, watch.body.next()));
      for (const line of piece.split("\n").filter((text) => text !== "")) {
        const { type, object } = JSON.parse(line) as { type: string; object: { data: { a: string } } };
        events.push(`${type} ${object.data.a}`);
      }
    }
    watch.body.cancel();
    expect(events).toEqual(["ADDED 1", "MODIFIED 2", "DELETED 2"]);
  });

  test("return no objects that the sandbox creates for itself", async () => {
    const { onCluster, onFork } = await forkScene();
    const path = "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical";
    const there = await onCluster("GET", path);
    expect((await onFork("GET", path)).body.metadata.uid).toBe(there.body.metadata.uid);
    await onCluster("DELETE", path);
    const later = await forkScene();
    await later.onCluster("DELETE", path);
    expect((await later.onFork("GET", path)).status).toBe(404);
  });

  test("include custom kinds, also those that are defined later", async () => {
    const { onCluster, onFork, settle } = await forkScene();
    expect((await onFork("GET", widgetPath)).status).toBe(404);
    await onCluster("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgets);
    await settle();
    await onCluster("POST", widgetPath, { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } });
    expect((await onFork("GET", `${widgetPath}/w`)).body.metadata.name).toBe("w");
    await onFork("PATCH", `${widgetPath}/w/status`, { status: { ready: true } });
    expect((await onFork("GET", `${widgetPath}/w`)).body.status).toEqual({ ready: true });
    expect((await onCluster("GET", `${widgetPath}/w`)).body.status).toBeUndefined();
  });

  test("include custom kinds that are defined only in the fork, in discovery too", async () => {
    const { onCluster, onFork, settle } = await forkScene();
    expect((await onFork("GET", "/apis/example.com/v1")).status).toBe(404);
    const created = await onFork("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgets);
    expect(created.status).toBe(201);
    await settle();
    expect((await onFork("GET", "/apis/example.com/v1")).body.resources[0].name).toBe("widgets");
    expect((await onCluster("GET", "/apis/example.com/v1")).status).toBe(404);
  });

  test("of a resource that the sandbox does not have come from the cluster; it cannot be written", async () => {
    const { onFork } = await forkScene();
    const path = "/apis/metrics.k8s.io/v1beta1/nodes";
    expect((await onFork("GET", path)).status).toBe(404);
    const { status, body } = await onFork("POST", path, {});
    expect([status, body.message]).toEqual([
      405,
      "the fork has no copy of nodes of metrics.k8s.io/v1beta1: they can only be read",
    ]);
  });
});

describe("writes", () => {
  test("stay in the fork: the cluster gets only reads and self reviews", async () => {
    const { cluster, onCluster, onFork, sent } = await forkScene();
    await onCluster("POST", maps, map("a", { a: "1" }));
    const before = cluster.revision;
    expect((await onFork("POST", maps, map("b", { b: "1" }))).status).toBe(201);
    expect((await onFork("PATCH", `${maps}/a`, { data: { a: "2" } })).body.data).toEqual({ a: "2" });
    expect((await onFork("DELETE", `${maps}/a`)).status).toBe(200);
    expect((await onFork("POST", "/api/v1/namespaces", { metadata: { name: "mine" } })).status).toBe(201);
    expect((await onFork("POST", "/api/v1/namespaces/mine/configmaps", map("c", {}))).status).toBe(201);
    expect(cluster.revision).toBe(before);
    const others = sent.filter(
      (line) => !line.startsWith("GET ") && !/ \/apis\/auth\w+\.k8s\.io\/v1\/selfsubject\w+$/.test(line),
    );
    expect(others).toEqual([]);
  });

  test("are not overwritten by the cluster's changes, which are compared with them", async () => {
    const { onCluster, onFork, settle, fork, agreed } = await forkScene();
    await onCluster("POST", maps, map("a", { a: "1", b: "1" }));
    await onFork("PATCH", `${maps}/a`, { data: { a: "2" } });
    await onCluster("PATCH", `${maps}/a`, { data: { b: "2" } });
    await settle();
    expect((await onFork("GET", `${maps}/a`)).body.data).toEqual({ a: "2", b: "1" });
    const [divergence] = fork.divergences.list();
    expect(divergence).toMatchObject({
      of: { group: "", kind: "ConfigMap" },
      key: "default/a",
      cluster: { is: "differs", missing: [{ path: ".data.a", before: "2", after: "1" }] },
    });
    // The cluster gets the same state: the object follows it again.
    await onCluster("PATCH", `${maps}/a`, { data: { a: "2" } });
    await settle();
    expect(agreed.map(({ key }) => key)).toEqual(["default/a"]);
    expect(fork.divergences.list()).toEqual([]);
    await onCluster("PATCH", `${maps}/a`, { data: { a: "3" } });
    await settle();
    expect((await onFork("GET", `${maps}/a`)).body.data).toEqual({ a: "3", b: "2" });
  });

  test("are replaced by the cluster's once the cluster creates the same; other fields make a difference", async () => {
    const { onCluster, onFork, settle, fork, agreed } = await forkScene();
    await onFork("POST", maps, map("same", { a: "1" }));
    await onFork("POST", maps, map("other", { a: "1" }));
    expect(fork.divergences.list().map(({ key, cluster }) => [key, cluster.is])).toEqual([
      ["default/same", "silent"],
      ["default/other", "silent"],
    ]);
    const there = await onCluster("POST", maps, map("same", { a: "1" }));
    await onCluster("POST", maps, map("other", { a: "2" }));
    await settle();
    expect(agreed.map(({ key }) => key)).toEqual(["default/same"]);
    expect((await onFork("GET", `${maps}/same`)).body.metadata.uid).toBe(there.body.metadata.uid);
    expect((await onFork("GET", `${maps}/other`)).body.data).toEqual({ a: "1" });
    expect(fork.divergences.list()).toMatchObject([{ key: "default/other", base: undefined }]);
  });

  test("that delete are kept, until the cluster deletes the object too", async () => {
    const { onCluster, onFork, settle, agreed } = await forkScene();
    await onCluster("POST", maps, map("a", { a: "1" }));
    await onFork("DELETE", `${maps}/a`);
    await onCluster("PATCH", `${maps}/a`, { data: { a: "2" } });
    await settle();
    expect((await onFork("GET", `${maps}/a`)).status).toBe(404);
    expect(agreed).toEqual([]);
    await onCluster("DELETE", `${maps}/a`);
    await settle();
    expect(agreed.map(({ key }) => key)).toEqual(["default/a"]);
    await onCluster("POST", maps, map("a", { a: "3" }));
    await settle();
    expect((await onFork("GET", `${maps}/a`)).body.data).toEqual({ a: "3" });
  });

  test("are admitted by the cluster's quotas, accounts and namespaces", async () => {
    const { onCluster, onFork } = await forkScene();
    await onCluster("POST", "/api/v1/namespaces", { metadata: { name: "small" } });
    await onCluster("POST", "/api/v1/namespaces/small/resourcequotas", {
      metadata: { name: "none" },
      spec: { hard: { "count/configmaps": "0" } },
    });
    await onCluster("PATCH", "/api/v1/namespaces/small/resourcequotas/none/status", {
      status: { hard: { "count/configmaps": "0" }, used: { "count/configmaps": "0" } },
    });
    const refused = await onFork("POST", "/api/v1/namespaces/small/configmaps", map("a", {}));
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'configmaps "a" is forbidden: exceeded quota: none, requested: count/configmaps=1, used: count/configmaps=0, limited: count/configmaps=0',
    ]);
    const missing = await onFork("POST", "/api/v1/namespaces/nowhere/configmaps", map("a", {}));
    expect([missing.status, missing.body.message]).toEqual([404, 'namespaces "nowhere" not found']);
    const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
    expect((await onFork("POST", "/api/v1/namespaces/small/pods", pod)).status).toBe(201);
  });
});

describe("in step with a copy that runs on the cluster", () => {
  /** The process and the copy write as the same field manager. */
  const inStep = (): ReturnType<typeof forkScene> => forkScene({ inStep: true });

  test("its earlier write is held back until the process has done the same", async () => {
    const { onCluster, onFork, timeline, agreed, missed } = await inStep();
    await onFork("GET", maps);
    await onCluster("POST", maps, map("a", { a: "1" }));
    await timeline.runUntil({ ms: 200 });
    expect((await onFork("GET", `${maps}/a`)).status).toBe(404);
    expect((await onFork("POST", maps, map("a", { a: "1" }))).status).toBe(201);
    await timeline.runUntil({ ms: 200 });
    expect(agreed.map(({ key }) => key)).toEqual(["default/a"]);
    expect(missed).toEqual([]);
  });

  test("a second change within a second is the copy's as well, though its managedFields entry is unchanged", async () => {
    const { onCluster, onFork, timeline } = await inStep();
    await onCluster("POST", maps, map("a", { a: "1" }));
    await onCluster("PATCH", `${maps}/a`, { data: { a: "2" } });
    await onFork("GET", `${maps}/a`);
    await onCluster("PATCH", `${maps}/a`, { data: { a: "3" } });
    await timeline.runUntil({ ms: 100 });
    expect((await onFork("GET", `${maps}/a`)).body.data).toEqual({ a: "2" });
  });

  test("a write that the process does not make is reported as missed, and is applied after a second", async () => {
    const { onCluster, onFork, timeline, agreed, missed } = await inStep();
    await onFork("GET", maps);
    await onCluster("POST", maps, map("a", { a: "1" }));
    await timeline.runUntil({ ms: 1500 });
    expect(missed).toMatchObject([{ key: "default/a", before: undefined, live: { data: { a: "1" } } }]);
    expect((await onFork("GET", `${maps}/a`)).body.data).toEqual({ a: "1" });
    expect(agreed).toEqual([]);
  });

  test.each([
    ["the same object", { metadata: { name: "a" } }],
    ["one with a generated name", { metadata: { generateName: "a-" } }],
  ])("%s that the process creates first is compared as soon as the copy creates it", async (_name, metadata) => {
    const { onCluster, onFork, timeline, diverged, agreed, missed } = await inStep();
    await onFork("GET", maps);
    await onFork("POST", maps, { ...metadata, data: { a: "0" } });
    await onCluster("POST", maps, { ...metadata, data: { a: "1" } });
    await timeline.runUntil({ ms: 200 });
    expect(diverged.at(-1)).toMatchObject({ base: undefined, cluster: { is: "differs" } });
    await timeline.runUntil({ ms: 1500 });
    expect([agreed, missed]).toEqual([[], []]);
  });

  test("a change that the process makes first becomes the cluster's as soon as the copy makes it", async () => {
    const { onCluster, onFork, timeline, agreed, missed, fork } = await inStep();
    await onCluster("POST", maps, map("a", { a: "1" }));
    await onFork("GET", maps);
    await timeline.runUntil({ ms: 1500 });
    await onFork("PATCH", `${maps}/a`, { data: { a: "2" } });
    await onCluster("PATCH", `${maps}/a`, { data: { a: "2" } });
    await timeline.runUntil({ ms: 200 });
    expect([agreed.map(({ key }) => key), fork.divergences.list()]).toEqual([["default/a"], []]);
    await onFork("PATCH", `${maps}/a`, { data: { a: "3" } });
    await onCluster("PATCH", `${maps}/a`, { data: { a: "4" } });
    await timeline.runUntil({ ms: 1500 });
    expect(fork.divergences.list()).toMatchObject([{ key: "default/a", cluster: { is: "differs" } }]);
    expect(missed).toEqual([]);
  });

  test("objects with generated names are matched by owner and prefix", async () => {
    const { onCluster, onFork, timeline, agreed, missed, fork } = await inStep();
    const generated = (data: object): object => ({ metadata: { generateName: "a-" }, data });
    await onFork("GET", maps);
    const first = await onCluster("POST", maps, generated({ a: "1" }));
    await onCluster("POST", maps, generated({ a: "1" }));
    await onFork("POST", maps, generated({ a: "1" }));
    await onFork("POST", maps, generated({ a: "1" }));
    await onFork("POST", maps, generated({ a: "2" }));
    await timeline.runUntil({ ms: 500 });
    expect([agreed.length, missed.length]).toEqual([2, 0]);
    // The fork now has the cluster's names.
    const names = (await onFork("GET", maps)).body.items.map(
      (map: { metadata: { name: string } }) => map.metadata.name,
    );
    expect(names).toContain(first.body.metadata.name);
    expect(names.filter((name: string) => name.startsWith("a-"))).toHaveLength(3);
    expect(fork.divergences.list()).toMatchObject([{ here: { data: { a: "2" } }, cluster: { is: "silent" } }]);
  });

  test("writes of others are not held back", async () => {
    const { onCluster, onFork, timeline, missed } = await inStep();
    await onFork("GET", maps);
    await onCluster("POST", `${maps}?fieldManager=somebody-else`, map("a", { a: "1" }));
    await timeline.runUntil({ ms: 200 });
    expect((await onFork("GET", `${maps}/a`)).status).toBe(200);
    // A change after a held one is applied after it.
    await onCluster("PATCH", `${maps}/a`, { data: { a: "2" } });
    await onCluster("PATCH", `${maps}/a?fieldManager=somebody-else`, { data: { b: "1" } });
    await timeline.runUntil({ ms: 200 });
    expect((await onFork("GET", `${maps}/a`)).body.data).toEqual({ a: "1" });
    await timeline.runUntil({ ms: 1500 });
    expect((await onFork("GET", `${maps}/a`)).body.data).toEqual({ a: "2", b: "1" });
    // Only the held one.
    expect(missed.map(({ live }) => (live as { data?: object } | undefined)?.data)).toEqual([{ a: "2" }]);
  });
});

describe("rights", () => {
  const dev = { name: "dev", groups: ["system:authenticated"] };
  const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";

  async function limited(): ReturnType<typeof forkScene> {
    const scene = await forkScene({ user: dev });
    const { onCluster } = scene;
    await onCluster("POST", `${roles}/roles`, {
      metadata: { name: "maps" },
      rules: [
        { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch", "create"] },
        { apiGroups: [""], resources: ["secrets"], resourceNames: ["one"], verbs: ["get", "update"] },
      ],
    });
    await onCluster("POST", `${roles}/rolebindings`, {
      metadata: { name: "maps" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "maps" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "dev" }],
    });
    for (const name of ["one", "two"])
      await onCluster("POST", "/api/v1/namespaces/default/secrets", { metadata: { name } });
    return scene;
  }

  test("that are missing in the cluster are missing in the fork, with the cluster's message", async () => {
    const { onFork, fork } = await limited();
    expect(fork.definitions).toBe("unlistable");
    const list = await onFork("GET", "/api/v1/configmaps");
    expect([list.status, list.body.message]).toEqual([
      403,
      'configmaps is forbidden: User "dev" cannot list resource "configmaps" in API group "" at the cluster scope',
    ]);
    const deletion = await onFork("DELETE", `${maps}/a`);
    expect([deletion.status, deletion.body.message]).toEqual([
      403,
      'configmaps "a" is forbidden: User "dev" cannot delete resource "configmaps" in API group "" in the namespace "default"',
    ]);
  });

  test("to one namespace are sufficient for it; its namespace is read by name, or assumed to exist", async () => {
    const { onFork, onCluster } = await limited();
    expect((await onFork("GET", maps)).status).toBe(200);
    // The namespace cannot be read, so it is assumed to exist.
    expect((await onFork("POST", maps, map("a", {}))).status).toBe(201);
    await onCluster("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", {
      metadata: { name: "namespaces" },
      rules: [{ apiGroups: [""], resources: ["namespaces"], verbs: ["get"] }],
    });
    await onCluster("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      metadata: { name: "namespaces" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "namespaces" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "dev" }],
    });
    expect((await onFork("POST", maps, map("b", {}))).status).toBe(201);
    expect((await onFork("POST", "/api/v1/namespaces/nowhere/configmaps", map("b", {}))).status).toBe(403);
  });

  test("to single names are permissions for these", async () => {
    const { onFork } = await limited();
    const one = await onFork("GET", "/api/v1/namespaces/default/secrets/one");
    expect(one.status).toBe(200);
    expect((await onFork("GET", "/api/v1/namespaces/default/secrets/two")).status).toBe(403);
    const { metadata } = one.body;
    const replaced = await onFork("PUT", "/api/v1/namespaces/default/secrets/one", {
      metadata,
      stringData: { a: "b" },
    });
    expect(replaced.status).toBe(200);
    expect((await onFork("PUT", "/api/v1/namespaces/default/secrets/two", { metadata })).status).toBe(403);
  });

  test("to list without watching are not sufficient to follow: every read goes to the cluster", async () => {
    const { onFork, onCluster } = await limited();
    await onCluster("PATCH", `${roles}/roles/maps`, {
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"] }],
    });
    expect((await onFork("GET", maps)).body.items).toHaveLength(0);
    await onCluster("POST", maps, map("a", {}));
    expect((await onFork("GET", maps)).body.items).toHaveLength(1);
  });
});

test("a response is complete: the fork can be read to its end", async () => {
  const { fork, timeline } = await forkScene();
  const response = await during(
    timeline,
    fork.transport.send({ method: "GET", path: "/version", signal: new AbortController().signal }),
  );
  const { gitVersion } = JSON.parse(new TextDecoder().decode(await readAll(response.body))) as { gitVersion: string };
  expect(gitVersion).toBe("v1.36.3");
});

describe("leader election", () => {
  const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  const lease = (holderIdentity: string): object => ({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "manager" },
    spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z" },
  });

  test("is separate in the fork: a Lease is free there, however often the copy renews it", async () => {
    const { onCluster, onFork, settle, fork, missed, agreed } = await forkScene({ inStep: true });
    await onCluster("POST", leases, lease("at-work"));
    expect((await onFork("GET", `${leases}/manager`)).body.spec).toEqual({
      holderIdentity: "",
      leaseDurationSeconds: 15,
      renewTime: "2026-01-01T00:00:00.000000Z",
    });
    await onFork("PATCH", `${leases}/manager`, { spec: { holderIdentity: "here" } });
    for (let second = 1; second <= 3; second++) {
      const renewTime = `2026-01-01T00:00:0${second}.000000Z`;
      await onCluster("PATCH", `${leases}/manager`, { spec: { renewTime } });
      await settle();
    }
    expect((await onFork("GET", `${leases}/manager`)).body.spec.holderIdentity).toBe("here");
    expect((await onCluster("GET", `${leases}/manager`)).body.spec.holderIdentity).toBe("at-work");
    expect([fork.divergences.list(), missed, agreed]).toEqual([[], [], []]);
  });

  test("does not include heartbeats of nodes", async () => {
    const { onCluster, onFork } = await forkScene();
    const heartbeats = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    await onCluster("POST", heartbeats, lease("node-1"));
    expect((await onFork("GET", `${heartbeats}/manager`)).body.spec.holderIdentity).toBe("node-1");
  });
});

describe("a snapshot", () => {
  test("keeps the state of the cluster when a resource was first requested", async () => {
    const { onCluster, onFork, settle, sent } = await forkScene({ isSnapshot: true });
    await onCluster("POST", maps, map("a", { a: "1" }));
    expect((await onFork("GET", maps)).body.items).toHaveLength(1);
    await settle();
    const requests = sent.length;
    await onCluster("PATCH", `${maps}/a`, { data: { a: "2" } });
    await onCluster("POST", maps, map("b", {}));
    await settle();
    const { items } = (await onFork("GET", maps)).body;
    expect(items.map(({ data }: { data: object }) => data)).toEqual([{ a: "1" }]);
    expect((await onFork("GET", `${maps}/b`)).status).toBe(404);
    expect(sent.slice(requests).filter((line) => line.includes("/configmaps"))).toEqual([]);
  });
});
