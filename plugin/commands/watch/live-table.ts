/** The table of `watch --live`: one row per queue and one per informer. */
import type { InformerState } from "../../../src/cache/shared-informer.ts";
import type { Quantiles, QueueState } from "../../../src/views/queue-gauges.ts";
import { formatDuration } from "../../../src/api/duration.ts";
import { pluralize, shorten } from "../../cli/style.ts";
import { plainTable } from "../../cli/table.ts";

/** The contents and the size of the table. */
export interface LiveTableOptions {
  /** The names of the watched controllers. */
  readonly controllers: readonly string[];
  readonly queueOf: (controller: string) => QueueState;
  readonly informers: readonly InformerState[];
  /** The size of the terminal. The table never exceeds it, because redrawing would leave parts behind. */
  readonly columns: number | undefined;
  readonly rows: number | undefined;
}

const wideColumns = 130;

/** The lines of the table, not wider than the terminal, and fewer than its rows. */
export function liveTable(options: LiveTableOptions): readonly string[] {
  const { controllers, queueOf, informers, columns = 80, rows = 24 } = options;
  const wide = columns >= wideColumns;
  const queues = controllers.length === 0 ? [] : [...queueTable(controllers.map(queueOf), wide), ""];
  const sorted = [...informers].sort((a, b) => b.waiting - a.waiting || b.objects - a.objects);
  // Reserves three lines: for the omitted rows, the heading, and the cursor.
  const room = Math.max(1, rows - queues.length - 3);
  const shown = sorted.slice(0, room);
  const left = sorted.length - shown.length;
  const lines = [
    ...queues,
    ...informerTable(shown, wide),
    ...(left === 0 ? [] : [`… ${pluralize(left, "more kind")}`]),
  ];
  return lines.map((line) => shorten(line, columns));
}

/** The queues; on a narrow screen, durations are in a separate table. */
function queueTable(queues: readonly QueueState[], wide: boolean): readonly string[] {
  const counts = queues.map((queue) => [
    queue.controller,
    String(queue.depth),
    queue.oldestMs === 0 ? "-" : formatDuration(queue.oldestMs),
    String(queue.inFlight),
    String(queue.delayed),
    String(queue.adds),
    String(queue.merged),
    String(queue.failures),
  ]);
  const times = queues.map((queue) => [
    queue.longest === undefined ? "-" : formatDuration(queue.longest.ms),
    ...quantiles(queue),
  ]);
  const countsHead = ["QUEUE", "DEPTH", "OLDEST", "IN FLIGHT", "DELAYED", "ADDS", "MERGED", "FAILED"];
  const timesHead = ["LONGEST", "WAITED P50", "P99", "SYNC P50", "P99"];
  if (wide) {
    const rows = counts.map((row, index) => [...row, ...(times[index] ?? [])]);
    return plainTable([...countsHead, ...timesHead], rows).split("\n");
  }
  const rows = queues.map(({ controller }, index) => [controller, ...(times[index] ?? [])]);
  return [...plainTable(countsHead, counts).split("\n"), "", ...plainTable(["QUEUE", ...timesHead], rows).split("\n")];
}

function quantiles({ waited, took }: QueueState): readonly string[] {
  const pair = (of: Quantiles | undefined): readonly string[] =>
    of === undefined ? ["-", "-"] : [formatDuration(of.p50), formatDuration(of.p99)];
  return [...pair(waited), ...pair(took)];
}

function informerTable(informers: readonly InformerState[], wide: boolean): readonly string[] {
  const head = ["INFORMER", "OBJECTS", "VERSION", "LAG", "RELISTS", "READ", ...(wide ? ["WAITING", "STATE"] : [])];
  const rows = informers.map((informer) => [
    informer.kind,
    String(informer.objects),
    informer.isServed ? informer.resourceVersion : "not served",
    informer.waiting === 0 ? "-" : formatDuration(informer.lagMs),
    String(informer.relists),
    formatBytes(informer.bytes),
    ...(wide ? [String(informer.waiting), informer.phase] : []),
  ]);
  return plainTable(head, rows).split("\n");
}

/** `812 B`, `14 kB`, `3.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
