/** What the eviction by taints remembers of the pods on tainted nodes while it runs. */
import type { ObjectKey } from "../../api/key.ts";
import type { Taint, Toleration } from "../../api/types.ts";
import { type RunState, runState } from "../../controller/api/run-state.ts";

/** What a pod's stay was judged by: it is judged anew only when one of these has changed. */
export interface Judged {
  readonly uid: string;
  readonly node: string;
  readonly nodeUid: string;
  readonly taints: readonly Taint[];
  readonly tolerations: readonly Toleration[];
}

/** A deletion that waits for its time. */
export interface Appointment {
  readonly seconds: number;
  /** ms since 1970. */
  readonly at: number;
}

/** Of one pod. */
export interface Known {
  readonly judged: Judged;
  readonly appointment?: Appointment | undefined;
}

/** By the pods' keys: those on tainted nodes, and those that still wait for their time. */
export const memory: RunState<Map<ObjectKey, Known>> = runState(() => new Map<ObjectKey, Known>());
