/** What the garbage collector remembers while it runs. */
import { runState, type RunState } from "../../controller/api/run-state.ts";
import { DependencyGraph } from "./graph.ts";
import { KnownKinds } from "./kinds.ts";

export interface Memory {
  readonly graph: DependencyGraph;
  readonly kinds: KnownKinds;
}

export const memory: RunState<Memory> = runState(() => ({ graph: new DependencyGraph(), kinds: new KnownKinds() }));
