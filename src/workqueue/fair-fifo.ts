import { Fifo } from "./fifo.ts";
import type { QueueStorage } from "./queue-storage.ts";

/** The items of one group: at least one while the group is known. */
interface Group<T> {
  readonly name: string;
  readonly items: Fifo<T>;
}

/**
 * Round-robin storage: shifts the oldest item of one group, then that of the next group, and so on. So an item waits for one turn of every
 * other group, not for all items of a large one. An item's group is computed once, when it is pushed. Constant time.
 */
export class FairFifo<T> implements QueueStorage<T> {
  #groupOf: (item: T) => string;
  /** Groups with items, by name. */
  #groups = new Map<string, Group<T>>();
  /** The same groups, in the order of their turns. */
  #turns = new Fifo<Group<T>>();
  #length = 0;

  constructor(groupOf: (item: T) => string) {
    this.#groupOf = groupOf;
  }

  get length(): number {
    return this.#length;
  }

  push(item: T): void {
    const name = this.#groupOf(item);
    let group = this.#groups.get(name);
    if (group === undefined) {
      group = { name, items: new Fifo() };
      this.#groups.set(name, group);
      this.#turns.push(group);
    }
    group.items.push(item);
    this.#length++;
  }

  shift(): T | undefined {
    const group = this.#turns.shift();
    if (group === undefined) return undefined;
    const item = group.items.shift();
    this.#length--;
    if (group.items.length > 0) this.#turns.push(group);
    else this.#groups.delete(group.name);
    return item;
  }

  /** The oldest item of the group whose turn is next; other groups may have older ones. */
  peek(): T | undefined {
    return this.#turns.peek()?.items.peek();
  }
}
