/** The writes on one side while it is observed. */
import type { Effect } from "../support/audit-log.ts";

/** The writes of a side's controllers on one stage, in order. */
export interface SideLog {
  readonly effects: Effect[];
  /** The time up to which the log has been read, on the clock of `performance.now()`: everything written by then is in `effects`. */
  readUntil(): number;
  /** Whether keys wait in the queues of the side's controllers, for any stage; unset for kube-controller-manager. */
  isBusy?(): boolean;
}
