/** The text for an informer that cannot list or watch. */
import { formatDuration } from "../../src/api/duration.ts";
import type { RunLine } from "../../src/views/run-report.ts";

/** A line about the lists and watches of one kind. */
export type ConnectionLine = Extract<RunLine, { readonly is: "watch broke" | "list failed" | "watch is back" }>;

/** Whether the line is about lists and watches. */
export function isConnectionLine(line: RunLine): line is ConnectionLine {
  return line.is === "watch broke" || line.is === "list failed" || line.is === "watch is back";
}

/** `list of Pod failed:` and `403 Forbidden; trying again`. */
export function connectionText(line: ConnectionLine): { readonly label: string; readonly text: string } {
  switch (line.is) {
    case "watch broke":
      return { label: `watch of ${line.kind} broke:`, text: `${withoutServer(line.why)}; trying again` };
    case "list failed":
      return { label: `list of ${line.kind} failed:`, text: `${withoutServer(line.why)}; trying again` };
    case "watch is back":
      return { label: `watch of ${line.kind}`, text: `is back after ${formatDuration(line.afterMs)}` };
  }
}

/** `connection broke: 127.0.0.1:6443: the connection was reset` → the last part, since the rest is already on the screen. */
function withoutServer(why: string): string {
  return why.replace(/^connection broke: /, "").replace(/^[\w.:[\]-]+: (?=the |connection )/, "");
}
