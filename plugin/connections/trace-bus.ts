import { TraceBus } from "../../src/trace/bus.ts";
import type { Io } from "../cli/io.ts";

/** The bus of a connection. A listener that throws is removed, and the user is warned. */
export function openBus({ timeline, err }: Io): TraceBus {
  return new TraceBus({
    now: () => timeline.now(),
    onListenerError: (error) => err.line(`warning: a view failed and was switched off: ${String(error)}`),
  });
}
