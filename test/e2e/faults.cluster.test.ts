/**
 * The ReplicaSet controller through faults, on a real kube-apiserver, while ReplicaSets are scaled and pods deleted: in the end the number
 * of pods is right, and the caches equal the server's lists. LONG=1: more seeds, and faults in random sequences.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { below, seededRandom } from "../../src/platform/random.ts";
import { clusterMissing, controllersMissing } from "../support/cluster.ts";
import { tries } from "../support/long.ts";
import { excessOf, ourController, upstreamController } from "./support/excess.ts";
import { calm, type Fault, faults, startGround } from "./support/faults.ts";
import { type LiveScene, startLiveScene } from "./support/live-scene.ts";

describe.skipIf(clusterMissing !== undefined)(
  "through faults the ReplicaSets get their pods, and the caches stay correct",
  () => {
    let ground: Awaited<ReturnType<typeof startGround>>;
    let scenes = 0;
    beforeAll(async () => {
      ground = await startGround();
    });
    afterAll(() => ground.stop());

    async function inScene(through: Fault["through"], act: (scene: LiveScene) => Promise<void>): Promise<void> {
      const scene = await startLiveScene(ground.cluster, ground[through].url, `faults-${++scenes}`);
      try {
        await act(scene);
      } finally {
        await calm(ground);
        await scene.stop();
      }
    }

    for (const { name, through, suffers, strike } of faults) {
      for (let seed = 1; seed <= tries(1, 10); seed++) {
        test(`${name} (seed ${seed})`, async () => {
          await inScene(through, async (scene) => {
            const random = seededRandom(seed);
            expect(await strike(ground, scene, random)).toBeGreaterThan(0);
            await scene.churn(random, 4);
            const excess = await scene.converged();
            if (suffers !== undefined) expect(scene.failures[suffers]).toBeGreaterThan(0);
            // A create without a response is repeated, by upstream too (see below): one surplus pod for each, and no more.
            expect(excess).toBeLessThanOrEqual(scene.failures.unconfirmed);
          });
        });
      }
    }

    test.skipIf(controllersMissing !== undefined)(
      "a create whose response is lost is repeated, by kube-controller-manager as by ours, and deleted again",
      async () => {
        for (const lost of [1, 2]) {
          const ours = await excessOf(ground, ourController, { namespace: `excess-ours-${lost}`, lost });
          const theirs = await excessOf(ground, upstreamController, { namespace: `excess-upstream-${lost}`, lost });
          expect({ lost, ours, theirs }).toEqual({ lost, ours: lost, theirs: lost });
        }
      },
    );

    for (const through of ["tcp", "http"] as const) {
      for (let seed = 1; seed <= tries(0, 10); seed++) {
        test(`several faults in random sequence, by the ${through} proxy (seed ${seed})`, async () => {
          await inScene(through, async (scene) => {
            const random = seededRandom(1000 + seed);
            const possible = faults.filter((fault) => fault.through === through);
            for (let n = 0; n < 6; n++) await possible[below(random, possible.length)]?.strike(ground, scene, random);
            const excess = await scene.converged();
            expect(excess).toBeLessThanOrEqual(scene.failures.unconfirmed);
          });
        });
      }
    }
  },
);
