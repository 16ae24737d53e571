/** The screen of `watch`: listens to the bus, prints lines, JSON or a table, and decides when to end. */
import type { InformerState } from "../../../src/cache/shared-informer.ts";
import { releaseMemory } from "../../../src/platform/memory.ts";
import type { Output } from "../../../src/platform/terminal.ts";
import type { Cancel, Timeline } from "../../../src/platform/timeline.ts";
import { ownSequence } from "../../../src/platform/visible-text.ts";
import type { StageEvent } from "../../../src/trace/events.ts";
import { DeltaReport, type DeltaReportOptions, type WatchLine } from "../../../src/views/delta-report.ts";
import { shownLine } from "../../../src/views/shown-delta.ts";
import { jsonLines } from "../../render/json-lines.ts";
import { type LiveTableOptions, liveTable } from "./live-table.ts";
import { styleOf } from "../../cli/style.ts";
import { WatchLines } from "./watch-lines.ts";

/** Options of a `WatchScreen`. */
export interface WatchScreenOptions {
  readonly out: Output;
  readonly timeline: Timeline;
  readonly shows: "text" | "wide" | "json" | "live";
  readonly report: DeltaReportOptions;
  /** Selects the events to print as JSON. */
  readonly prints: (event: StageEvent) => boolean;
  /** Whether names include their namespace. */
  readonly namespaces: boolean;
  readonly sinceStartAt?: number;
  /** Ends after this many deltas. */
  readonly count?: number;
  readonly onEnough: () => void;
  readonly live: Pick<LiveTableOptions, "controllers"> & { readonly informers: () => readonly InformerState[] };
}

/** The output buffer for a slow reader: beyond it lines are dropped and counted, so that memory is bounded. */
const maxPendingBytes = 16 * 1024 * 1024;
const flushEveryMs = 25;
const redrawEveryMs = 500;
const releaseEveryMs = 5000;
const releaseAfterDeltas = 5000;

/** Prints lines, JSON or a table, as the bus reports deltas. Prints nothing once it has ended. */
export class WatchScreen {
  readonly report: DeltaReport;
  #options: WatchScreenOptions;
  #lines: WatchLines;
  #json: ((event: StageEvent) => void) | undefined;
  #timer: Cancel = () => undefined;
  #releaseTimer: Cancel = () => undefined;
  #released = 0;
  #shown = 0;
  #dropped = 0;
  #drawn = 0;
  #ended = false;

  constructor(options: WatchScreenOptions) {
    const { out, shows, namespaces, sinceStartAt } = options;
    this.#options = options;
    this.report = new DeltaReport(options.report);
    this.#json = shows === "json" ? jsonLines(out) : undefined;
    this.#lines = new WatchLines({
      style: styleOf(out),
      wide: shows === "wide",
      namespaces,
      ...(sinceStartAt !== undefined && { sinceStartAt }),
    });
  }

  /** The listener; give it to `bus.listen`. */
  readonly listener = (event: StageEvent): void => {
    if (this.#ended) return;
    if (this.#json !== undefined && this.#options.prints(event)) this.#json(event);
    this.#print(this.report.accept(event));
  };

  /** Starts printing. */
  start(): void {
    const { timeline, shows } = this.#options;
    const tick = (): void => {
      if (this.#ended) return;
      if (shows === "live") this.#draw();
      else this.#print(this.report.flush(timeline.now()));
      this.#timer = timeline.after(every, "watch screen", tick, { background: true });
    };
    const every = shows === "live" ? redrawEveryMs : flushEveryMs;
    tick();
    this.#release();
  }

  /** Collects garbage: a fast stream leaves chunks of bytes outside of the heap, which the collector notices too late. */
  #release(): void {
    this.#releaseTimer = this.#options.timeline.after(
      releaseEveryMs,
      "watch memory",
      () => {
        const { deltas } = this.report.summary;
        const cached = this.#options.live.informers().reduce((sum, { objects }) => sum + objects, 0);
        // Only after many deltas, because a collection takes longer the more is cached.
        if (deltas - this.#released >= Math.max(releaseAfterDeltas, cached)) {
          this.#released = deltas;
          releaseMemory();
        }
        this.#release();
      },
      { background: true },
    );
  }

  /**
   * Prints what is still held back, and stops printing. After a signal, the table stays as it was last drawn: Ctrl-C has moved the cursor, so
   * that it could not be drawn in its place.
   */
  close({ isInterrupted = false }: { readonly isInterrupted?: boolean } = {}): void {
    this.#timer();
    this.#releaseTimer();
    if (this.#ended) return;
    this.#print(this.report.flush(Infinity));
    if (this.#options.shows === "live" && !isInterrupted) this.#draw();
    this.#ended = true;
  }

  #print(lines: readonly WatchLine[]): void {
    const { shows, count, onEnough } = this.#options;
    for (const line of lines) {
      if (this.#ended) return;
      if (shows === "text" || shows === "wide") this.#write(line);
      if (line.is === "delta" && ++this.#shown === count) {
        this.#ended = true;
        onEnough();
      }
    }
  }

  /** Prints a line. Dropped lines are not even formatted. */
  #write(line: WatchLine): void {
    const { out } = this.#options;
    if (out.pendingBytes > maxPendingBytes) {
      this.#dropped++;
      return;
    }
    if (this.#dropped > 0) out.line(`… ${this.#dropped} lines dropped: the reader is too slow`);
    this.#dropped = 0;
    for (const each of this.#lines.text(shownLine(line))) out.line(each);
  }

  #draw(): void {
    const { out, timeline, live } = this.#options;
    const now = timeline.now();
    const lines = liveTable({
      controllers: live.controllers,
      queueOf: (controller) => this.report.gauges.state(controller, now),
      informers: live.informers(),
      columns: out.columns,
      rows: out.rows,
    });
    const back = this.#drawn === 0 ? "" : ownSequence(String(this.#drawn), "A") + ownSequence("0", "J");
    out.write(back);
    for (const line of lines) out.line(line);
    this.#drawn = lines.length;
  }
}
