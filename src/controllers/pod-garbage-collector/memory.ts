/** What the pod garbage collector remembers while it runs. */
import type { ObjectKey } from "../../api/key.ts";
import { type RunState, runState } from "../../controller/api/run-state.ts";
import type { Doomed } from "./doomed.ts";
import { Quarantine } from "./quarantine.ts";

/** The state of one run. */
export interface Memory {
  readonly quarantine: Quarantine;
  /** What the last scan found and no sync has taken yet. */
  doomed: Map<ObjectKey, Doomed>;
  /** Whether the API server has a node, for nodes checked since the last scan. */
  readonly nodeChecks: Map<string, Promise<boolean>>;
}

/** One for each run. */
export const memory: RunState<Memory> = runState(() => ({
  quarantine: new Quarantine(),
  doomed: new Map<ObjectKey, Doomed>(),
  nodeChecks: new Map<string, Promise<boolean>>(),
}));
