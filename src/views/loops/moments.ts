/** Recent times of an event, to measure how fast and how steadily it recurs. */

const kept = 16;
const minuteMs = 60_000;

/** The first time and the latest 16, in ms since 1970. */
export class Moments {
  #at: number[] = [];
  #firstAt: number | undefined;

  add(at: number): void {
    this.#firstAt ??= at;
    this.#at.push(at);
    if (this.#at.length > kept) this.#at.shift();
  }

  clear(): void {
    this.#at = [];
    this.#firstAt = undefined;
  }

  /** The last time; 0 if there is none. */
  get lastAt(): number {
    return this.#at.at(-1) ?? 0;
  }

  /** From the first time to the last, in ms. */
  get spanMs(): number {
    return this.lastAt - (this.#firstAt ?? 0);
  }

  /** Whether the recent rate exceeds this many per minute. */
  isFasterThan(perMinute: number): boolean {
    const ms = (this.#at.at(-1) ?? 0) - (this.#at[0] ?? 0);
    return this.#at.length > 1 && (this.#at.length - 1) * minuteMs > perMinute * ms;
  }

  /** False if one pause is longer than all the others together, as in a burst with a straggler. */
  get isSteady(): boolean {
    const ms = (this.#at.at(-1) ?? 0) - (this.#at[0] ?? 0);
    return this.#at.every((at, index) => index === 0 || (at - (this.#at[index - 1] ?? at)) * 2 <= ms);
  }
}
