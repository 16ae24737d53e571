/** The course of a scene that comes to rest: random steps, then checks. */
import { below, type Random } from "../../../src/platform/random.ts";
import type { ConvergingScene } from "./faults.ts";
import { eventually } from "./workload.ts";

export interface SceneActs {
  /** Makes a change. */
  readonly step: (random: Random) => Promise<void>;
  /** @throws if something is not as it must be. */
  readonly look: () => Promise<void>;
  /** How long it may take until everything is as it must be. */
  readonly waitMs: number;
}

export function lifeOf({ step, look, waitMs }: SceneActs): Pick<ConvergingScene, "churn" | "converged"> {
  return {
    async churn(random, steps) {
      for (let n = 0; n < steps; n++) {
        // The object may be gone by then, and a server may be down.
        await step(random).catch(() => undefined);
        await Bun.sleep(below(random, 40));
      }
    },
    async converged() {
      await eventually(look, waitMs);
      // Once more, after everything in flight has arrived.
      await Bun.sleep(300);
      await eventually(look, waitMs);
    },
  };
}
