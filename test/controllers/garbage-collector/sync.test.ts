/** Requests, decisions and writes of one sync. Tests that correspond to upstream tests contain their names. */
import { describe, expect, test } from "bun:test";
import type { DiscoveredKind } from "../../../src/client/api/discovery.ts";
import { kindsOfGraph } from "../../../src/controllers/garbage-collector/kinds.ts";
import {
  collectorScene,
  type CollectorScene,
  ConfigMaps,
  Deployments,
  Nodes,
  object,
  ownedBy,
  refusal,
  Secrets,
} from "./scene.ts";

const childKey = "ConfigMap ns/child";

/** Adds a dependent of these owners that is queued for an attempt to delete it. */
function orphaned(it: CollectorScene, ...owners: readonly string[]): void {
  it.add(
    ConfigMaps,
    object(ConfigMaps, "child", { version: "7", owners: owners.map((name) => ownedBy(ConfigMaps, name)) }),
  );
  it.graph.keyOf(it.graph.node("uid-child") as never, "delete");
  it.take();
}

const callsOf = (it: CollectorScene): string[] => it.calls.map(({ what }) => what);

describe("an object without existing owners (TestAttemptToDeleteItem)", () => {
  test("is deleted at its uid and version, in the background", async () => {
    const it = collectorScene();
    orphaned(it, "owner");
    expect(await it.sync(childKey)).toBeUndefined();
    expect(callsOf(it)).toEqual(["get ConfigMap ns/child", "get ConfigMap ns/owner", "delete ConfigMap ns/child"]);
    expect(it.calls[2]?.options).toEqual({
      preconditions: { uid: "uid-child", resourceVersion: "7" },
      propagationPolicy: "Background",
    });
    expect(it.decisions).toEqual([
      "delete: its only owner ConfigMap owner (uid uid-owner) is absent: 404 from the API server → delete, Background",
    ]);
  });

  for (const { finalizers, policy } of [
    { finalizers: ["orphan"], policy: "Orphan" },
    { finalizers: ["foregroundDeletion"], policy: "Foreground" },
    { finalizers: ["example.com/hold"], policy: "Background" },
  ]) {
    test(`with the finalizer ${finalizers[0]} is deleted with the policy ${policy}`, async () => {
      const it = collectorScene();
      orphaned(it, "owner");
      it.store(ConfigMaps, object(ConfigMaps, "child", { finalizers, owners: [ownedBy(ConfigMaps, "owner")] }));
      await it.sync(childKey);
      expect(it.calls.at(-1)?.options).toMatchObject({ propagationPolicy: policy });
    });
  }

  test("that is already deleted leaves the graph (…DeleteObjectNotFound)", async () => {
    const it = collectorScene();
    orphaned(it, "owner");
    it.add(ConfigMaps, object(ConfigMaps, "grandchild", { owners: [ownedBy(ConfigMaps, "child")] }));
    it.refuse = ({ what }) => {
      if (what.startsWith("delete")) throw refusal(404, "NotFound");
    };
    expect(await it.sync(childKey)).toBeUndefined();
    expect(it.graph.node("uid-child")).toBeUndefined();
    expect(it.take()).toEqual(["ConfigMap ns/grandchild"]);
  });

  test("whose name now belongs to another object leaves the graph", async () => {
    const it = collectorScene();
    orphaned(it, "owner");
    it.store(ConfigMaps, object(ConfigMaps, "child", { uid: "new" }));
    await it.sync(childKey);
    expect(callsOf(it)).toEqual(["get ConfigMap ns/child"]);
    expect(it.decisions).toEqual([
      "absent: it is absent: its name now belongs to another object, uid new → nothing depends on it",
    ]);
  });

  test("that changed, except its owners, is deleted at any version (resourceVersion conflict)", async () => {
    const it = collectorScene();
    orphaned(it, "owner");
    it.refuse = ({ what, options }) => {
      const { preconditions } = (options ?? {}) as { preconditions?: { resourceVersion?: string } };
      if (!what.startsWith("delete") || preconditions?.resourceVersion === undefined) return;
      it.store(ConfigMaps, object(ConfigMaps, "child", { version: "8", owners: [ownedBy(ConfigMaps, "owner")] }));
      throw refusal(409, "Conflict");
    };
    expect(await it.sync(childKey)).toBeUndefined();
    expect(it.calls.at(-1)).toEqual({
      what: "delete ConfigMap ns/child",
      options: { preconditions: { uid: "uid-child" }, propagationPolicy: "Background" },
    });
  });

  test("whose owners changed meanwhile is examined again", async () => {
    const it = collectorScene();
    orphaned(it, "owner");
    it.refuse = ({ what }) => {
      if (!what.startsWith("delete")) return;
      it.store(ConfigMaps, object(ConfigMaps, "child", { version: "8", owners: [ownedBy(ConfigMaps, "other")] }));
      throw refusal(409, "Conflict");
    };
    expect(String(await it.sync(childKey))).toContain("Conflict");
    expect(callsOf(it).filter((what) => what.startsWith("delete"))).toHaveLength(1);
  });

  test("is deleted if its owner's name now belongs to another object", async () => {
    const it = collectorScene();
    orphaned(it, "owner");
    it.store(ConfigMaps, object(ConfigMaps, "owner", { uid: "another" }));
    await it.sync(childKey);
    expect(it.decisions).toEqual([
      "delete: its only owner ConfigMap owner (uid uid-owner) is absent: its name now belongs to another object, uid another → delete, Background",
    ]);
  });

  test("is not deleted while the API server returns errors for it, or for its owner", async () => {
    for (const name of ["child", "owner"]) {
      const it = collectorScene();
      orphaned(it, "owner");
      it.refuse = ({ what }) => {
        if (what === `get ConfigMap ns/${name}`) throw refusal(500, "InternalError");
      };
      expect(String(await it.sync(childKey))).toContain("InternalError");
      expect(callsOf(it).at(-1)).toBe(`get ConfigMap ns/${name}`);
      expect(it.decisions).toEqual([]);
    }
  });

  test("that is already being deleted is left alone", async () => {
    const it = collectorScene();
    it.add(ConfigMaps, object(ConfigMaps, "child", { deleted: true, owners: [ownedBy(ConfigMaps, "owner")] }));
    it.graph.keyOf(it.graph.node("uid-child") as never, "delete");
    await it.sync(childKey);
    expect([it.calls, it.decisions]).toEqual([[], ["being-deleted: it is being deleted already → left alone"]]);
  });

  test("whose owner waits for it is deleted, in the foreground only if it has dependents itself", async () => {
    const it = collectorScene();
    orphaned(it, "owner");
    it.store(ConfigMaps, object(ConfigMaps, "owner", { deleted: true, finalizers: ["foregroundDeletion"] }));
    await it.sync(childKey);
    expect(it.calls.at(-1)?.options).toMatchObject({ propagationPolicy: "Background" });
    it.add(ConfigMaps, object(ConfigMaps, "last", { owners: [ownedBy(ConfigMaps, "child")] }));
    it.graph.keyOf(it.graph.node("uid-child") as never, "delete");
    await it.sync(childKey);
    // No dependent is waiting for deletion, so there is no cycle to break.
    expect(callsOf(it)).toEqual(["get ConfigMap ns/child", "get ConfigMap ns/owner", "delete ConfigMap ns/child"]);
    expect(it.calls.at(-1)?.options).toMatchObject({ propagationPolicy: "Foreground" });
  });

  test("with dependents is deleted in the foreground if one of its owners waits and the others are absent", async () => {
    const it = collectorScene();
    orphaned(it, "gone", "owner");
    it.store(ConfigMaps, object(ConfigMaps, "owner", { deleted: true, finalizers: ["foregroundDeletion"] }));
    it.add(ConfigMaps, object(ConfigMaps, "last", { owners: [ownedBy(ConfigMaps, "child")] }));
    it.graph.keyOf(it.graph.node("uid-child") as never, "delete");
    await it.sync(childKey);
    expect(it.calls.at(-1)?.options).toMatchObject({ propagationPolicy: "Foreground" });
  });

  test("with dependents is deleted in the background if no owner waits", async () => {
    const it = collectorScene();
    orphaned(it, "gone");
    it.add(ConfigMaps, object(ConfigMaps, "last", { owners: [ownedBy(ConfigMaps, "child")] }));
    it.graph.keyOf(it.graph.node("uid-child") as never, "delete");
    await it.sync(childKey);
    expect(it.calls.at(-1)?.options).toMatchObject({ propagationPolicy: "Background" });
  });

  test("with a cluster-scoped owner requests that once as well", async () => {
    const it = collectorScene();
    const owners = [ownedBy(Nodes, "node")];
    for (const name of ["child", "other"]) {
      it.add(ConfigMaps, object(ConfigMaps, name, { owners }));
      it.graph.keyOf(it.graph.node(`uid-${name}`) as never, "delete");
    }
    await it.sync(childKey);
    expect(callsOf(it)).toContain("get Node node");
    await it.sync("ConfigMap ns/other");
    expect(callsOf(it)).toEqual(["get ConfigMap ns/other", "delete ConfigMap ns/other"]);
  });

  test("with an absent owner requests that once (TestAbsentOwnerCache)", async () => {
    const it = collectorScene();
    orphaned(it, "owner");
    await it.sync(childKey);
    await it.sync(childKey);
    expect(callsOf(it)).toEqual(["get ConfigMap ns/child", "delete ConfigMap ns/child"]);
    expect(it.decisions[0]).toContain("is absent: 404 from the API server → delete");
  });
});

describe("an object with an owner", () => {
  test("is kept, and loses its references to owners that are absent or wait (TestDeleteOwnerRefPatch)", async () => {
    const it = collectorScene();
    orphaned(it, "gone", "there", "waiting");
    it.store(ConfigMaps, object(ConfigMaps, "there"));
    it.store(ConfigMaps, object(ConfigMaps, "waiting", { deleted: true, finalizers: ["foregroundDeletion"] }));
    await it.sync(childKey);
    expect(it.calls.at(-1)).toEqual({
      what: "patch ConfigMap ns/child",
      options: {
        type: "strategic",
        body: {
          metadata: {
            uid: "uid-child",
            ownerReferences: [
              { $patch: "delete", uid: "uid-gone" },
              { $patch: "delete", uid: "uid-waiting" },
            ],
          },
        },
      },
    });
  });

  test("explains the state of each of its owners", async () => {
    const it = collectorScene();
    orphaned(it, "there", "waiting");
    it.store(ConfigMaps, object(ConfigMaps, "there"));
    it.store(ConfigMaps, object(ConfigMaps, "waiting", { deleted: true, finalizers: ["foregroundDeletion"] }));
    await it.sync(childKey);
    expect(it.decisions.join()).toContain("ConfigMap waiting (uid uid-waiting) waits for its dependents");
    expect(it.decisions.join()).toContain("→ remove 1 owner reference");
  });

  // Source: kubernetes v1.36 pkg/controller/garbagecollector/garbagecollector.go classifyReferences.
  test.each([
    { name: "that is being deleted without waiting for anything", state: { deleted: true } },
    { name: "that would wait, but is not being deleted", state: { finalizers: ["foregroundDeletion"] } },
  ])("$name is kept", async ({ state }) => {
    const it = collectorScene();
    orphaned(it, "owner");
    it.store(ConfigMaps, object(ConfigMaps, "owner", state));
    await it.sync(childKey);
    expect(it.decisions).toEqual(["keep: its only owner ConfigMap owner (uid uid-owner) exists → kept"]);
  });

  test("that it lost meanwhile is kept: the references are those in the API server", async () => {
    const it = collectorScene();
    orphaned(it, "owner");
    it.store(ConfigMaps, object(ConfigMaps, "child"));
    await it.sync(childKey);
    expect(callsOf(it)).toEqual(["get ConfigMap ns/child"]);
    expect(it.decisions).toEqual(["no-owners: it has no owners → kept"]);
  });

  test("is patched by a merge patch if the kind supports no other", async () => {
    const it = collectorScene();
    orphaned(it, "gone", "there");
    it.store(ConfigMaps, object(ConfigMaps, "there"));
    it.refuse = ({ options }) => {
      if ((options as { type?: string } | undefined)?.type === "strategic") throw refusal(415, "UnsupportedMediaType");
    };
    await it.sync(childKey);
    expect(it.calls.at(-1)?.options).toEqual({
      type: "merge",
      body: { metadata: { resourceVersion: "7", ownerReferences: [ownedBy(ConfigMaps, "there")] } },
    });
  });

  test("that exists is kept, and nothing is written", async () => {
    const it = collectorScene();
    orphaned(it, "there");
    it.store(ConfigMaps, object(ConfigMaps, "there"));
    await it.sync(childKey);
    expect(it.decisions).toEqual(["keep: its only owner ConfigMap there (uid uid-there) exists → kept"]);
    expect(callsOf(it).filter((what) => !what.startsWith("get"))).toEqual([]);
  });

  test("of a version that the server does not have is retried (inaccessible API version)", async () => {
    const it = collectorScene();
    it.add(
      ConfigMaps,
      object(ConfigMaps, "child", { owners: [ownedBy(Deployments, "owner", { apiVersion: "apps/v9" })] }),
    );
    const [virtual] = it.take();
    expect(String(await it.sync(virtual as string))).toContain("the API server has no such kind in apps/v9");
    expect(it.graph.node("uid-owner")?.virtual).toBe(true);
  });

  test("whose references have a namespace though its kind has none is left alone", async () => {
    const it = collectorScene();
    it.add(ConfigMaps, object(ConfigMaps, "owner"));
    it.add(Nodes, object(Nodes, "node", { owners: [ownedBy(ConfigMaps, "owner"), ownedBy(Nodes, "other")] }));
    expect(await it.sync("Node node")).toBeUndefined();
    // Later owners are not requested either.
    expect(callsOf(it)).toEqual(["get Node node"]);
    expect(it.decisions).toEqual([
      "impossible-owner: it is cluster-scoped, but its owner ConfigMap owner is of a namespaced kind → left alone",
    ]);
  });
});

describe("an owner known only from references", () => {
  test("is requested until a watch shows it", async () => {
    const it = collectorScene();
    it.add(ConfigMaps, object(ConfigMaps, "child", { owners: [ownedBy(Secrets, "owner")] }));
    const [key = ""] = it.take();
    it.store(Secrets, object(Secrets, "owner"));
    expect((await it.sync(key)) as Error).toMatchObject({ name: "CacheBehindError" });
    it.show(Secrets, object(Secrets, "owner"));
    expect(await it.sync(key)).toBeUndefined();
    expect(it.calls).toEqual([]);
  });

  test("and is absent leaves the graph; its dependents are examined", async () => {
    const it = collectorScene();
    it.add(ConfigMaps, object(ConfigMaps, "child", { owners: [ownedBy(Secrets, "owner")] }));
    const [key = ""] = it.take();
    expect(await it.sync(key)).toBeUndefined();
    expect(it.take()).toEqual([childKey]);
    expect(it.decisions).toEqual(["absent: it is absent: 404 from the API server → check its 1 dependent"]);
  });

  test("of a cluster-scoped object, though its kind is namespaced, is not requested", async () => {
    const it = collectorScene();
    it.add(Nodes, object(Nodes, "node", { owners: [ownedBy(ConfigMaps, "owner")] }));
    const [key = ""] = it.take();
    expect(await it.sync(key)).toBeUndefined();
    expect(it.calls).toEqual([]);
  });
});

describe("an object that is deleted in the foreground", () => {
  function waiting(it: CollectorScene): void {
    it.add(
      ConfigMaps,
      object(ConfigMaps, "owner", { deleted: true, finalizers: ["a/b", "foregroundDeletion"], version: "9" }),
    );
  }

  test("loses the finalizer when nothing blocks it", async () => {
    const it = collectorScene();
    waiting(it);
    it.add(ConfigMaps, object(ConfigMaps, "child", { owners: [ownedBy(ConfigMaps, "owner")] }));
    await it.sync("ConfigMap ns/owner");
    expect(it.calls.at(-1)?.options).toEqual({
      type: "merge",
      body: { metadata: { resourceVersion: "9", finalizers: ["a/b"] } },
    });
  });

  test("waits for its blocking dependents, and enqueues them", async () => {
    const it = collectorScene();
    waiting(it);
    it.add(
      ConfigMaps,
      object(ConfigMaps, "child", { owners: [ownedBy(ConfigMaps, "owner", { blockOwnerDeletion: true })] }),
    );
    it.take();
    await it.sync("ConfigMap ns/owner");
    expect(it.take()).toEqual([childKey]);
    expect(it.decisions).toEqual([
      "wait-for-dependents: 1 dependent blocks its deletion: ConfigMap ns/child → check it",
    ]);
  });

  test("names 3 of the dependents that it waits for, and enqueues none that waits itself", async () => {
    const it = collectorScene();
    waiting(it);
    const owners = [ownedBy(ConfigMaps, "owner", { blockOwnerDeletion: true })];
    const going = { deleted: true, finalizers: ["foregroundDeletion"] };
    for (const name of ["a", "b", "c", "d"])
      it.add(ConfigMaps, object(ConfigMaps, name, { owners, ...(name === "b" && going) }));
    it.take();
    await it.sync("ConfigMap ns/owner");
    expect(it.take()).toEqual(["a", "c", "d"].map((name) => `ConfigMap ns/${name}`));
    expect(it.decisions).toEqual([
      "wait-for-dependents: 4 dependents block its deletion: ConfigMap ns/a, ConfigMap ns/b, ConfigMap ns/c and 1 more → check them",
    ]);
  });

  test("deletes dependents with dependents in the foreground, without blocking if they may form a cycle (TestUnblockOwnerReference)", async () => {
    const it = collectorScene();
    waiting(it);
    const blocking = ownedBy(ConfigMaps, "owner", { blockOwnerDeletion: true });
    it.add(ConfigMaps, object(ConfigMaps, "child", { owners: [blocking] }));
    it.add(
      ConfigMaps,
      object(ConfigMaps, "last", {
        deleted: true,
        finalizers: ["foregroundDeletion"],
        owners: [ownedBy(ConfigMaps, "child")],
      }),
    );
    it.graph.keyOf(it.graph.node("uid-child") as never, "delete");
    await it.sync(childKey);
    expect(it.calls.slice(-2)).toMatchObject([
      {
        what: "patch ConfigMap ns/child",
        options: {
          body: { metadata: { uid: "uid-child", ownerReferences: [{ ...blocking, blockOwnerDeletion: false }] } },
        },
      },
      { what: "delete ConfigMap ns/child", options: { propagationPolicy: "Foreground" } },
    ]);
    expect(it.decisions).toContain(
      "break-cycle: its dependent ConfigMap ns/last waits for its dependents, as its owner does: possibly a cycle → unblock its owners",
    );
  });

  test("is retried at most four times when its finalizer cannot be removed", async () => {
    const it = collectorScene();
    waiting(it);
    it.refuse = ({ what }) => {
      if (what.startsWith("patch")) throw refusal(409, "Conflict");
    };
    expect(String(await it.sync("ConfigMap ns/owner"))).toContain("Conflict");
    expect(callsOf(it).filter((what) => what.startsWith("patch"))).toHaveLength(4);
  });
});

describe("an object whose dependents are orphaned", () => {
  function orphaning(it: CollectorScene): void {
    it.add(ConfigMaps, object(ConfigMaps, "owner", { deleted: true, finalizers: ["orphan"] }));
    for (const name of ["a", "b"])
      it.add(ConfigMaps, object(ConfigMaps, name, { owners: [ownedBy(ConfigMaps, "owner")] }));
  }

  test("releases them, then loses its finalizer", async () => {
    const it = collectorScene();
    orphaning(it);
    expect(await it.sync("orphan ConfigMap ns/owner")).toBeUndefined();
    expect(callsOf(it)).toEqual([
      "patch ConfigMap ns/a",
      "patch ConfigMap ns/b",
      "get ConfigMap ns/owner",
      "patch ConfigMap ns/owner",
    ]);
    expect(it.calls[0]?.options).toMatchObject({
      body: { metadata: { uid: "uid-a", ownerReferences: [{ $patch: "delete", uid: "uid-owner" }] } },
    });
    expect(it.decisions).toEqual([
      "orphan: ConfigMap ns/owner is being deleted without its dependents → remove the reference to it from 2 dependents",
      "orphaned: all dependents are orphaned → remove the orphan finalizer",
    ]);
  });

  test("loses its finalizer at once if it has none", async () => {
    const it = collectorScene();
    it.add(ConfigMaps, object(ConfigMaps, "owner", { deleted: true, finalizers: ["orphan"] }));
    await it.sync("orphan ConfigMap ns/owner");
    expect(callsOf(it)).toEqual(["get ConfigMap ns/owner", "patch ConfigMap ns/owner"]);
    expect(it.decisions).toEqual(["orphaned: it has no dependents → remove the orphan finalizer"]);
  });

  test("keeps its finalizer when one could not be released (TestOrphanDependentsFailure)", async () => {
    const it = collectorScene();
    orphaning(it);
    it.refuse = ({ what }) => {
      if (what === "patch ConfigMap ns/a") throw refusal(500, "InternalError");
      if (what === "patch ConfigMap ns/b") throw refusal(404, "NotFound");
    };
    const failed = await it.sync("orphan ConfigMap ns/owner");
    expect((failed as Error).cause).toMatchObject({ message: "InternalError" });
    expect(String(failed)).toContain(
      "Cannot orphan 1 of 2 dependents of ConfigMap ns/owner, the first of them ConfigMap ns/a",
    );
    expect(callsOf(it)).toEqual(["patch ConfigMap ns/a", "patch ConfigMap ns/b"]);
  });
});

test("the kinds of the graph: one version of each, if it can be listed, watched and deleted, without Events (TestGetDeletableResources)", () => {
  const verbs = ["delete", "list", "watch"];
  const kind = (groupVersion: string, plural: string, rest: Partial<DiscoveredKind> = {}): DiscoveredKind => {
    const [version = "", group = ""] = groupVersion.split("/").reverse();
    return {
      group,
      version,
      kind: plural,
      plural,
      namespaced: true,
      singular: plural,
      categories: [],
      verbs,
      preferred: true,
      ...rest,
    };
  };
  const kinds = [
    kind("v1", "pods"),
    kind("v1", "events"),
    kind("v1", "bindings", { verbs: ["create"] }),
    kind("apps/v1", "deployments"),
    kind("apps/v1beta1", "deployments", { preferred: false }),
    kind("apps/v1beta1", "only-old", { preferred: false }),
    kind("events.k8s.io/v1", "events"),
    kind("example.com/v1", "events"),
  ];
  expect(kindsOfGraph(kinds).map(({ group, version, plural }) => `${group}/${version}/${plural}`)).toEqual([
    "/v1/pods",
    "apps/v1/deployments",
    "apps/v1beta1/only-old",
    "example.com/v1/events",
  ]);
});

test("a key of an object that has left the graph does nothing", async () => {
  const it = collectorScene();
  const child = object(ConfigMaps, "child", { owners: [ownedBy(Secrets, "owner")] });
  it.add(ConfigMaps, child);
  it.showDeletion(ConfigMaps, child);
  expect(await it.sync(childKey)).toBeUndefined();
  expect([it.calls, it.decisions]).toEqual([[], []]);
});
