import { describe, expect, test } from "bun:test";
import {
  filterActive,
  findActiveOrLatest,
  byRevision,
  bySizeNewer,
  bySizeOlder,
  totalInStatus,
  partition,
  totalSize,
  terminating,
} from "../../../src/controllers/deployment/replica-sets.ts";
import type { ReplicaSet } from "../../../src/api/types.ts";
import { deploymentOf, setOf } from "./objects.ts";

const names = (sets: readonly ReplicaSet[]): string[] => sets.map(({ metadata }) => metadata.name);

describe("of a Deployment's ReplicaSets", () => {
  const old = setOf("old", { hoursOld: 3 });
  const older = setOf("older", { hoursOld: 4, size: 0 });
  const wanted = setOf("wanted", { image: "web:2", hoursOld: 2 });

  test("the one with its template is new, all others are old, oldest first", () => {
    const { newReplicaSet, old: others } = partition(deploymentOf(), [wanted, old, older]);
    expect(newReplicaSet?.metadata.name).toBe("wanted");
    expect(names(others)).toEqual(["older", "old"]);
  });

  test("none is new if none has its template", () => {
    expect(partition(deploymentOf(), [old, older])).toEqual({ newReplicaSet: undefined, old: [older, old] });
  });

  test("the oldest of several with its template is new, and the others count as old", () => {
    const later = setOf("later", { image: "web:2", hoursOld: 1 });
    const { newReplicaSet, old: others } = partition(deploymentOf(), [later, wanted]);
    expect([newReplicaSet?.metadata.name, ...names(others)]).toEqual(["wanted", "later"]);
  });

  test("names decide between equal ages", () => {
    const [a, b] = [setOf("a", { image: "web:2" }), setOf("b", { image: "web:2" })];
    expect(partition(deploymentOf(), [b, a]).newReplicaSet).toBe(a);
  });
});

describe("the ReplicaSet that is scaled with its Deployment", () => {
  const none = setOf("none", { size: 0, hoursOld: 5 });
  const some = setOf("some", { size: 2, hoursOld: 4 });
  const wanted = setOf("wanted", { image: "web:2", size: 0 });
  const rows = [
    { name: "is the only active one", newReplicaSet: wanted, old: [none, some], is: some },
    { name: "is the new one if none is active", newReplicaSet: wanted, old: [none], is: wanted },
    {
      name: "is the newest of the old ones if there is no new one",
      newReplicaSet: undefined,
      old: [none, { ...none, metadata: { ...none.metadata, name: "zero" } }],
      is: "zero",
    },
    {
      name: "is none of several active ones",
      newReplicaSet: { ...wanted, spec: { ...wanted.spec, replicas: 1 } } as ReplicaSet,
      old: [some],
      is: undefined,
    },
    { name: "does not exist without ReplicaSets", newReplicaSet: undefined, old: [], is: undefined },
  ];
  for (const { name, newReplicaSet, old, is } of rows) {
    test(name, () => {
      const found = findActiveOrLatest({ newReplicaSet, old });
      expect(found?.metadata.name).toBe(typeof is === "string" ? is : is?.metadata.name);
    });
  }
});

describe("sums over ReplicaSets", () => {
  const sets = [setOf("a", { size: 2, has: 1, available: 0 }), setOf("b", { size: 0, has: 3 })];
  test("distinguish desired from existing pods", () => {
    expect(totalSize(sets)).toBe(2);
    expect(totalInStatus(sets, "replicas")).toBe(4);
    expect(totalInStatus(sets, "availableReplicas")).toBe(3);
    expect(names(filterActive(sets))).toEqual(["a"]);
    expect([totalSize([]), totalInStatus([], "replicas")]).toEqual([0, 0]);
  });

  const withStatus = (status: object): ReplicaSet => ({ ...setOf("x"), status: { replicas: 0, ...status } });
  const rows = [
    {
      name: "adds them up",
      sets: [
        withStatus({ observedGeneration: 1, terminatingReplicas: 2 }),
        withStatus({ observedGeneration: 1, terminatingReplicas: 0 }),
      ],
      sum: 2,
    },
    {
      name: "skips one that was never synced",
      sets: [withStatus({}), withStatus({ observedGeneration: 1, terminatingReplicas: 1 })],
      sum: 1,
    },
    {
      name: "is unknown while a synced one does not report it",
      sets: [withStatus({ observedGeneration: 1 })],
      sum: undefined,
    },
    { name: "is 0 without ReplicaSets", sets: [], sum: 0 },
  ];
  for (const { name, sets: some, sum } of rows) {
    test(`of terminating pods ${name}`, () => expect(terminating(some)).toBe(sum as number));
  }
});

test("orders: by size with the older or the newer first, by revision if revisions differ", () => {
  const [a, b, c] = [
    setOf("a", { size: 2, hoursOld: 3, revision: "10" }),
    setOf("b", { size: 2, hoursOld: 2, revision: "9" }),
    setOf("c", { size: 5, hoursOld: 1, revision: "what" }),
  ];
  expect(names([a, b, c].sort(bySizeOlder))).toEqual(["c", "a", "b"]);
  expect(names([a, b, c].sort(bySizeNewer))).toEqual(["c", "b", "a"]);
  expect(names([a, b].sort(byRevision))).toEqual(["b", "a"]);
  expect(names([c, a].sort(byRevision))).toEqual(["a", "c"]);
});
