/**
 * A list that is filled at one end and emptied at the other. Constant time: each item is moved once from the end that fills to the
 * one that empties. It holds nothing that was taken.
 */
export class Fifo<T> {
  /** Oldest first. */
  #newer: T[] = [];
  /** Oldest last; all of them are older than those in `newer`. */
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
