/** The screen of `trace`: listens to the bus, prints blocks, and knows when to end. */
import type { Cancel, Timeline } from "../src/platform/timeline.ts";
import type { Output } from "../src/platform/terminal.ts";
import type { AgreementEvent, StageEvent } from "../src/trace/events.ts";
import type { SyncBlock } from "../src/views/sync-block.ts";
import { SyncTrace } from "../src/views/sync-trace.ts";
import { jsonLines } from "./render/json-lines.ts";
import { differenceText } from "./render/shadow-text.ts";
import { hung, styleOf } from "./render/style.ts";
import { SyncBlockText } from "./render/sync-block-text.ts";

/** What ends a trace with an exit code of its own. */
export const failures = ["error", "conflict", "differs", "loop"] as const;
export type Failure = (typeof failures)[number];

export interface TraceScreenOptions {
  readonly out: Output;
  readonly timeline: Timeline;
  readonly json: boolean;
  readonly shadow: boolean;
  readonly holdMs: number;
  readonly sinceStartAt?: number;
  /** Whether a block is to be shown. */
  readonly shows: (block: SyncBlock) => boolean;
  /** Whether each block names its first cause. */
  readonly origins: boolean;
  /** Ends after so many blocks. */
  readonly count?: number;
  readonly failOn: ReadonlySet<Failure>;
  /** Called once: enough was shown, or a failure was met. */
  readonly onEnd: (met?: Failure) => void;
}

export class TraceScreen {
  readonly trace: SyncTrace;
  #options: TraceScreenOptions;
  #text: SyncBlockText;
  #json: ((event: StageEvent) => void) | undefined;
  #timer: Cancel | undefined;
  #shown = 0;
  #ended = false;

  constructor(options: TraceScreenOptions) {
    const { out, json, shadow, holdMs, sinceStartAt } = options;
    this.#options = options;
    this.trace = new SyncTrace({ holdMs });
    this.#json = json ? jsonLines(out) : undefined;
    const style = styleOf(out);
    this.#text = new SyncBlockText({ style, shadow, ...(sinceStartAt !== undefined && { sinceStartAt }) });
  }

  /** How many syncs were shown. */
  get shown(): number {
    return this.#shown;
  }

  /** The listener; give it to `bus.listen`. */
  readonly listener = (event: StageEvent): void => {
    if (this.#ended) return;
    this.#json?.(event);
    this.#print(this.trace.accept(event));
    if (event.stage === "agreement" && event.is === "differs") this.#differs(event);
    this.#arm();
  };

  /** A difference has a line of its own where its block is out already, or there is none. */
  #differs(event: AgreementEvent): void {
    const { controller, sync } = event;
    if (this.#json === undefined && (sync === undefined || !this.trace.isToCome({ controller, sync }))) {
      const { out } = this.#options;
      const [first = "", ...rest] = hung(differenceText(event), out.columns);
      for (const line of [styleOf(out).colour.yellow(first), ...rest, ""]) out.write(`${line}\n`);
    }
    this.#met("differs");
  }

  /** Prints what is still held, and nothing more after that. */
  close(): void {
    this.#timer?.();
    if (!this.#ended) this.#print(this.trace.release(Infinity));
    this.#ended = true;
  }

  #arm(): void {
    const { timeline } = this.#options;
    const at = this.trace.heldUntil;
    if (this.#timer !== undefined || at === undefined) return;
    this.#timer = timeline.after(Math.max(1, at - timeline.now()), "trace screen", () => {
      this.#timer = undefined;
      this.#print(this.trace.release(timeline.now()));
      this.#arm();
    });
  }

  #print(blocks: readonly SyncBlock[]): void {
    const { shows, origins, out, count } = this.#options;
    for (const block of blocks) {
      if (this.#ended || !shows(block)) continue;
      this.#shown++;
      if (this.#json === undefined) {
        const origin = origins ? this.trace.originOf(block) : undefined;
        for (const line of this.#text.lines(block, origin)) out.write(`${line}\n`);
      }
      this.#check(block);
      if (count !== undefined && this.#shown >= count) this.#end();
    }
  }

  #check({ done }: SyncBlock): void {
    if (done.error === undefined) return;
    if (done.expected === "conflict") this.#met("conflict");
    else if (done.expected === undefined) this.#met("error");
  }

  #met(failure: Failure): void {
    if (this.#options.failOn.has(failure)) this.#end(failure);
  }

  #end(met?: Failure): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#timer?.();
    this.#options.onEnd(met);
  }
}
