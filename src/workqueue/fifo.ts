import type { QueueStorage } from "./queue-storage.ts";

/**
 * First-in, first-out storage. Amortized constant time: each item is moved once, from the array that is filled to the one that is emptied.
 * Items that were shifted are not kept alive.
 */
export class Fifo<T> implements QueueStorage<T> {
  /** Oldest first. */
  #newer: T[] = [];
  /** Oldest last; all of them are older than those in `#newer`. */
  #older: T[] = [];

  get length(): number {
    return this.#newer.length + this.#older.length;
  }

  push(item: T): void {
    this.#newer.push(item);
  }

  /** Removes and returns the oldest item; undefined if there is none. */
  shift(): T | undefined {
    if (this.#older.length === 0) [this.#older, this.#newer] = [this.#newer.reverse(), this.#older];
    return this.#older.pop();
  }

  /** The oldest item, without removing it; undefined if there is none. */
  peek(): T | undefined {
    return this.#older.length > 0 ? this.#older.at(-1) : this.#newer[0];
  }

  clear(): void {
    this.#newer = [];
    this.#older = [];
  }
}
