/** A list that is filled at one end and emptied at the other, both in constant time. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** The oldest item, or undefined when there is none. */
  shift(): T | undefined {
    if (this.#head === this.#items.length) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    } else if (this.#head >= 1024 && this.#head * 2 >= this.#items.length) {
      // The emptied half is given back; each item is moved at most once for each time it was passed.
      this.#items.splice(0, this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** The oldest item, left where it is. */
  peek(): T | undefined {
    return this.#items[this.#head];
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
  }
}
