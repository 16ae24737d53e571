/** How many entries one of the two generations takes. */
const generation = 2048;

/**
 * Remembers the latest 2048 entries at least and 4096 at most: what is older can no longer be linked to anything. When a generation
 * is full it becomes the older one, and the one before it is let go as a whole; nothing is ever looked for to be thrown out.
 */
export class GenerationalCache<K, V> {
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  get(name: K): V | undefined {
    // A name that is built for the question is put together only where there is something to compare it with.
    return (
      (this.#young.size > 0 ? this.#young.get(name) : undefined) ??
      (this.#old.size > 0 ? this.#old.get(name) : undefined)
    );
  }

  set(name: K, value: V): void {
    this.#young.set(name, value);
    if (this.#young.size < generation) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  /** What is remembered, older values of what was set anew included. */
  values(): readonly V[] {
    return [...this.#young.values(), ...this.#old.values()];
  }

  /** How many entries are remembered, those twice that were set anew. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }
}

/** The latest things under each name, so many at most; names are forgotten as `GenerationalCache` forgets its entries. */
export class GenerationalSets<V> {
  #sets = new GenerationalCache<string, Set<V>>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Oldest first. */
  get(name: string): Iterable<V> {
    return this.#sets.get(name) ?? [];
  }

  add(name: string, value: V): void {
    const set = this.#sets.get(name) ?? new Set();
    this.#sets.set(name, set.add(value));
    for (const oldest of set) {
      if (set.size <= this.#most) return;
      set.delete(oldest);
    }
  }

  delete(name: string, value: V): void {
    this.#sets.get(name)?.delete(value);
  }

  /** How many things are remembered, those of a name twice that was added to again after a generation. */
  get size(): number {
    return this.#sets.values().reduce((sum, { size }) => sum + size, 0);
  }
}
