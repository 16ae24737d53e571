/** What evaluates policies, loaded when the first one is in force. */
import { lazyModule, type LazyModule } from "../../meta/lazy-module.ts";
import { waitFor, type Steps } from "../../meta/steps.ts";
import type * as Evaluators from "./evaluators.ts";

const evaluators: LazyModule<typeof Evaluators> = lazyModule(
  () => import("./evaluators.ts"),
  "what evaluates policies",
);

/** The module, once it is loaded. */
export function* loadedEvaluators(): Steps<typeof Evaluators> {
  const ready = evaluators.ready();
  if (ready !== undefined) yield* waitFor(ready);
  return evaluators.get();
}
