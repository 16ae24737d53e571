/** The mutants that no test kills, each with the reason why that is correct or accepted: one file per room in `survivors/`. */
import { cacheSurvivors } from "./survivors/cache.ts";
import { controllersSurvivors } from "./survivors/controllers.ts";
import type { KnownSurvivor } from "./survivors/known-survivor.ts";
import { traceSurvivors } from "./survivors/trace.ts";
import { workqueueSurvivors } from "./survivors/workqueue.ts";

export const knownSurvivors: readonly KnownSurvivor[] = [
  ...workqueueSurvivors,
  ...cacheSurvivors,
  ...controllersSurvivors,
  ...traceSurvivors,
];
