/** The evaluators of policies, loaded when the first policy is in force. */
import { lazyModule, type LazyModule } from "../../meta/lazy-module.ts";
import { waitFor, type Steps } from "../../meta/steps.ts";
import type * as Evaluators from "./evaluators.ts";

const evaluators: LazyModule<typeof Evaluators> = lazyModule(
  () => import("./evaluators.ts"),
  "what evaluates policies",
);

/** Waits for the module, and returns it. */
export function* loadedEvaluators(): Steps<typeof Evaluators> {
  const ready = evaluators.ready();
  if (ready !== undefined) yield* waitFor(ready);
  return evaluators.get();
}
