/**
 * All controllers of `run all` through faults, on a real kube-apiserver with kwok's nodes, each with work to do. In the end nothing is
 * lost, duplicated or counted twice, and no object with an owner is deleted. In the short form the faults of a proxy follow each other.
 * With LONG=1 each is tested separately, with more seeds, and in random sequences.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { below, type Random, seededRandom } from "../../src/platform/random.ts";
import { controllersMissing } from "../support/cluster.ts";
import { long } from "../support/long.ts";
import { controllersEnabledByDefault } from "../../src/controllers/index.ts";
import { startCascadeScene } from "./support/cascade-scene.ts";
import { calm, type ConvergingScene, type Fault, faults, startGround } from "./support/faults.ts";
import { startFaultyRun } from "./support/faulty-run.ts";
import { podsInExcess } from "./support/pods-in-excess.ts";
import { startsOfRuns } from "./support/starts-of-runs.ts";
import { startWorkloadScene } from "./support/workload-scene.ts";

const acting = controllersEnabledByDefault.map(({ name }) => name);

/** The workload scene is only in the long form: it takes minutes. */
const startScenes = long ? [startCascadeScene, startWorkloadScene] : [startCascadeScene];

/** Several namespaces, each with a different kind of work, handled by one run. */
interface WholeScene extends Omit<ConvergingScene, "namespace"> {
  readonly parts: readonly ConvergingScene[];
}

describe.skipIf(controllersMissing !== undefined)(
  "through faults all controllers together keep their invariants",
  () => {
    let ground: Awaited<ReturnType<typeof startGround>>;
    let scenes = 0;
    beforeAll(async () => {
      ground = await startGround({ controllers: "none", nodes: 3, scheduler: true, audit: true });
    });
    afterAll(() => ground.stop());

    async function inScene(through: Fault["through"], act: (scene: WholeScene) => Promise<void>): Promise<void> {
      const { cluster } = ground;
      const run = await startFaultyRun(cluster, ground[through].url, { controllers: acting });
      const namespace = `faults-${++scenes}`;
      try {
        const parts = await Promise.all(startScenes.map((start, n) => start(cluster, run, `${namespace}-${n}`)));
        await act({
          parts,
          failures: run.failures,
          churn: async (random, steps) => void (await Promise.all(parts.map((part) => part.churn(random, steps)))),
          async converged() {
            await Promise.all(parts.map((part) => part.converged())).catch((cause: unknown) => {
              // A controller that lost its Lease has ended; a key that failed often waits for its back-off.
              const lost = run.leasesLost.length === 0 ? "none" : run.leasesLost.join();
              // The namespaces of earlier scenes are still there, with autoscalers that never have metrics.
              const isEarlier = (line: string): boolean => / faults-\d/.test(line) && !line.includes(` ${namespace}-`);
              const keys = ["keys that fail or still sync:", ...run.unfinished().filter((line) => !isEarlier(line))];
              const now = new Date().toISOString();
              const what = `Leases lost: ${lost}; ${keys.join("\n  ")}`;
              throw new Error(`The scene has not come to rest by ${now}; ${what}`, { cause });
            });
            expect(run.leasesLost).toEqual([]);
          },
        });
        for (const part of parts) await part.end?.();
        const [, workloads] = parts;
        if (workloads === undefined) return;
        const runs = startsOfRuns(await cluster.audit(), workloads.namespace);
        expect(runs.size).toBeGreaterThan(0);
        expect([...runs].filter(([, jobs]) => jobs.length > 1)).toEqual([]);
      } finally {
        await calm(ground);
        await run.stop();
      }
    }

    /** A write without a response may be repeated, by upstream too (faults.cluster.test.ts shows both). */
    async function expectNoExcess(after: string, { parts, failures }: WholeScene): Promise<void> {
      const { unconfirmed } = failures;
      const events = await ground.cluster.audit();
      for (const { namespace } of parts) {
        const { pods: excess, history } = podsInExcess(events, namespace);
        const isWithin = excess <= unconfirmed;
        const shownHistory = isWithin ? [] : history;
        expect({ after, excess, unconfirmed, shownHistory }).toEqual({ after, excess, unconfirmed, shownHistory: [] });
      }
    }

    async function survive({ name, strike, suffers }: Fault, scene: WholeScene, random: Random): Promise<void> {
      const before = suffers === undefined ? 0 : scene.failures[suffers];
      expect(await strike(ground, scene, random)).toBeGreaterThan(0);
      await scene.churn(random, 4);
      await scene.converged();
      if (suffers !== undefined) expect(scene.failures[suffers]).toBeGreaterThan(before);
      await expectNoExcess(name, scene);
    }

    const through = (proxy: Fault["through"]): readonly Fault[] => faults.filter((fault) => fault.through === proxy);

    for (const proxy of ["tcp", "http"] as const) {
      test(`every fault of the ${proxy} proxy, in sequence`, async () => {
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
        test(`several faults in random sequence, by the ${proxy} proxy (seed ${seed})`, async () => {
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
