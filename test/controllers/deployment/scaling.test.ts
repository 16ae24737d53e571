import { beforeEach, describe, expect, test } from "bun:test";
import { Deployments, ReplicaSets } from "../../../src/api/kinds.ts";
import type { ReplicaSet } from "../../../src/api/types.ts";
import { deployment } from "../../../src/controllers/deployment/deployment.ts";
import { isScalingEvent, proportions } from "../../../src/controllers/deployment/scaling.ts";
import { maxSurge } from "../../../src/controllers/deployment/strategy.ts";
import { type Scene, refusal, syncScene } from "../../support/sync-context.ts";
import { rejection } from "../../support/rejection.ts";
import {
  available,
  completeStatus,
  condition,
  deploymentOf,
  type DeploymentParts,
  setOf,
  type SetParts,
} from "./objects.ts";

type Bounds = NonNullable<DeploymentParts["strategy"]>;

const noSurge: Bounds = [0, 1];

let scene: Scene;
beforeEach(() => {
  scene = syncScene(deployment);
});

const paused: DeploymentParts = {
  spec: { paused: true },
  status: { conditions: [available, condition("Progressing", "Unknown", "DeploymentPaused")] },
};

const rules = (): string[] => scene.decisions.map(({ rule }) => rule);

const sizesOf = (): Record<string, number | undefined> =>
  Object.fromEntries(scene.live(ReplicaSets).map(({ metadata, spec }) => [metadata.name, spec?.replicas]));

/** ReplicaSets from newest to oldest; the first one has the new template unless `hasNew` is false. */
function setsOf(
  all: readonly number[],
  annotated: { readonly desired: number; readonly most: number },
  hasNew = true,
): ReplicaSet[] {
  return all.map((size, n) =>
    setOf(`v${all.length - n}`, {
      image: n === 0 && hasNew ? "web:2" : `web:old-${n}`,
      size,
      hoursOld: n + 1,
      ...annotated,
    }),
  );
}

describe("a Deployment that is scaled during a rollout distributes its pods proportionally", () => {
  const rows: readonly {
    name: string;
    from: number;
    to: number;
    strategy?: Bounds;
    was?: Bounds;
    sets: readonly number[];
    become: readonly number[];
    hasNew?: boolean;
  }[] = [
    { name: "one alone grows", from: 10, to: 12, sets: [10], become: [12] },
    { name: "one alone shrinks", from: 10, to: 5, sets: [10], become: [5] },
    { name: "two grow", from: 5, to: 10, sets: [2, 3], become: [4, 6] },
    { name: "two shrink", from: 5, to: 3, sets: [2, 3], become: [1, 2] },
    { name: "a small one vanishes", from: 9, to: 4, sets: [8, 1], become: [4, 0] },
    { name: "three grow", from: 7, to: 10, sets: [2, 3, 2], become: [3, 4, 3] },
    { name: "three shrink", from: 13, to: 8, sets: [2, 8, 3], become: [1, 5, 2] },
    {
      name: "the remainder goes to the newest of those that grow",
      from: 3,
      to: 4,
      sets: [1, 1, 1],
      become: [2, 1, 1],
    },
    {
      name: "the remainder is taken from the oldest of those that shrink",
      from: 3,
      to: 2,
      sets: [1, 1, 1],
      become: [1, 1, 0],
    },
    {
      name: "without a new one the newest old one grows first",
      from: 4,
      to: 5,
      sets: [2, 2],
      become: [3, 2],
      hasNew: false,
    },
    { name: "all shrink to 0", from: 6, to: 0, sets: [3, 2, 1], become: [0, 0, 0] },
    { name: "all shrink to 0 with a surge, too", from: 6, to: 0, strategy: [2, 0], sets: [3, 2, 1], become: [0, 0, 0] },
    { name: "no change", from: 8, to: 10, strategy: [2, 0], sets: [6, 6], become: [6, 6] },
    { name: "the surge is distributed, too", from: 10, to: 20, strategy: [2, 0], sets: [6, 6], become: [11, 11] },
    {
      name: "another surge and another size at once",
      from: 10,
      to: 50,
      was: [3, 0],
      strategy: [6, 0],
      sets: [5, 8],
      become: [22, 34],
    },
    { name: "another template at the same time", from: 10, to: 14, sets: [7, 3], become: [10, 4], hasNew: false },
  ];
  for (const { name, from, to, sets, become, hasNew = true, strategy = noSurge, was = strategy } of rows) {
    test(name, async () => {
      const most = from + maxSurge(deploymentOf({ replicas: from, strategy: was }));
      scene.put(Deployments, deploymentOf({ replicas: to, strategy }));
      scene.put(ReplicaSets, ...setsOf(sets, { desired: from, most }, hasNew));
      await scene.sync("shop/web");
      expect(sizesOf()).toEqual(Object.fromEntries(become.map((size, n) => [`v${become.length - n}`, size])));
      for (const { metadata, spec } of scene.live(ReplicaSets)) {
        if (spec?.replicas === 0) continue;
        expect(metadata.annotations?.["deployment.kubernetes.io/desired-replicas"]).toBe(String(to));
      }
    });
  }

  test("a refusal ends the sync, and earlier writes stay", async () => {
    scene.put(Deployments, deploymentOf({ replicas: 9, strategy: [0, 1] }));
    scene.put(ReplicaSets, ...setsOf([1, 1, 1], { desired: 3, most: 3 }));
    scene.refuse = ({ name }) => (name === "v2" ? refusal(409, "Conflict", "changed") : undefined);
    await rejection(scene.sync("shop/web"));
    expect(sizesOf()).toEqual({ v3: 3, v2: 1, v1: 1 });
  });

  test("a new ReplicaSet with all pods but none available leaves the old one its pods", async () => {
    scene.put(Deployments, deploymentOf({ replicas: 2, strategy: [1, 1], ...paused }));
    scene.put(
      ReplicaSets,
      setOf("new", { image: "web:2", size: 2, available: 0, desired: 2, most: 3 }),
      setOf("old", { size: 1, desired: 2, most: 3, hoursOld: 2 }),
    );
    await scene.sync("shop/web");
    expect(sizesOf()).toEqual({ new: 2, old: 1 });
  });

  test("a new ReplicaSet with all pods available empties the old ones, newest first", async () => {
    scene.put(Deployments, deploymentOf({ replicas: 2, ...paused }));
    scene.put(
      ReplicaSets,
      setOf("new", { image: "web:2", size: 2, desired: 2, most: 3 }),
      setOf("older", { size: 1, hoursOld: 3, desired: 2, most: 3 }),
      setOf("old", { size: 1, hoursOld: 2, desired: 2, most: 3 }),
    );
    await scene.sync("shop/web");
    const updates = scene.calls.filter(({ verb }) => verb === "update");
    expect(updates.map(({ name, because }) => `${because?.rule} ${name}`)).toEqual([
      "saturated old",
      "saturated older",
    ]);
    expect(sizesOf()).toEqual({ new: 2, older: 0, old: 0 });
  });

  // Source: kubernetes v1.36 pkg/controller/deployment/util/deployment_util.go IsSaturated.
  describe("a new ReplicaSet does not have all pods", () => {
    const rows: readonly { name: string; parts: SetParts }[] = [
      { name: "if its annotation has another size", parts: { desired: 1 } },
      { name: "if its annotation has no size", parts: { desired: null } },
      { name: "without annotations", parts: { meta: { annotations: undefined } } },
      { name: "where it is larger", parts: { size: 3, available: 2 } },
      { name: "without a status", parts: { status: { availableReplicas: undefined } } },
    ];
    for (const { name, parts } of rows) {
      test(name, async () => {
        scene.put(Deployments, deploymentOf({ replicas: 2, ...paused }));
        scene.put(
          ReplicaSets,
          setOf("new", { image: "web:2", size: 2, desired: 2, most: 3, ...parts }),
          setOf("old", { size: 1, hoursOld: 2, desired: 2, most: 3 }),
        );
        await scene.sync("shop/web");
        expect(rules()).not.toContain("saturated");
        expect(rules()).toContain("proportional");
      });
    }

    test("if its pods were not counted", async () => {
      scene.put(Deployments, deploymentOf({ replicas: 2, ...paused }));
      const { status: _, ...uncounted } = setOf("new", { image: "web:2", size: 2, desired: 2, most: 3 });
      scene.put(ReplicaSets, uncounted, setOf("old", { size: 1, hoursOld: 2, desired: 2, most: 3 }));
      await scene.sync("shop/web");
      expect(rules()).not.toContain("saturated");
    });
  });

  test("without any ReplicaSet it has nothing to scale", async () => {
    scene.put(Deployments, deploymentOf({ replicas: 2, ...paused }));
    await scene.sync("shop/web");
    expect(rules().filter((rule) => rule !== "status")).toEqual([]);
  });

  describe("says", () => {
    const rows: readonly {
      name: string;
      replicas: number;
      sets: readonly ReplicaSet[];
      sentence: string | undefined;
    }[] = [
      {
        name: "that one is the only one with pods",
        replicas: 5,
        sets: [setOf("new", { image: "web:2" }), setOf("old", { size: 0, hoursOld: 2 })],
        sentence: "new is the only active ReplicaSet → 3 → 5",
      },
      {
        name: "that one is the newest if none has pods",
        replicas: 5,
        sets: [setOf("new", { image: "web:2", size: 0 }), setOf("old", { size: 0, hoursOld: 2 })],
        sentence: "new is the newest ReplicaSet → 0 → 5",
      },
      {
        name: "nothing if the only one has its size",
        replicas: 3,
        sets: [setOf("new", { image: "web:2", desired: 2 })],
        sentence: undefined,
      },
      {
        name: "that old ones are emptied",
        replicas: 2,
        sets: [setOf("new", { image: "web:2", size: 2, desired: 2 }), setOf("old", { size: 1, hoursOld: 2 })],
        sentence: "the new ReplicaSet has all pods available → old old 1 → 0",
      },
      {
        name: "the share of each",
        replicas: 8,
        sets: [setOf("new", { image: "web:2", size: 2, most: 4 }), setOf("old", { size: 2, hoursOld: 2, most: 4 })],
        sentence: "8 pods are desired and 2 more allowed, 2 ReplicaSets share them → new 2 → 5, old 2 → 5",
      },
    ];
    for (const { name, replicas, sets, sentence } of rows) {
      test(name, async () => {
        scene.put(Deployments, deploymentOf({ replicas, ...paused }));
        scene.put(ReplicaSets, ...sets);
        await scene.sync("shop/web");
        const decisions = scene.decisions.filter(({ rule }) =>
          ["scale-active", "stale-size", "saturated", "proportional"].includes(rule),
        );
        expect(decisions.map((decision) => decision.sentence)).toEqual(sentence === undefined ? [] : [sentence]);
      });
    }
  });

  // Upstream as well, see kubernetes/kubernetes#138036; test/differential/scripts/deployment/scaling.ts compares.
  test("with the right size and an annotation of another there is no rollout, and it says why", async () => {
    const old = setOf("old", { size: 4, desired: 5, most: 7, hoursOld: 2 });
    scene.put(Deployments, deploymentOf({ replicas: 4 }));
    scene.put(ReplicaSets, setOf("new", { image: "web:2", size: 0, desired: 5, most: 7 }), old);
    await scene.sync("shop/web");
    expect(sizesOf()).toEqual({ new: 0, old: 4 });
    expect(scene.decisions.filter(({ rule }) => rule === "stale-size").map(({ sentence }) => sentence)).toEqual([
      "old has all 4 pods, but its annotation desired-replicas says 5 → taken for a change of size, no rollout until spec.replicas changes",
    ]);
  });

  test("with Recreate several active ReplicaSets are left alone", async () => {
    scene.put(Deployments, deploymentOf({ replicas: 9, strategy: "Recreate" }));
    scene.put(ReplicaSets, ...setsOf([2, 2], { desired: 4, most: 4 }));
    await scene.sync("shop/web");
    expect(sizesOf()).toEqual({ v2: 2, v1: 2 });
  });
});

// Source: kubernetes v1.36 pkg/controller/deployment/sync.go isScalingEvent.
describe("a Deployment of 3 is being scaled", () => {
  const rows: readonly { name: string; newReplicaSet?: ReplicaSet; old: readonly ReplicaSet[]; is: boolean }[] = [
    { name: "if an active ReplicaSet has 2 in its annotation", old: [setOf("old", { desired: 2 })], is: true },
    {
      name: "if the new one has 2 in its annotation",
      newReplicaSet: setOf("new", { desired: 2 }),
      old: [setOf("old")],
      is: true,
    },
    { name: "not if all have 3", newReplicaSet: setOf("new"), old: [setOf("old")], is: false },
    { name: "not if one without pods has 2", old: [setOf("old", { size: 0, desired: 2 })], is: false },
    { name: "not if one has no annotation", old: [setOf("old", { desired: null })], is: false },
  ];
  for (const { name, newReplicaSet, old, is } of rows)
    test(name, () => expect(isScalingEvent(deploymentOf({ replicas: 3 }), { newReplicaSet, old })).toBe(is));
});

describe("the share of one of 10 beside one of 30, when 40 become 80", () => {
  const rows = [
    { name: "is its part of the Deployment's maximum", most: 40, has: 0, size: 20 },
    { name: "is its part of the existing pods without its annotation", most: null, has: 40, size: 20 },
    { name: "with an annotation of 0 as well", most: 0, has: 40, size: 20 },
    { name: "is 0 without either", most: null, has: 0, size: 10 },
    { name: "is never more than is left", most: 1, has: 0, size: 20 },
  ];
  for (const { name, most, has, size } of rows) {
    test(name, () => {
      const owner = deploymentOf({ replicas: 80, strategy: [0, 1], status: { replicas: has } });
      const sets = [setOf("other", { size: 30, most: 40 }), setOf("this", { image: "web:2", size: 10, most })];
      const shares = proportions(owner, sets);
      expect(shares.map((share) => share.replicaSet.metadata.name)).toEqual(["other", "this"]);
      expect(shares[1]?.size).toBe(size);
      expect(shares.reduce((sum, share) => sum + share.size, 0)).toBe(80);
    });
  }
});

test("with nothing to distribute the ReplicaSets are written in the given order", () => {
  const sets = [setOf("small", { size: 1, most: 4 }), setOf("large", { size: 3, most: 4 })];
  const shares = proportions(deploymentOf({ replicas: 4, strategy: [0, 1] }), sets);
  expect(shares.map(({ replicaSet, size }) => [replicaSet.metadata.name, size])).toEqual([
    ["small", 1],
    ["large", 3],
  ]);
});

describe("invalid annotations", () => {
  const sharesIn = (replicas: number, ...sets: readonly ReplicaSet[]): Record<string, number> =>
    Object.fromEntries(
      proportions(deploymentOf({ replicas, strategy: [0, 1] }), sets).map(({ replicaSet, size }) => [
        replicaSet.metadata.name,
        size,
      ]),
    );

  test("take from no ReplicaSet more than is left to take", () => {
    // From 40 to 36: the one of 30 loses its share of 3, then the other would lose all its pods, but only 1 is left to remove.
    const [other, odd] = [setOf("other", { size: 30, most: 40 }), setOf("odd", { size: 10, most: 1_000_000 })];
    expect(sharesIn(36, other, odd)).toEqual({ other: 27, odd: 9 });
  });

  test("do not move pods once all were distributed", () => {
    // From 40 to 42: the one of 30 gets both, and the other, whose share would be fewer pods than it has, keeps its 10.
    const [other, odd] = [setOf("other", { size: 30, most: 10 }), setOf("odd", { size: 10, most: 1_000_000 })];
    expect(sharesIn(42, other, odd)).toEqual({ other: 32, odd: 10 });
  });

  test("without an annotation and a status a share is unknown: the largest gets all", () => {
    const { status: _, ...owner } = deploymentOf({ replicas: 42, strategy: [0, 1] });
    const sets = [setOf("other", { size: 30, most: null }), setOf("odd", { size: 10, most: null })];
    expect(proportions(owner, sets).map(({ size }) => size)).toEqual([32, 10]);
  });
});

test("an annotation that is not a number is not a scaling", async () => {
  scene.put(Deployments, deploymentOf({ status: completeStatus(3) }));
  const odd = { "deployment.kubernetes.io/desired-replicas": "-1" };
  scene.put(ReplicaSets, setOf("new", { image: "web:2", annotations: odd }));
  await scene.sync("shop/web");
  expect(scene.calls.filter(({ verb }) => verb === "update")).toEqual([]);
});
