/** The log of one side during a script. */
import type { Effect } from "../support/audit-log.ts";

/** Writes of a side's controllers on one stage, in order. */
export interface SideLog {
  readonly effects: Effect[];
  /** The time up to which the log has been read, by `performance.now()`: earlier writes are in `effects`. */
  readUntil(): number;
}
