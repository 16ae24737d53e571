import { describe, expect, test } from "bun:test";
import { maxSurge, maxUnavailable } from "../../../src/controllers/deployment/strategy.ts";
import { isPodReady } from "../../../src/controller/workload/pod-status.ts";
import { below, type Random, seededRandom } from "../../../src/platform/random.ts";
import { tries } from "../../support/long.ts";
import { deploymentNamed, type RolloutScene, rolloutScene } from "./scene.ts";

const bounds = [
  { maxSurge: "25%", maxUnavailable: "25%" },
  { maxSurge: 1, maxUnavailable: 0 },
  { maxSurge: 0, maxUnavailable: 1 },
  { maxSurge: "50%", maxUnavailable: "34%" },
  { maxSurge: 3, maxUnavailable: 2 },
];

/** Runs several rollouts, some of which start before the previous one is complete; checks the pods every few milliseconds. */
async function rollOut(
  random: Random,
  scene: RolloutScene,
): Promise<{ readonly most: number; readonly least: number }> {
  let [most, least] = [0, Infinity];
  for (let version = 2; version < 5; version++) {
    await scene.setImage(`web:${version}`);
    for (let looks = 5 + below(random, 40); looks > 0; looks--) {
      await scene.pass(5 + below(random, 30));
      const alive = (await scene.pods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      most = Math.max(most, alive.length);
      least = Math.min(least, alive.filter(isPodReady).length);
    }
  }
  return { most, least };
}

describe("in any order of events a rollout stays within maxSurge and maxUnavailable, and ends", () => {
  for (let seed = 1; seed <= tries(4); seed++) {
    test(`seed ${seed}`, async () => {
      const random = seededRandom(seed);
      const replicas = 1 + below(random, 8);
      const strategy = { type: "RollingUpdate", rollingUpdate: bounds[seed % bounds.length] };
      const deployment = deploymentNamed("web", { replicas, strategy });
      const scene = await rolloutScene(seed);
      await scene.create({ replicas, strategy });
      await scene.run(60_000);
      const { most, least } = await rollOut(random, scene);
      expect(most).toBeLessThanOrEqual(replicas + maxSurge(deployment));
      expect(least).toBeGreaterThanOrEqual(replicas - maxUnavailable(deployment));
      await scene.run(120_000);
      expect((await scene.sizes()).at(-1)).toBe(`web:4 × ${replicas}`);
      expect((await scene.web()).status).toMatchObject({
        replicas,
        updatedReplicas: replicas,
        availableReplicas: replicas,
      });
      await scene.stop();
    });
  }
});
