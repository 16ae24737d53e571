import type { Output } from "../../src/platform/terminal.ts";
import type { StageEvent } from "../../src/trace/events.ts";

/** The output buffer for a slow reader: beyond it events are dropped and counted, so that memory is bounded. */
const maxPendingBytes = 16 * 1024 * 1024;

/** Returns a listener that prints each event as a JSON line, and a line `{ v, stage: "dropped", count }` for dropped events. */
export function jsonLines(out: Output): (event: StageEvent) => void {
  let dropped = 0;
  return (event) => {
    if (out.pendingBytes > maxPendingBytes) {
      dropped++;
      return;
    }
    if (dropped > 0) out.write(`${JSON.stringify({ v: 1, stage: "dropped", count: dropped })}\n`);
    dropped = 0;
    // The head first, as in docs/events.md; the bus adds it at the end.
    const { v, seq, at, ...body } = event;
    out.write(`${JSON.stringify({ v, seq, at, ...body })}\n`);
  };
}
