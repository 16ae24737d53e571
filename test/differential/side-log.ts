/** What happens on one side while it is looked at. */
import type { Effect } from "../support/audit-log.ts";

/** What the controllers of a side did on one stage, in order. */
export interface SideLog {
  readonly effects: Effect[];
  /** Up to when the log has been read, by `performance.now()`: what was done by then is in `effects`. */
  readUntil(): number;
}
