/** When something happened, lately: how fast it goes, and whether steadily. */

const kept = 16;
const minuteMs = 60_000;

/** The latest 16 times, and the very first. */
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

  /** From the first to the last. */
  get spanMs(): number {
    return (this.#at.at(-1) ?? 0) - (this.#firstAt ?? 0);
  }

  /** Whether it went faster than so often a minute, lately. */
  isFasterThan(perMinute: number): boolean {
    const ms = (this.#at.at(-1) ?? 0) - (this.#at[0] ?? 0);
    return this.#at.length > 1 && (this.#at.length - 1) * minuteMs > perMinute * ms;
  }

  /** False for a burst with a straggler: one pause is longer than all the rest. */
  get isSteady(): boolean {
    const ms = (this.#at.at(-1) ?? 0) - (this.#at[0] ?? 0);
    return this.#at.every((at, index) => index === 0 || (at - (this.#at[index - 1] ?? at)) * 2 <= ms);
  }
}
