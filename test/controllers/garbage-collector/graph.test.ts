/** The effect of watch events on the graph, and the keys that they enqueue. Tests that correspond to upstream tests contain their names. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { OwnerReference } from "../../../src/api/object.ts";
import { DependencyGraph } from "../../../src/controllers/garbage-collector/graph.ts";
import {
  alternateIdentity,
  partitionDependents,
  sameCoordinates,
} from "../../../src/controllers/garbage-collector/identity.ts";
import {
  blockingDependents,
  type GraphNode,
  type Identity,
  keyOfNode,
  newNode,
  objectOfKey,
} from "../../../src/controllers/garbage-collector/node.ts";
import { referenceChanges } from "../../../src/controllers/garbage-collector/references.ts";
import { collectorScene, ConfigMaps, Nodes, object, ownedBy, Secrets } from "./scene.ts";

describe("a change in a watch", () => {
  test("of an object whose owner is unknown creates a virtual owner, and enqueues it", () => {
    const it = collectorScene();
    it.add(ConfigMaps, object(ConfigMaps, "child", { owners: [ownedBy(Secrets, "owner")] }));
    expect(it.take()).toEqual(["Secret ns/owner (uid uid-owner)"]);
    expect(it.graph.node("uid-owner")?.virtual).toBe(true);
    it.add(Secrets, object(Secrets, "owner"));
    expect(it.graph.node("uid-owner")?.virtual).toBe(false);
    expect(it.take()).toEqual([]);
  });

  test("of a deletion enqueues the dependents, and owners that wait for theirs", () => {
    const it = collectorScene();
    const owner = object(ConfigMaps, "owner", { deleted: true, finalizers: ["foregroundDeletion"] });
    const middle = object(ConfigMaps, "middle", { owners: [ownedBy(ConfigMaps, "owner")] });
    it.add(ConfigMaps, object(ConfigMaps, "idle"), owner, middle);
    it.add(ConfigMaps, object(ConfigMaps, "child", { owners: [ownedBy(ConfigMaps, "middle")] }));
    it.take();
    it.showDeletion(ConfigMaps, middle);
    expect(it.take()).toEqual(["ConfigMap ns/child", "ConfigMap ns/owner"]);
  });

  test("of a deletion in the foreground enqueues dependents and object, of one with orphan the other task", () => {
    const it = collectorScene();
    const [a, b] = [object(ConfigMaps, "a"), object(ConfigMaps, "b")];
    it.add(
      ConfigMaps,
      a,
      b,
      object(ConfigMaps, "child", { owners: [ownedBy(ConfigMaps, "a"), ownedBy(ConfigMaps, "b")] }),
    );
    it.show(
      ConfigMaps,
      object(ConfigMaps, "a", { deleted: true, finalizers: ["foregroundDeletion"], version: "2" }),
      a,
    );
    expect(it.take()).toEqual(["ConfigMap ns/child", "ConfigMap ns/a"]);
    it.show(ConfigMaps, object(ConfigMaps, "b", { deleted: true, finalizers: ["orphan"], version: "2" }), b);
    expect(it.take()).toEqual(["orphan ConfigMap ns/b"]);
  });

  test("has no effect the second time", () => {
    const it = collectorScene();
    const owner = object(ConfigMaps, "owner", { deleted: true, finalizers: ["foregroundDeletion"] });
    it.add(ConfigMaps, owner);
    it.take();
    it.show(ConfigMaps, owner, owner);
    expect(it.take()).toEqual([]);
  });

  const child = (reference: OwnerReference | undefined, version: string): ReturnType<typeof object> =>
    object(ConfigMaps, "child", { version, ...(reference !== undefined && { owners: [reference] }) });
  const blocking = ownedBy(ConfigMaps, "owner", { blockOwnerDeletion: true });
  for (const { name, after, woken } of [
    { name: "removes a blocking reference", after: undefined, woken: ["ConfigMap ns/owner"] },
    { name: "unblocks a reference", after: { ...blocking, blockOwnerDeletion: false }, woken: ["ConfigMap ns/owner"] },
    { name: "names the controller", after: { ...blocking, controller: true }, woken: [] },
  ]) {
    test(`which ${name} enqueues ${woken.length === 0 ? "nothing" : "the owner"}`, () => {
      const it = collectorScene();
      it.add(ConfigMaps, object(ConfigMaps, "owner"), child(blocking, "1"));
      it.take();
      it.show(ConfigMaps, child(after, "2"), child(blocking, "1"));
      expect(it.take()).toEqual(woken);
    });
  }

  test("of another object in place of one is the end of that one", () => {
    const it = collectorScene();
    const old = object(ConfigMaps, "owner");
    it.add(ConfigMaps, old, object(ConfigMaps, "child", { owners: [ownedBy(ConfigMaps, "owner")] }));
    it.take();
    it.show(ConfigMaps, object(ConfigMaps, "owner", { uid: "new" }), old);
    expect(it.take()).toEqual(["ConfigMap ns/child"]);
    expect([it.graph.node("uid-owner"), it.graph.node("new")?.name]).toEqual([undefined, "owner"]);
  });
});

describe("an observed object", () => {
  const silent = { enqueue: () => undefined, invalidNamespace: () => undefined };

  test("can be being deleted, at first sight or later, and waits for its dependents even if it orphans them, too", () => {
    const it = collectorScene();
    const live = object(ConfigMaps, "live");
    it.add(ConfigMaps, live, object(ConfigMaps, "going", { deleted: true }));
    it.add(ConfigMaps, object(ConfigMaps, "both", { deleted: true, finalizers: ["orphan", "foregroundDeletion"] }));
    it.show(ConfigMaps, object(ConfigMaps, "live", { version: "2" }), live);
    const seen = (name: string): unknown[] => {
      const node = it.graph.node(`uid-${name}`);
      return [node?.beingDeleted, node?.deletingDependents];
    };
    expect([seen("live"), seen("going"), seen("both")]).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
    it.show(ConfigMaps, object(ConfigMaps, "live", { version: "3", deleted: true }), live);
    expect(seen("live")).toEqual([true, false]);
  });

  test("has no effect when it ends or is absent but was never known", () => {
    const it = collectorScene();
    it.showDeletion(ConfigMaps, object(ConfigMaps, "unknown"));
    const identity = { apiVersion: "v1", kind: "ConfigMap", namespace: "ns", name: "unknown", uid: "uid-unknown" };
    it.graph.markAbsent(identity, "404", silent);
    expect(it.take()).toEqual([]);
  });

  test("is remembered after its end for its dependents, and only if it has some", () => {
    const it = collectorScene();
    const [owner, left] = [object(ConfigMaps, "owner"), object(ConfigMaps, "left")];
    const child = object(ConfigMaps, "child", { owners: [ownedBy(ConfigMaps, "owner")] });
    const lost = object(ConfigMaps, "lost", { owners: [ownedBy(ConfigMaps, "left")] });
    it.add(ConfigMaps, owner, left, child, lost);
    it.showDeletion(ConfigMaps, lost);
    it.showDeletion(ConfigMaps, left);
    it.showDeletion(ConfigMaps, owner);
    const evidence = (name: string): string | undefined =>
      it.graph.absentOwners.evidence({
        apiVersion: "v1",
        kind: "ConfigMap",
        namespace: "ns",
        name,
        uid: `uid-${name}`,
      });
    expect([evidence("owner"), evidence("left")]).toEqual(["its deletion was observed", undefined]);
  });

  test("that comes back after its end, by a late delta, does no harm", () => {
    const it = collectorScene();
    const owner = object(ConfigMaps, "owner");
    const child = object(ConfigMaps, "child", { owners: [ownedBy(ConfigMaps, "owner")] });
    it.add(ConfigMaps, owner, child);
    it.showDeletion(ConfigMaps, owner);
    it.show(ConfigMaps, owner);
    it.showDeletion(ConfigMaps, child);
    expect(it.graph.node("uid-child")).toBeUndefined();
  });

  test("replaces a virtual owner: dependents that refer to it are not examined, nor those that already were", () => {
    const it = collectorScene();
    it.add(ConfigMaps, object(ConfigMaps, "a", { owners: [ownedBy(ConfigMaps, "owner")] }));
    it.add(ConfigMaps, object(ConfigMaps, "b", { owners: [ownedBy(Secrets, "owner")] }));
    it.take();
    it.add(ConfigMaps, object(ConfigMaps, "owner"));
    expect([it.take(), it.events]).toEqual([[], []]);
  });

  test("may differ from the virtual owner: the dependents that named it otherwise are examined", () => {
    for (const [kind, word] of [
      [ConfigMaps, "ConfigMap"],
      [Nodes, "Node"],
    ] as const) {
      const it = collectorScene();
      it.add(ConfigMaps, object(ConfigMaps, "child", { owners: [ownedBy(Secrets, "owner")] }));
      it.take();
      it.add(kind, object(kind, "owner"));
      expect([it.take(), it.events]).toEqual([["ConfigMap ns/child"], []]);
      expect(it.graph.node("uid-owner")).toMatchObject({ virtual: false, of: { kind: word } });
    }
  });

  test("only lets go of owners that it blocked", () => {
    const it = collectorScene();
    const owners = [ownedBy(ConfigMaps, "free"), ownedBy(ConfigMaps, "held", { blockOwnerDeletion: true })];
    const child = object(ConfigMaps, "child", { owners });
    it.add(ConfigMaps, object(ConfigMaps, "free"), object(ConfigMaps, "held"), child);
    it.take();
    it.show(ConfigMaps, object(ConfigMaps, "child", { version: "2" }), child);
    expect(it.take()).toEqual(["ConfigMap ns/held"]);
  });

  test("enqueues no owner for a reference that never blocked it, nor a deleted one", () => {
    const it = collectorScene();
    const child = (version: string, ...owners: readonly OwnerReference[]): ReturnType<typeof object> =>
      object(ConfigMaps, "child", { version, owners });
    const [free, held] = [ownedBy(ConfigMaps, "free"), ownedBy(ConfigMaps, "gone", { blockOwnerDeletion: true })];
    const gone = object(ConfigMaps, "gone");
    it.add(ConfigMaps, object(ConfigMaps, "free"), gone, child("1", free, held));
    it.showDeletion(ConfigMaps, gone);
    it.take();
    it.show(ConfigMaps, child("2", { ...free, controller: true }), child("1", free, held));
    expect(it.take()).toEqual([]);
  });
});

describe("a virtual owner", () => {
  test("is in the namespace of the first dependent: a reference from another one is doubted, without an Event", () => {
    const it = collectorScene();
    const owners = [ownedBy(Secrets, "owner")];
    it.add(ConfigMaps, object(ConfigMaps, "a", { owners }));
    it.add(ConfigMaps, object(ConfigMaps, "b", { owners }));
    expect(it.take()).toEqual(["Secret ns/owner (uid uid-owner)"]);
    it.add(ConfigMaps, object(ConfigMaps, "c", { owners, namespace: "other" }));
    expect([it.take(), it.events]).toEqual([["ConfigMap other/c"], []]);
  });

  test("that a cluster-scoped object named first is doubted from a namespace", () => {
    const it = collectorScene();
    const owners = [ownedBy(Secrets, "owner")];
    it.add(Nodes, object(Nodes, "node", { owners }));
    it.take();
    it.add(ConfigMaps, object(ConfigMaps, "child", { owners }));
    expect(it.take()).toEqual(["ConfigMap ns/child"]);
  });

  test("is doubted whatever is known of others behind it", () => {
    const it = collectorScene();
    it.add(ConfigMaps, object(ConfigMaps, "a"), object(ConfigMaps, "b"));
    const owners = [ownedBy(Secrets, "a"), ownedBy(ConfigMaps, "b")];
    it.add(ConfigMaps, object(ConfigMaps, "child", { owners }));
    expect(it.take()).toEqual(["ConfigMap ns/child"]);
  });
});

describe("keys share a queue position", () => {
  const scene = (): ReturnType<typeof collectorScene> => {
    const it = collectorScene();
    it.add(ConfigMaps, object(ConfigMaps, "owner", { deleted: true, finalizers: ["foregroundDeletion"] }));
    it.add(ConfigMaps, object(ConfigMaps, "child", { owners: [ownedBy(ConfigMaps, "owner")] }));
    it.add(ConfigMaps, object(ConfigMaps, "alone"));
    for (const name of ["owner", "child", "alone"]) it.graph.keyOf(it.graph.node(`uid-${name}`) as GraphNode, "delete");
    return it;
  };

  test("if they have the same owner, or are the owner that waits for them", () => {
    const it = scene();
    const group = (name: string): string => it.graph.groupOf(`ConfigMap ns/${name}`);
    expect([group("child"), group("owner"), group("alone")]).toEqual(["uid-owner", "uid-owner", "uid-alone"]);
  });

  test("but not once their object is gone, unless another one has the key", () => {
    const it = scene();
    it.showDeletion(ConfigMaps, object(ConfigMaps, "child"));
    expect(it.graph.groupOf("ConfigMap ns/child")).toBe("ConfigMap ns/child");
    it.add(ConfigMaps, object(ConfigMaps, "alone", { uid: "uid-next" }));
    it.graph.keyOf(it.graph.node("uid-next") as GraphNode, "delete");
    it.showDeletion(ConfigMaps, object(ConfigMaps, "alone"));
    expect(it.graph.groupOf("ConfigMap ns/alone")).toBe("uid-next");
  });
});

describe("a wrong reference (TestConflictingData)", () => {
  const message = (namespace: string): string =>
    `ownerRef [v1/ConfigMap, namespace: ${namespace}, name: owner, uid: uid-owner] does not exist in namespace "${namespace}"`;
  const owner = object(ConfigMaps, "owner", { namespace: "other" });
  const bad = object(ConfigMaps, "child", { owners: [ownedBy(ConfigMaps, "owner")] });
  const badNode = object(Nodes, "node", { owners: [ownedBy(ConfigMaps, "owner")] });

  test("into another namespace is reported and examined, the owner first", () => {
    const it = collectorScene();
    it.add(ConfigMaps, owner, bad);
    expect(it.take()).toEqual(["ConfigMap ns/child"]);
    expect(it.events).toEqual([
      { type: "Warning", reason: "OwnerRefInvalidNamespace", message: message("ns"), about: "ConfigMap child" },
    ]);
  });

  test("into another namespace is reported and examined, the dependent first", () => {
    const it = collectorScene();
    it.add(ConfigMaps, bad);
    it.take();
    it.add(ConfigMaps, owner);
    expect(it.take()).toEqual(["ConfigMap ns/child"]);
    expect(it.events.map((event) => event.message)).toEqual([message("ns")]);
  });

  for (const [name, first, second] of [
    ["owner first", owner, badNode],
    ["dependent first", badNode, owner],
  ] as const) {
    test(`from a cluster-scoped object into a namespace is reported, the ${name}`, () => {
      const it = collectorScene();
      for (const one of [first, second]) it.add(one === owner ? ConfigMaps : Nodes, one);
      expect(it.events.map(({ message: text, about }) => [text, about])).toEqual([[message(""), "Node node"]]);
    });
  }

  test("to a cluster-scoped owner is valid from any namespace", () => {
    const it = collectorScene();
    it.add(Nodes, object(Nodes, "owner"));
    it.add(ConfigMaps, object(ConfigMaps, "child", { owners: [ownedBy(Nodes, "owner")] }));
    expect([it.take(), it.events]).toEqual([[], []]);
  });

  test("with another kind is examined, without an Event", () => {
    const it = collectorScene();
    it.add(ConfigMaps, object(ConfigMaps, "owner"));
    it.add(ConfigMaps, object(ConfigMaps, "child", { owners: [ownedBy(Secrets, "owner")] }));
    expect([it.take(), it.events]).toEqual([["ConfigMap ns/child"], []]);
  });
});

describe("the absence of an owner with one identity", () => {
  test("causes the next identity to be tried, and dependents with the first one to be examined", () => {
    const it = collectorScene();
    it.add(ConfigMaps, object(ConfigMaps, "a", { owners: [ownedBy(ConfigMaps, "owner")] }));
    it.add(ConfigMaps, object(ConfigMaps, "b", { owners: [ownedBy(Secrets, "owner")] }));
    it.take();
    const effects = {
      enqueue: (key: string, ms: number) => woken.push(`${key} ${ms}`),
      invalidNamespace: () => undefined,
    };
    const woken: string[] = [];
    const asConfigMap: Identity = {
      apiVersion: "v1",
      kind: "ConfigMap",
      namespace: "ns",
      name: "owner",
      uid: "uid-owner",
    };
    it.graph.markAbsent(asConfigMap, "404", effects);
    expect(woken).toEqual(["ConfigMap ns/a 0", "Secret ns/owner (uid uid-owner) 5"]);
    expect(it.graph.absentOwners.evidence(asConfigMap)).toBe("404");
    expect(it.graph.node("uid-owner")?.of.kind).toBe("Secret");
  });

  const identity = (kind: string, rest: Partial<Identity> = {}): Identity => ({
    apiVersion: "v1",
    kind,
    namespace: "ns",
    name: "owner",
    uid: "uid-owner",
    ...rest,
  });
  const silent = { enqueue: () => undefined, invalidNamespace: () => undefined };

  test("removes a virtual owner that no dependent names otherwise", () => {
    const it = collectorScene();
    it.add(ConfigMaps, object(ConfigMaps, "a", { owners: [ownedBy(ConfigMaps, "owner")] }));
    it.graph.markAbsent(identity("ConfigMap"), "404", silent);
    expect(it.graph.node("uid-owner")).toBeUndefined();
  });

  test("tries nothing else if it is not the identity that is being tried", () => {
    const it = collectorScene();
    it.add(ConfigMaps, object(ConfigMaps, "a", { owners: [ownedBy(ConfigMaps, "owner")] }));
    it.add(ConfigMaps, object(ConfigMaps, "b", { owners: [ownedBy(Secrets, "owner")] }));
    const woken: string[] = [];
    const effects = { enqueue: (key: string) => woken.push(key), invalidNamespace: () => undefined };
    it.graph.markAbsent(identity("Secret"), "404", effects);
    expect(it.graph.node("uid-owner")).toMatchObject({ virtual: true, of: { kind: "ConfigMap" } });
    expect(woken).toEqual(["ConfigMap ns/b"]);
  });

  test("is not remembered if no dependent refers to it", () => {
    const it = collectorScene();
    it.add(Nodes, object(Nodes, "owner"));
    it.graph.markAbsent(identity("ConfigMap"), "404", silent);
    it.graph.markAbsent(identity("ConfigMap", { namespace: "" }), "404", silent);
    expect(it.graph.absentOwners.evidence(identity("ConfigMap"))).toBeUndefined();
    expect(it.graph.node("uid-owner")?.of.kind).toBe("Node");
  });

  test("does not remove an object that a watch has shown", () => {
    const it = collectorScene();
    it.add(
      ConfigMaps,
      object(ConfigMaps, "owner"),
      object(ConfigMaps, "child", { owners: [ownedBy(Secrets, "owner")] }),
    );
    const effects = { enqueue: () => undefined, invalidNamespace: () => undefined };
    const wrong: Identity = { apiVersion: "v1", kind: "Secret", namespace: "ns", name: "owner", uid: "uid-owner" };
    it.graph.markAbsent(wrong, "404", effects);
    expect([it.graph.node("uid-owner")?.of.kind, it.graph.absentOwners.evidence(wrong)]).toEqual(["ConfigMap", "404"]);
  });
});

describe("alternateIdentity (TestGetAlternateOwnerIdentity)", () => {
  const identity = (name: string, rest: Partial<Identity> = {}): Identity => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    namespace: "ns",
    name,
    uid: "u",
    ...rest,
  });
  const dependent = (namespace: string, ...owners: readonly Partial<OwnerReference>[]): GraphNode => {
    const node = newNode({ namespace, name: "child", uid: "child" }, { apiVersion: "v1", kind: "Secret" });
    node.owners = owners.map((owner) => ({ apiVersion: "v1", kind: "ConfigMap", name: "b", uid: "u", ...owner }));
    return node;
  };
  const table: readonly { name: string; by: readonly GraphNode[]; absent: Identity; next: Identity | undefined }[] = [
    {
      name: "another version",
      by: [dependent("ns", { apiVersion: "v2" })],
      absent: identity("b"),
      next: identity("b", { apiVersion: "v2" }),
    },
    {
      name: "another kind",
      by: [dependent("ns", { kind: "Secret" })],
      absent: identity("b"),
      next: identity("b", { kind: "Secret" }),
    },
    {
      name: "another namespace",
      by: [dependent("other", {})],
      absent: identity("b"),
      next: identity("b", { namespace: "other" }),
    },
    { name: "another name", by: [dependent("ns", { name: "c" })], absent: identity("b"), next: identity("c") },
    {
      name: "of a cluster-scoped kind, without a namespace",
      by: [dependent("ns", { name: "c" })],
      absent: identity("b", { namespace: "" }),
      next: identity("c", { namespace: "" }),
    },
    {
      name: "the first again, after the last",
      by: [dependent("ns", { name: "a" }), dependent("ns", { name: "b" })],
      absent: identity("c"),
      next: identity("a"),
    },
    {
      name: "the next in order",
      by: [dependent("ns", { name: "a" }), dependent("ns", { name: "d" }, { name: "c" })],
      absent: identity("b"),
      next: identity("c"),
    },
    {
      name: "nothing, if all refer to the absent one",
      by: [dependent("ns", {}), dependent("ns", {})],
      absent: identity("b"),
      next: undefined,
    },
    {
      name: "nothing, if all refer to the absent one, which has no namespace",
      by: [dependent("ns", {})],
      absent: identity("b", { namespace: "" }),
      next: undefined,
    },
    {
      name: "another kind in the namespace, after one without",
      by: [dependent("ns", { kind: "Secret" })],
      absent: identity("b", { namespace: "" }),
      next: identity("b", { kind: "Secret" }),
    },
    {
      name: "another version in the namespace, after one without",
      by: [dependent("ns", { apiVersion: "v2" })],
      absent: identity("b", { namespace: "" }),
      next: identity("b", { apiVersion: "v2" }),
    },
    {
      name: "nothing, if they refer to others",
      by: [dependent("ns", { uid: "other", name: "c" })],
      absent: identity("b"),
      next: undefined,
    },
  ];
  for (const { name, by, absent, next } of table) {
    test(`tries ${name}`, () => expect(alternateIdentity(by, absent)).toEqual(next));
  }
});

describe("partitionDependents (TestPartitionDependents)", () => {
  const owner: Identity = { apiVersion: "v1", kind: "ConfigMap", namespace: "ns", name: "b", uid: "u" };
  const reference: OwnerReference = { apiVersion: "v1", kind: "ConfigMap", name: "b", uid: "u" };
  const dependent = (namespace: string, ...owners: readonly OwnerReference[]): GraphNode => ({
    ...newNode({ namespace, name: "child", uid: "child" }, { apiVersion: "v1", kind: "Secret" }),
    owners,
  });
  const other = { ...reference, uid: "other" };
  const misnamed = { ...reference, name: "c" };
  const rows: readonly { name: string; one: GraphNode; of?: Identity; is: readonly [boolean, boolean] }[] = [
    { name: "one in its namespace", one: dependent("ns", reference), is: [true, false] },
    { name: "one of another namespace", one: dependent("other", reference), is: [false, true] },
    {
      name: "one in a namespace, of a cluster-scoped owner",
      one: dependent("ns", reference),
      of: { ...owner, namespace: "" },
      is: [true, false],
    },
    { name: "one with another owner too", one: dependent("ns", reference, other), is: [true, false] },
    { name: "one with only another owner", one: dependent("ns", other), is: [false, false] },
    { name: "one with wrong coordinates", one: dependent("ns", misnamed), is: [false, true] },
    { name: "one with right and wrong coordinates", one: dependent("ns", reference, misnamed), is: [true, true] },
  ];
  for (const { name, one, of = owner, is } of rows) {
    test(`${name}: matching ${is[0]}, nonmatching ${is[1]}`, () => {
      const { matching, nonmatching } = partitionDependents([one], of);
      expect([matching.includes(one), nonmatching.includes(one)]).toEqual([...is]);
    });
  }

  test("equal coordinates are those of one uid", () => {
    expect([sameCoordinates(reference, owner), sameCoordinates(other, owner)]).toEqual([true, false]);
  });
});

test("a dependent blocks the owner whose reference says so, and no other one", () => {
  const owner = newNode({ namespace: "ns", name: "b", uid: "u" }, { apiVersion: "v1", kind: "ConfigMap" });
  const dependent = (...owners: readonly OwnerReference[]): GraphNode => ({ ...newNode(owner, owner.of), owners });
  const [its, another] = [ownedBy(ConfigMaps, "b", { uid: "u" }), ownedBy(ConfigMaps, "c")];
  const held = dependent({ ...its, blockOwnerDeletion: true }, another);
  owner.dependents = new Set([held, dependent(its, { ...another, blockOwnerDeletion: true })]);
  expect(blockingDependents(owner)).toEqual([held]);
});

test("a node's key has its group, if there is one", () => {
  const node = (apiVersion: string): GraphNode =>
    newNode({ namespace: "ns", name: "a", uid: "u" }, { apiVersion, kind: "Thing" });
  expect(keyOfNode(node("v1"), "delete")).toBe("Thing ns/a");
  expect(keyOfNode(node("apps/v1"), "orphan")).toBe("orphan Thing.apps ns/a");
});

test.each(["", "nonsense", "?Pod ns/a"])("the text %j is no key of a node", (text) =>
  expect(objectOfKey(text)).toBeUndefined(),
);

describe("referenceChanges", () => {
  const [a, b] = [ownedBy(ConfigMaps, "a"), ownedBy(ConfigMaps, "b")];
  for (const { name, before, after, changes } of [
    { name: "nothing", before: [a, b], after: [{ ...a }, { ...b }], changes: { added: [], removed: [], changed: [] } },
    { name: "added and removed", before: [a], after: [b], changes: { added: [b], removed: [a], changed: [] } },
    {
      name: "changed in place",
      before: [a],
      after: [{ ...a, blockOwnerDeletion: true }],
      changes: { added: [], removed: [], changed: [{ before: a, after: { ...a, blockOwnerDeletion: true } }] },
    },
    {
      name: "the same uid twice",
      before: [a],
      after: [a, { ...a }],
      changes: { added: [a], removed: [], changed: [] },
    },
    {
      name: "another uid of the same name",
      before: [a],
      after: [{ ...a, uid: "new" }],
      changes: { added: [{ ...a, uid: "new" }], removed: [a], changed: [] },
    },
  ]) {
    test(name, () => expect(referenceChanges(before, after)).toEqual(changes));
  }

  test.each([
    { name: "c" },
    { kind: "Secret" },
    { apiVersion: "v2" },
    { controller: true },
    { blockOwnerDeletion: true },
  ])("of one field: %j", (change) => {
    const after = { ...a, ...change };
    expect(referenceChanges([a], [after])).toEqual({ added: [], removed: [], changed: [{ before: a, after }] });
  });
});

for (const { key, means } of [
  { key: "Pod ns/a", means: { kind: "Pod", key: "ns/a" } },
  { key: "orphan ReplicaSet.apps ns/a", means: { kind: "ReplicaSet", key: "ns/a" } },
  { key: "ClusterRole.rbac.authorization.k8s.io a b", means: { kind: "ClusterRole", key: "a b" } },
  { key: "Node a (uid 1-2)", means: { kind: "Node", key: "a" } },
]) {
  test(`the key ${key} means ${means.kind} ${means.key}`, () => expect(objectOfKey(key)).toEqual(means));
}

test("in any sequence of events, owners and dependents agree (TestProcessEvent)", () => {
  const ids = ["a", "b", "c", "d", "e"];
  const step = fc.record({
    what: fc.constantFrom("show", "show", "delete"),
    id: fc.constantFrom(...ids),
    owners: fc.uniqueArray(fc.constantFrom(...ids), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const graph = new DependencyGraph();
      const effects = { enqueue: () => undefined, invalidNamespace: () => undefined };
      const of = { apiVersion: "v1", kind: "ConfigMap" };
      const shown = new Map<string, ReturnType<typeof object>>();
      // A UID is never reused.
      const gone = new Set<string>();
      for (const { what, id, owners } of steps) {
        const before = shown.get(id);
        if (what === "delete") {
          if (before === undefined) continue;
          graph.observeDeletion(of, before, effects);
          shown.delete(id);
          gone.add(id);
          continue;
        }
        if (gone.has(id)) continue;
        const now = object(ConfigMaps, id, {
          uid: id,
          owners: owners.map((name) => ownedBy(ConfigMaps, name, { uid: name })),
        });
        graph.observe(of, now, before, effects);
        shown.set(id, now);
      }
      for (const [id, { metadata }] of shown) {
        const node = graph.node(id) as GraphNode;
        expect(node.virtual).toBe(false);
        const uids = (owners: readonly OwnerReference[] = []): string[] => owners.map(({ uid }) => uid).sort();
        expect(uids(node.owners)).toEqual(uids(metadata.ownerReferences));
      }
      for (const id of ids) {
        const node = graph.node(id);
        if (node === undefined) {
          expect(shown.has(id)).toBe(false);
          continue;
        }
        expect(node.virtual).toBe(!shown.has(id));
        for (const { uid } of node.owners) {
          if (!gone.has(uid)) expect(graph.node(uid)?.dependents?.has(node)).toBe(true);
        }
        for (const dependent of node.dependents ?? []) {
          expect(graph.node(dependent.uid)).toBe(dependent);
          expect(dependent.owners.some(({ uid }) => uid === id)).toBe(true);
        }
      }
    }),
    { seed: 51, numRuns: 400 },
  );
});
