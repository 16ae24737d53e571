/** The screen of `trace`: listens to the bus, prints blocks, and decides when to end. */
import type { Cancel, Timeline } from "../../../src/platform/timeline.ts";
import type { Output } from "../../../src/platform/terminal.ts";
import type { AgreementEvent, EventHead, StageEvent } from "../../../src/trace/events.ts";
import { BlockFold, type Folded } from "../../../src/views/block-fold.ts";
import { shownOrigin } from "../../../src/views/shown-block.ts";
import type { SyncBlock } from "../../../src/views/sync-block.ts";
import { SyncTrace } from "../../../src/views/sync-trace.ts";
import { jsonLines } from "../../render/json-lines.ts";
import { LateOutcomes } from "./late-outcomes.ts";
import { alikeText, quietText } from "./fold-text.ts";
import { wrapHanging, styleOf } from "../../cli/style.ts";
import { SyncBlockText } from "./sync-block-text.ts";

/** Conditions that end a trace with a special exit code. */
export const failures = ["error", "conflict", "differs", "loop"] as const;
/** One of these conditions. */
export type Failure = (typeof failures)[number];

/** Options of a `TraceScreen`. */
export interface TraceScreenOptions {
  readonly out: Output;
  readonly timeline: Timeline;
  readonly json: boolean;
  readonly shadow: boolean;
  readonly holdMs: number;
  /** Show every sync as a block. */
  readonly all: boolean;
  readonly sinceStartAt?: number;
  /** Whether a block is to be shown. */
  readonly shows: (block: SyncBlock) => boolean;
  /** Whether each block names its first cause. */
  readonly origins: boolean;
  /** Ends after this many blocks. */
  readonly count?: number;
  readonly failOn: ReadonlySet<Failure>;
  /** Called once: enough was shown, or a failure occurred. */
  readonly onEnd: (met?: Failure) => void;
}

/** Prints blocks, or events as JSON, as the bus reports them. Prints nothing once it has ended. */
export class TraceScreen {
  readonly trace: SyncTrace;
  #options: TraceScreenOptions;
  #text: SyncBlockText;
  #json: ((event: StageEvent) => void) | undefined;
  #fold: BlockFold;
  #timer: { readonly at: number; readonly cancel: Cancel } | undefined;
  #late = new LateOutcomes();
  #shown = 0;
  #ended = false;

  constructor(options: TraceScreenOptions) {
    const { out, json, shadow, holdMs, sinceStartAt, all } = options;
    this.#options = options;
    this.trace = new SyncTrace({ holdMs });
    this.#fold = new BlockFold({ all: all || json });
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
    if (event.stage === "agreement") this.#agreed(event);
    this.#arm();
  };

  #agreed(event: AgreementEvent & EventHead): void {
    const { controller, sync, is } = event;
    const isInBlock = sync !== undefined && this.trace.isPending({ controller, sync });
    if (this.#json === undefined && !isInBlock) this.#late.accept(event);
    if (is === "differs") this.#met("differs");
  }

  /** Prints what is still held back, and stops printing. */
  close(): void {
    this.#timer?.cancel();
    if (!this.#ended) this.#print(this.trace.release(Infinity));
    if (this.#json === undefined) this.#printFolded(this.#fold.release(Infinity));
    this.#printOutcomes(Infinity);
    this.#ended = true;
  }

  #arm(): void {
    const { timeline } = this.#options;
    const at = Math.min(...[this.trace.heldUntil, this.#fold.dueAt, this.#late.dueAt].map((due) => due ?? Infinity));
    if (at === Infinity || (this.#timer !== undefined && this.#timer.at <= at)) return;
    this.#timer?.cancel();
    const cancel = timeline.after(Math.max(1, at - timeline.now()), "trace screen", () => {
      this.#timer = undefined;
      this.#print(this.trace.release(timeline.now()));
      if (!this.#ended) this.#printFolded(this.#fold.release(timeline.now()));
      this.#printOutcomes(timeline.now());
      this.#arm();
    });
    this.#timer = { at, cancel };
  }

  #print(blocks: readonly SyncBlock[]): void {
    const { shows, count } = this.#options;
    for (const block of blocks) {
      if (this.#ended || !shows(block)) continue;
      this.#shown++;
      if (this.#json === undefined) this.#printFolded(this.#fold.accept(block));
      this.#check(block);
      if (count !== undefined && this.#shown >= count) this.#end();
    }
  }

  #printFolded(folded: readonly Folded[]): void {
    for (const each of folded) {
      switch (each.is) {
        case "block":
          this.#late.printed(each.block);
          this.#write(
            this.#text.lines(
              each.block,
              this.#options.origins ? shownOrigin(this.trace.originOf(each.block)) : undefined,
            ),
          );
          break;
        case "quiet":
          this.#write([...this.#wrapped(quietText(each)), ""]);
          break;
        case "alike":
          this.#write([...this.#wrapped(alikeText(each)), ""]);
          break;
      }
    }
  }

  #printOutcomes(now: number): void {
    const { colour } = styleOf(this.#options.out);
    for (const { text, isOpen } of this.#late.release(now)) {
      const [first = "", ...rest] = this.#wrapped(text);
      this.#write([isOpen ? colour.yellow(first) : first, ...rest, ""]);
    }
  }

  #wrapped(text: string): readonly string[] {
    return wrapHanging(text, this.#options.out.columns);
  }

  #write(lines: readonly string[]): void {
    for (const line of lines) this.#options.out.line(line);
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
    this.#timer?.cancel();
    this.#options.onEnd(met);
  }
}
