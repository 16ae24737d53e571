/** A queue of parsing work, done a few milliseconds at a time so that it does not hold up traffic. */
import type { Timeline } from "../../platform/timeline.ts";

/** One unit of parsing work; a long one is a generator and yields in between. */
export type ParseTask = () => Generator<void> | undefined;

/** Options of a `Backlog`. */
export interface BacklogOptions {
  readonly timeline: Timeline;
  /** How many bytes may wait. Default 256 MB. */
  readonly maxBytes?: number;
  /** How long to work before yielding to traffic, in ms. Default 4. */
  readonly sliceMs?: number;
}

interface Waiting {
  readonly bytes: number;
  readonly read: ParseTask;
}

/** A first-in, first-out queue, so that messages are parsed in the order in which they passed. */
export class Backlog {
  readonly #timeline: Timeline;
  readonly #maxBytes: number;
  readonly #sliceMs: number;
  #waiting: Waiting[] = [];
  #next = 0;
  #bytes = 0;
  #begun: Generator<void> | undefined;
  #scheduled = false;

  constructor({ timeline, maxBytes = 256 * 1024 * 1024, sliceMs = 4 }: BacklogOptions) {
    this.#timeline = timeline;
    this.#maxBytes = maxBytes;
    this.#sliceMs = sliceMs;
  }

  /** Adds work that keeps this many bytes alive. Returns false, and adds nothing, if the limit would be exceeded. */
  add(bytes: number, read: ParseTask): boolean {
    if (bytes > 0 && this.#bytes + bytes > this.#maxBytes) return false;
    this.#bytes += bytes;
    this.#waiting.push({ bytes, read });
    this.#schedule();
    return true;
  }

  /** Does all waiting work now. */
  drain(): void {
    while (this.#step());
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#timeline.after(0, "proxy backlog", () => this.#slice(), { background: true });
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

  /** Does one step of the first unit of work; false if none is waiting. */
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
    // Trims rarely, because shifting a large array for each unit would cost more than the unit itself.
    if (this.#next < 1024 && this.#next < this.#waiting.length) return;
    this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
  }
}
