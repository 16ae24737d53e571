/** What the taint eviction controller remembers about pods on tainted nodes while it runs. */
import type { ObjectKey } from "../../api/key.ts";
import type { Taint, Toleration } from "../../api/types.ts";
import { type RunState, runState } from "../../controller/api/run-state.ts";

/** The basis of the decision about a pod: it is reconsidered only when one of these has changed. */
export interface Judged {
  readonly uid: string;
  readonly node: string;
  readonly nodeUid: string;
  readonly taints: readonly Taint[];
  readonly tolerations: readonly Toleration[];
}

/** A scheduled deletion. */
export interface Appointment {
  readonly seconds: number;
  /** ms since 1970. */
  readonly at: number;
}

/** What is known about one pod. */
export interface Known {
  readonly judged: Judged;
  readonly appointment?: Appointment | undefined;
}

/** By pod key: pods on tainted nodes, and pods with a scheduled deletion. */
export const memory: RunState<Map<ObjectKey, Known>> = runState(() => new Map<ObjectKey, Known>());
