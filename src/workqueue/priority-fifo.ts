import { Fifo } from "./fifo.ts";

/** What a queue keeps its waiting items in. */
export interface Line<T> {
  readonly length: number;
  push(item: T): void;
  /** Takes the next item off; undefined when there is none. */
  shift(): T | undefined;
  /** The next item, left where it is. */
  peek(): T | undefined;
}

/**
 * A line in which higher priorities go first; those of one priority keep their order. An item's priority is asked for when it
 * joins. Constant time for few distinct priorities, which is the common case.
 */
export class PriorityFifo<T> implements Line<T> {
  #priorityOf: (item: T) => number;
  #lines = new Map<number, Fifo<T>>();
  /** Of the lines that are not empty, ascending. */
  #priorities: number[] = [];
  #length = 0;

  constructor(priorityOf: (item: T) => number) {
    this.#priorityOf = priorityOf;
  }

  get length(): number {
    return this.#length;
  }

  push(item: T): void {
    const priority = this.#priorityOf(item);
    let line = this.#lines.get(priority);
    if (line === undefined) {
      line = new Fifo();
      this.#lines.set(priority, line);
      const above = this.#priorities.findIndex((other) => other > priority);
      this.#priorities.splice(above < 0 ? this.#priorities.length : above, 0, priority);
    }
    line.push(item);
    this.#length++;
  }

  shift(): T | undefined {
    const priority = this.#priorities.at(-1);
    const line = priority === undefined ? undefined : this.#lines.get(priority);
    if (priority === undefined || line === undefined) return undefined;
    const item = line.shift();
    this.#length--;
    if (line.length === 0) {
      this.#lines.delete(priority);
      this.#priorities.pop();
    }
    return item;
  }

  peek(): T | undefined {
    const priority = this.#priorities.at(-1);
    return priority === undefined ? undefined : this.#lines.get(priority)?.peek();
  }
}
