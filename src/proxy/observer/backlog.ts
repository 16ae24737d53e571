/** What has passed the door and is still to be read: done in turn, a few milliseconds at a time, beside the traffic. */
import type { Timeline } from "../../platform/timeline.ts";

/** A piece of work; one that takes long yields. */
export type Reading = () => Generator<void> | undefined;

/** How much is kept, and what happens to the rest. */
export interface BacklogOptions {
  readonly timeline: Timeline;
  /** How many bytes may wait. Default 256 MB. */
  readonly mostBytes?: number;
  /** For how long to work before traffic has its turn, in ms. Default 4. */
  readonly sliceMs?: number;
}

interface Waiting {
  readonly bytes: number;
  readonly read: Reading;
}

/** First in, first out: what is read of a request is read before what came later. */
export class Backlog {
  readonly #timeline: Timeline;
  readonly #mostBytes: number;
  readonly #sliceMs: number;
  #waiting: Waiting[] = [];
  #next = 0;
  #bytes = 0;
  #begun: Generator<void> | undefined;
  #scheduled = false;

  constructor({ timeline, mostBytes = 256 * 1024 * 1024, sliceMs = 4 }: BacklogOptions) {
    this.#timeline = timeline;
    this.#mostBytes = mostBytes;
    this.#sliceMs = sliceMs;
  }

  /** Adds work that keeps so many bytes alive; false, and nothing is added, where they are too many. */
  add(bytes: number, read: Reading): boolean {
    if (bytes > 0 && this.#bytes + bytes > this.#mostBytes) return false;
    this.#bytes += bytes;
    this.#waiting.push({ bytes, read });
    this.#schedule();
    return true;
  }

  /** Does everything that waits, at once: before the last report. */
  drain(): void {
    while (this.#step());
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#timeline.after(0, "door backlog", () => this.#slice(), { background: true });
  }

  #slice(): void {
    this.#scheduled = false;
    const until = this.#timeline.clocks().steady + this.#sliceMs;
    while (this.#step()) {
      if (this.#timeline.clocks().steady < until) continue;
      this.#schedule();
      return;
    }
  }

  /** One step of the first piece of work; false if none is left. */
  #step(): boolean {
    if (this.#begun !== undefined) {
      if (this.#begun.next().done === true) this.#finish();
      return true;
    }
    const first = this.#waiting[this.#next];
    if (first === undefined) return false;
    this.#begun = first.read();
    if (this.#begun === undefined) this.#finish();
    return true;
  }

  #finish(): void {
    this.#begun = undefined;
    this.#bytes -= this.#waiting[this.#next]?.bytes ?? 0;
    this.#next++;
    // Shifting an array of thousands for each piece would cost more than reading it.
    if (this.#next < 1024 && this.#next < this.#waiting.length) return;
    this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
  }
}
