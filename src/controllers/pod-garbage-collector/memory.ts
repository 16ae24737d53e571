/** What the garbage collection of pods remembers while it runs. */
import type { ObjectKey } from "../../api/key.ts";
import { type RunState, runState } from "../../controller/api/run-state.ts";
import type { Doomed } from "./doomed.ts";
import { Quarantine } from "./quarantine.ts";

/** Of one run. */
export interface Memory {
  readonly quarantine: Quarantine;
  /** What the last scan found, as far as no sync has taken it. */
  doomed: Map<ObjectKey, Doomed>;
  /** Whether the API server has a node, as far as the pods of the last scan have asked. */
  readonly answers: Map<string, Promise<boolean>>;
}

/** One for each run. */
export const memory: RunState<Memory> = runState(() => ({
  quarantine: new Quarantine(),
  doomed: new Map<ObjectKey, Doomed>(),
  answers: new Map<string, Promise<boolean>>(),
}));
