/** What happens in a scene that comes to rest: steps at random, then looks. */
import { below, type Random } from "../../../src/platform/random.ts";
import type { ConvergingScene } from "./faults.ts";
import { eventually } from "./workload.ts";

export interface SceneActs {
  /** Changes something. */
  readonly step: (random: Random) => Promise<void>;
  /** @throws where not all is as it must be. */
  readonly look: () => Promise<void>;
  /** How long all may take to be as it must be. */
  readonly waitMs: number;
}

export function lifeOf({ step, look, waitMs }: SceneActs): Pick<ConvergingScene, "churn" | "converged"> {
  return {
    async churn(random, steps) {
      for (let n = 0; n < steps; n++) {
        // What is to be changed may be gone by then; a server may be.
        await step(random).catch(() => undefined);
        await Bun.sleep(below(random, 40));
      }
    },
    async converged() {
      await eventually(look, waitMs);
      // Once more: what was on its way then has come by now.
      await Bun.sleep(300);
      await eventually(look, waitMs);
    },
  };
}
