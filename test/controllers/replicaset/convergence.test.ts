/** Long runs: syncs between deliveries, other writers and faults, until there is nothing left to do. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { keyOf } from "../../../src/api/key.ts";
import { Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import { controllerOf } from "../../../src/api/owner-references.ts";
import { TransportError } from "../../../src/api/transport.ts";
import type { Pod, ReplicaSet } from "../../../src/api/types.ts";
import { CacheBehindError } from "../../../src/controller/api/consistency.ts";
import { expectationsTimeoutMs } from "../../../src/controller/api/expectations.ts";
import { isPodActive } from "../../../src/controller/workload/pod-status.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { refusal, type Scene, syncScene } from "../../support/sync-context.ts";
import { podOf, replicaSetOf, webLabels } from "../../support/workloads.ts";

const key = "shop/web";

const ours = (scene: Scene): Pod[] =>
  scene
    .live(Pods)
    .filter(
      (pod) => isPodActive(pod) && controllerOf(pod)?.uid === "uid-web" && pod.metadata.labels?.["app"] === "web",
    );

function scaleTo(scene: Scene, replicas: number): void {
  const [object] = scene.live(ReplicaSets);
  if (object === undefined) throw new Error("the ReplicaSet is gone");
  const generation = (object.metadata.generation ?? 0) + 1;
  scene.writeLive(ReplicaSets, {
    ...object,
    metadata: { ...object.metadata, generation },
    spec: { ...object.spec, replicas },
  } as ReplicaSet);
}

/** Syncs and delivers until a sync writes nothing and all writes are delivered; at most 60 rounds. */
async function settle(scene: Scene): Promise<void> {
  for (let round = 0; round < 60; round++) {
    scene.deliver();
    try {
      await scene.sync(key);
    } catch (error) {
      if (!(error instanceof CacheBehindError)) throw error;
    }
    if (scene.undelivered === 0 && scene.calls.length === 0 && !scene.decisions.some(({ rule }) => rule === "wait"))
      return;
    // Lost responses leave expectations that only expire.
    if (scene.undelivered === 0) scene.now += expectationsTimeoutMs + 1;
  }
  throw new Error("it did not settle in 60 rounds");
}

describe("bursts", () => {
  for (const replicas of [1200, 500, 2]) {
    test(`0 → ${replicas} → 0 goes in steps of 500, each after the last one was fully observed`, async () => {
      const scene = syncScene(replicaset);
      scene.put(ReplicaSets, replicaSetOf({ replicas }));
      const steps = Math.ceil(replicas / 500);
      for (const [verb, desired] of [
        ["create", replicas],
        ["delete", 0],
      ] as const) {
        if (desired === 0) scaleTo(scene, 0);
        scene.deliver();
        for (let step = 0; step < steps; step++) {
          await scene.sync(key);
          const writes = scene.calls.filter((call) => call.verb === verb).length;
          expect(writes).toBe(Math.min(500, replicas - step * 500));
          // All pods but one and the status have been observed: the key still waits.
          scene.deliver(writes - 1);
          await scene.sync(key).catch((error: unknown) => expect(error).toBeInstanceOf(CacheBehindError));
          expect(scene.calls.filter((call) => call.verb === verb)).toEqual([]);
          expect(scene.expectations.satisfied(key)).toBeFalse();
          scene.deliver();
          expect(scene.expectations.satisfied(key)).toBeTrue();
        }
        expect(ours(scene)).toHaveLength(desired);
      }
    });
  }
});

describe("an object that was deleted and re-created", () => {
  test("starts fresh, though the previous one was still waiting", async () => {
    const scene = syncScene(replicaset);
    scene.put(ReplicaSets, replicaSetOf({ replicas: 1 }));
    await scene.sync(key);
    expect(scene.expectations.satisfied(key)).toBeFalse();
    const [before] = scene.cached(ReplicaSets);
    const again = replicaSetOf({ replicas: 1, meta: { uid: "uid-2", resourceVersion: "5000" } });
    scene.put(ReplicaSets, again);
    scene.notify(ReplicaSets, { type: "updated", before: before as ReplicaSet, object: again });
    expect(scene.woken).toContain(key);
    await scene.sync(key);
    expect(scene.calls.map(({ verb }) => verb)).toEqual(["create", "updateStatus"]);
  });
});

type Step =
  | { readonly do: "sync" }
  | { readonly do: "deliver"; readonly most: number }
  | { readonly do: "scale"; readonly replicas: number }
  | { readonly do: "delete" | "relabel" | "end" | "orphan"; readonly which: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ do: "sync" } as const) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("deliver" as const), most: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("scale" as const), replicas: fc.integer({ min: 0, max: 12 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("delete", "relabel", "end", "orphan"), which: fc.nat(11) }),
  },
);

let orphans = 0;

function apply(scene: Scene, action: Exclude<Step, { do: "sync" }>): void {
  if (action.do === "deliver") return scene.deliver(action.most);
  if (action.do === "scale") return scaleTo(scene, action.replicas);
  if (action.do === "orphan") return scene.writeLive(Pods, podOf(`orphan-${++orphans}`, { owner: "none" }));
  const pods = scene.live(Pods);
  const pod = pods[action.which % Math.max(1, pods.length)];
  if (pod === undefined) return;
  if (action.do === "delete") scene.deleteLive(Pods, keyOf(pod));
  else if (action.do === "end") scene.writeLive(Pods, { ...pod, status: { ...pod.status, phase: "Failed" } });
  else scene.writeLive(Pods, { ...pod, metadata: { ...pod.metadata, labels: { app: "released" } } });
}

describe("in any sequence of events", () => {
  const faults = fc.record({
    seed: fc.nat(1000),
    refused: fc.constantFrom(0, 0.1, 0.4),
    lost: fc.constantFrom(0, 0.1, 0.3),
  });

  test("there are in the end exactly the desired pods, all claimed, and the status says so", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.nat(10),
        faults,
        async (steps, replicas, { seed, refused, lost }) => {
          const scene = syncScene(replicaset);
          scene.put(ReplicaSets, replicaSetOf({ replicas }));
          let chance = seed;
          // A linear congruential generator: enough to scatter faults, and deterministic for a seed.
          const happens = (share: number): boolean =>
            (chance = (chance * 1103515245 + 12345) % 2147483648) / 2147483648 < share;
          scene.refuse = () => (happens(refused) ? refusal(500, "InternalError", "broken") : undefined);
          scene.lose = () => (happens(lost) ? new TransportError("the connection broke") : undefined);
          for (const action of steps) {
            if (action.do === "sync") await scene.sync(key).catch(() => undefined);
            else apply(scene, action);
          }
          scene.refuse = () => undefined;
          scene.lose = () => undefined;
          await settle(scene);
          const [object] = scene.live(ReplicaSets);
          const desired = object?.spec?.replicas ?? -1;
          expect(ours(scene)).toHaveLength(desired);
          expect(object?.status).toEqual({
            replicas: desired,
            ...(desired > 0 && { fullyLabeledReplicas: desired }),
            terminatingReplicas: 0,
            observedGeneration: object?.metadata.generation ?? 0,
          } as NonNullable<ReplicaSet["status"]>);
          // No matching pod is without an owner, and no other pod is owned by the ReplicaSet.
          for (const pod of scene.live(Pods).filter(isPodActive)) {
            const matches = pod.metadata.labels?.["app"] === webLabels.app;
            expect(controllerOf(pod)?.uid).toBe(matches ? "uid-web" : (undefined as unknown as string));
          }
        },
      ),
      { seed: 1121, numRuns: 400 },
    );
  });

  test("without lost responses there is never a pod more than the maximum that was desired or adopted", async () => {
    const calm = fc.array(
      step.filter((action) => action.do !== "orphan" && action.do !== "relabel"),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(calm, fc.nat(10), async (steps, replicas) => {
        const scene = syncScene(replicaset);
        scene.put(ReplicaSets, replicaSetOf({ replicas }));
        let most = replicas;
        for (const action of steps) {
          if (action.do === "scale") most = Math.max(most, action.replicas);
          if (action.do === "sync") await scene.sync(key).catch(() => undefined);
          else apply(scene, action);
          expect(ours(scene).length).toBeLessThanOrEqual(most);
        }
      }),
      { seed: 1122, numRuns: 300 },
    );
  });
});
