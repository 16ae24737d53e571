/** What the node lifecycle controller remembers while it runs. */
import type { Node } from "../../api/types.ts";
import { type RunState, runState } from "../../controller/api/run-state.ts";
import type { Health } from "./health.ts";
import type { Tainter } from "./tainter.ts";
import type { ZoneState } from "./zone.ts";

/** Why both NoExecute taints of a node are to be removed. */
export type Lift = "new" | "ready" | "no node is ready";

/** What the last check of all nodes plans to do about one of them. */
export interface Plan {
  /** Put one of the NoExecute taints in place of the other, at once. */
  readonly swapTo?: "not-ready" | "unreachable";
  /** Its conditions become Unknown, if it is still silent. */
  readonly isSilent?: true;
}

/** The state of one run. */
export interface Memory {
  /** By node. It outlives the node, as in upstream: a new node of the same name inherits it. */
  readonly health: Map<string, Health>;
  /** Nodes announced by an Event. */
  readonly known: Map<string, Node>;
  readonly zones: Map<string, ZoneState>;
  readonly tainters: Map<string, Tainter>;
  /** By node, until its next sync or the next check. */
  readonly plans: Map<string, Plan>;
  /** By node, until its next sync: most are planned by one check only, and syncs may be later than the next one. */
  readonly lifts: Map<string, Lift>;
}

/** One for each run. */
export const memory: RunState<Memory> = runState(() => ({
  health: new Map<string, Health>(),
  known: new Map<string, Node>(),
  zones: new Map<string, ZoneState>(),
  tainters: new Map<string, Tainter>(),
  plans: new Map<string, Plan>(),
  lifts: new Map<string, Lift>(),
}));
