import type { QueueStorage } from "./queue-storage.ts";

/**
 * Storage in the order of pushing. Amortized constant time: each item is moved once, from the array that is filled to the one that is
 * emptied. Nothing that was taken is kept alive.
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

  /** The oldest item, or undefined when there is none. */
  shift(): T | undefined {
    if (this.#older.length === 0) [this.#older, this.#newer] = [this.#newer.reverse(), this.#older];
    return this.#older.pop();
  }

  /** The oldest item, left where it is. */
  peek(): T | undefined {
    return this.#older.length > 0 ? this.#older.at(-1) : this.#newer[0];
  }

  clear(): void {
    this.#newer = [];
    this.#older = [];
  }
}
