import type { Output } from "../../src/platform/terminal.ts";
import type { StageEvent } from "../../src/trace/events.ts";

/** What a slow reader may leave lying: beyond it events are dropped and counted, so that memory stays bounded. */
const mostPendingBytes = 16 * 1024 * 1024;

/** A listener that prints each event as a JSON line; for events dropped in between, a line `{ v, stage: "dropped", count }`. */
export function jsonLines(out: Output): (event: StageEvent) => void {
  let dropped = 0;
  return (event) => {
    if (out.pendingBytes > mostPendingBytes) {
      dropped++;
      return;
    }
    if (dropped > 0) out.write(`${JSON.stringify({ v: 1, stage: "dropped", count: dropped })}\n`);
    dropped = 0;
    // The head first, as docs/events.md has it: the bus adds it to what the stage made.
    const { v, seq, at, ...body } = event;
    out.write(`${JSON.stringify({ v, seq, at, ...body })}\n`);
  };
}
