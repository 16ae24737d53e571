import { Fifo } from "./fifo.ts";
import type { QueueStorage } from "./queue-storage.ts";

/** The items of one priority; never empty. */
interface Rank<T> {
  readonly priority: number;
  readonly items: Fifo<T>;
}

/**
 * Storage by priority, highest first; items of one priority keep their order. An item's priority is computed once, when it is pushed.
 * Constant time for few distinct priorities, which is the common case.
 */
export class PriorityFifo<T> implements QueueStorage<T> {
  #priorityOf: (item: T) => number;
  /** Highest priority first. */
  #ranks: Rank<T>[] = [];
  #length = 0;

  constructor(priorityOf: (item: T) => number) {
    this.#priorityOf = priorityOf;
  }

  get length(): number {
    return this.#length;
  }

  push(item: T): void {
    const priority = this.#priorityOf(item);
    let rank = this.#ranks.find((other) => other.priority === priority);
    if (rank === undefined) {
      rank = { priority, items: new Fifo() };
      this.#ranks.push(rank);
      this.#ranks.sort((a, b) => b.priority - a.priority);
    }
    rank.items.push(item);
    this.#length++;
  }

  shift(): T | undefined {
    const rank = this.#ranks[0];
    if (rank === undefined) return undefined;
    const item = rank.items.shift();
    this.#length--;
    if (rank.items.length === 0) this.#ranks.shift();
    return item;
  }

  peek(): T | undefined {
    return this.#ranks[0]?.items.peek();
  }
}
