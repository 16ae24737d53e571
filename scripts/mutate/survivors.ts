/** The mutants that no test kills, each with the reason why that is right or is left so: a file a room in `survivors/`. */
import { cacheSurvivors } from "./survivors/cache.ts";
import { controllersSurvivors } from "./survivors/controllers.ts";
import { traceSurvivors } from "./survivors/trace.ts";
import { workqueueSurvivors } from "./survivors/workqueue.ts";

export interface KnownSurvivor {
  /** From the top of the work tree. */
  readonly file: string;
  /** The source line on which the mutant begins, without its indentation. */
  readonly line: string;
  /** What takes the place of the mutated text, on one line. */
  readonly replacement: string;
  readonly why: string;
}

export const knownSurvivors: readonly KnownSurvivor[] = [
  ...workqueueSurvivors,
  ...cacheSurvivors,
  ...controllersSurvivors,
  ...traceSurvivors,
];
