/** What the garbage collector remembers while it runs. */
import { runState, type RunState } from "../../controller/api/run-state.ts";
import { DependencyGraph } from "./graph.ts";
import { KnownKinds } from "./kinds.ts";

/** The state of one run of the garbage collector. */
export interface Memory {
  readonly graph: DependencyGraph;
  readonly kinds: KnownKinds;
}

/** Its state, created with the run. */
export const memory: RunState<Memory> = runState(() => ({ graph: new DependencyGraph(), kinds: new KnownKinds() }));
