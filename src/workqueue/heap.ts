/** An item of a heap. `index` is its position, which only the heap may write. */
export interface HeapItem {
  /** The lowest comes first. After lowering it, call `rise`. */
  dueAt: number;
  index: number;
}

/**
 * A binary heap of items by due time; items with equal times come in no particular order. Each item knows its position, so that it can be
 * moved without a search when its time becomes earlier. `peek` takes constant time, the other operations logarithmic.
 *
 * Source: client-go v0.36 util/workqueue/delaying_queue.go waitForPriorityQueue.
 */
export class Heap<T extends HeapItem> {
  /** The children of the item at i are at 2i + 1 and 2i + 2, and neither is due before it. */
  #items: T[] = [];

  get length(): number {
    return this.#items.length;
  }

  /** The item that is due first, without removing it; undefined if there is none. */
  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    item.index = this.#items.length;
    this.#items.push(item);
    this.rise(item);
  }

  /** Removes and returns the item that is due first; undefined if there is none. */
  shift(): T | undefined {
    const first = this.#items[0];
    const last = this.#items.pop();
    if (last !== undefined && last !== first) {
      this.#items[0] = last;
      last.index = 0;
      this.#sink(last);
    }
    return first;
  }

  clear(): void {
    this.#items = [];
  }

  /** Restores the order after the `dueAt` of an item was lowered. */
  rise(item: T): void {
    while (item.index > 0) {
      const parent = this.#items[(item.index - 1) >>> 1];
      if (parent === undefined || parent.dueAt <= item.dueAt) return;
      this.#swap(parent, item);
    }
  }

  #sink(item: T): void {
    for (;;) {
      const left = this.#items[2 * item.index + 1];
      const right = this.#items[2 * item.index + 2];
      if (left === undefined) return;
      const least = right === undefined || left.dueAt <= right.dueAt ? left : right;
      if (item.dueAt <= least.dueAt) return;
      this.#swap(item, least);
    }
  }

  #swap(a: T, b: T): void {
    [a.index, b.index] = [b.index, a.index];
    this.#items[a.index] = a;
    this.#items[b.index] = b;
  }
}
