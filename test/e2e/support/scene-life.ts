/** The course of a converging scene: random steps, then checks. */
import { below, type Random } from "../../../src/platform/random.ts";
import type { ConvergingScene } from "./faults.ts";
import { eventually } from "./workload.ts";

export interface SceneActs {
  /** Makes one change. */
  readonly step: (random: Random) => Promise<void>;
  /** @throws if anything is not in the required state. */
  readonly look: () => Promise<void>;
  /** Time limit for reaching the required state. */
  readonly waitMs: number;
}

export function lifeOf({ step, look, waitMs }: SceneActs): Pick<ConvergingScene, "churn" | "converged"> {
  return {
    async churn(random, steps) {
      for (let n = 0; n < steps; n++) {
        // The object to change may be gone by now, or the server may be down.
        await step(random).catch(() => undefined);
        await Bun.sleep(below(random, 40));
      }
    },
    async converged() {
      await eventually(look, waitMs);
      // Again, after deltas that were still in flight have arrived.
      await Bun.sleep(300);
      await eventually(look, waitMs);
    },
  };
}
