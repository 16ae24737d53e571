import { beforeEach, describe, expect, test } from "bun:test";
import { Deployments, ReplicaSets } from "../../../src/api/kind.ts";
import type { ReplicaSet } from "../../../src/api/types.ts";
import { deployment } from "../../../src/controllers/deployment/deployment.ts";
import { sharesOf } from "../../../src/controllers/deployment/scaling.ts";
import { maxSurge } from "../../../src/controllers/deployment/strategy.ts";
import { type Scene, refusal, syncScene } from "../../support/sync-context.ts";
import { rejection } from "../../support/rejection.ts";
import { available, completeStatus, condition, deploymentOf, type DeploymentParts, setOf } from "./objects.ts";

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

const sizesOf = (): Record<string, number | undefined> =>
  Object.fromEntries(scene.live(ReplicaSets).map(({ metadata, spec }) => [metadata.name, spec?.replicas]));

/** ReplicaSets from the newest to the oldest; the first is the new one unless told otherwise. */
function setsOf(
  all: readonly number[],
  told: { readonly desired: number; readonly most: number },
  hasNew = true,
): ReplicaSet[] {
  return all.map((size, n) =>
    setOf(`v${all.length - n}`, {
      image: n === 0 && hasNew ? "web:2" : `web:old-${n}`,
      size,
      hoursOld: n + 1,
      ...told,
    }),
  );
}

describe("a Deployment that is scaled amid a rollout shares its pods out in proportion", () => {
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
      name: "what is left over goes to the newest of those that grow",
      from: 3,
      to: 4,
      sets: [1, 1, 1],
      become: [2, 1, 1],
    },
    {
      name: "what is left over is taken from the oldest of those that shrink",
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
    { name: "all vanish", from: 6, to: 0, sets: [3, 2, 1], become: [0, 0, 0] },
    { name: "the surge is shared out too", from: 10, to: 20, strategy: [2, 0], sets: [6, 6], become: [11, 11] },
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

  test("a refusal ends the sync, and what was shared out before it stays", async () => {
    scene.put(Deployments, deploymentOf({ replicas: 9, strategy: [0, 1] }));
    scene.put(ReplicaSets, ...setsOf([1, 1, 1], { desired: 3, most: 3 }));
    scene.refuse = ({ name }) => (name === "v2" ? refusal(409, "Conflict", "changed") : undefined);
    await rejection(scene.sync("shop/web"));
    expect(sizesOf()).toEqual({ v3: 3, v2: 1, v1: 1 });
  });

  test("a new ReplicaSet that has all pods but none available leaves the old one its pods", async () => {
    scene.put(Deployments, deploymentOf({ replicas: 2, strategy: [1, 1], ...paused }));
    scene.put(
      ReplicaSets,
      setOf("new", { image: "web:2", size: 2, available: 0, desired: 2, most: 3 }),
      setOf("old", { size: 1, desired: 2, most: 3, hoursOld: 2 }),
    );
    await scene.sync("shop/web");
    expect(sizesOf()).toEqual({ new: 2, old: 1 });
  });

  test("a new ReplicaSet that has all pods available empties the old ones, newest first", async () => {
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

  test("with Recreate several active ReplicaSets are left as they are", async () => {
    scene.put(Deployments, deploymentOf({ replicas: 9, strategy: "Recreate" }));
    scene.put(ReplicaSets, ...setsOf([2, 2], { desired: 4, most: 4 }));
    await scene.sync("shop/web");
    expect(sizesOf()).toEqual({ v2: 2, v1: 2 });
  });
});

describe("the share of one of 10 beside one of 30, when 40 become 80", () => {
  const rows = [
    { name: "keeps its part of what the Deployment had at most", most: 40, has: 0, size: 20 },
    { name: "without its annotation keeps its part of the pods there are", most: null, has: 40, size: 20 },
    { name: "with an annotation of 0 as well", most: 0, has: 40, size: 20 },
    { name: "without either is none", most: null, has: 0, size: 10 },
    { name: "is never more than is left", most: 1, has: 0, size: 20 },
  ];
  for (const { name, most, has, size } of rows) {
    test(name, () => {
      const owner = deploymentOf({ replicas: 80, strategy: [0, 1], status: { replicas: has } });
      const sets = [setOf("other", { size: 30, most: 40 }), setOf("this", { image: "web:2", size: 10, most })];
      const shares = sharesOf(owner, sets);
      expect(shares.map((share) => share.replicaSet.metadata.name)).toEqual(["other", "this"]);
      expect(shares[1]?.size).toBe(size);
      expect(shares.reduce((sum, share) => sum + share.size, 0)).toBe(80);
    });
  }
});

test("an annotation that is no number is no scaling", async () => {
  scene.put(Deployments, deploymentOf({ status: completeStatus(3) }));
  const odd = { "deployment.kubernetes.io/desired-replicas": "-1" };
  scene.put(ReplicaSets, setOf("new", { image: "web:2", annotations: odd }));
  await scene.sync("shop/web");
  expect(scene.calls.filter(({ verb }) => verb === "update")).toEqual([]);
});
