/**
 * All controllers of `run all` through faults, on a real kube-apiserver whose nodes are kwok's: in the end nothing is lost, nothing
 * doubled, and nothing deleted that had an owner. In the short form all faults of a proxy come one after the other, each with its
 * end; LONG=1: each by itself, with more seeds, and successions at random.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { below, type Random, seededRandom } from "../../src/platform/random.ts";
import { controllersMissing } from "../support/cluster.ts";
import { long } from "../support/long.ts";
import { type CascadeScene, startCascadeScene } from "./support/cascade-scene.ts";
import { calm, type Fault, faults, startGround } from "./support/faults.ts";
import { podsInExcess } from "./support/pods-in-excess.ts";

describe.skipIf(controllersMissing !== undefined)(
  "through faults all controllers together keep what must be kept",
  () => {
    let ground: Awaited<ReturnType<typeof startGround>>;
    let scenes = 0;
    beforeAll(async () => {
      ground = await startGround({ controllers: "none", nodes: 3, scheduler: true, audit: true });
    });
    afterAll(() => ground.stop());

    async function inScene(through: Fault["through"], act: (scene: CascadeScene) => Promise<void>): Promise<void> {
      const scene = await startCascadeScene(ground.cluster, ground[through].url, `faults-${++scenes}`);
      try {
        await act(scene);
      } finally {
        await calm(ground);
        await scene.stop();
      }
    }

    /** A write without a response may be made again, by upstream too (faults.cluster.test.ts shows both). */
    async function expectNoExcess(after: string, { namespace, failures }: CascadeScene): Promise<void> {
      const { unanswered } = failures;
      const excess = podsInExcess(await ground.cluster.audit(), namespace);
      const isWithin = excess <= unanswered;
      expect({ after, excess, unanswered, isWithin }).toEqual({ after, excess, unanswered, isWithin: true });
    }

    async function survive({ name, strike, suffers }: Fault, scene: CascadeScene, random: Random): Promise<void> {
      const before = suffers === undefined ? 0 : scene.failures[suffers];
      expect(await strike(ground, scene, random)).toBeGreaterThan(0);
      await scene.churn(random, 4);
      await scene.converged();
      if (suffers !== undefined) expect(scene.failures[suffers]).toBeGreaterThan(before);
      await expectNoExcess(name, scene);
    }

    const through = (proxy: Fault["through"]): readonly Fault[] => faults.filter((fault) => fault.through === proxy);

    for (const proxy of ["tcp", "http"] as const) {
      test(`every fault of the ${proxy} proxy, one after the other`, async () => {
        await inScene(proxy, async (scene) => {
          const random = seededRandom(1);
          for (const fault of through(proxy)) await survive(fault, scene, random);
        });
      });
    }

    for (const fault of long ? faults : []) {
      for (let seed = 1; seed <= 3; seed++) {
        test(`${fault.name} (seed ${seed})`, async () => {
          await inScene(fault.through, (scene) => survive(fault, scene, seededRandom(seed)));
        });
      }
    }

    for (const proxy of long ? (["tcp", "http"] as const) : []) {
      for (let seed = 1; seed <= 3; seed++) {
        test(`several faults in random succession, by the ${proxy} proxy (seed ${seed})`, async () => {
          await inScene(proxy, async (scene) => {
            const random = seededRandom(1000 + seed);
            const possible = through(proxy);
            for (let n = 0; n < 6; n++) await possible[below(random, possible.length)]?.strike(ground, scene, random);
            await scene.converged();
            await expectNoExcess("all of them", scene);
          });
        });
      }
    }
  },
);
