/**
 * A map that remembers the latest entries: as many as a generation has, at least, and twice as many at most. When the young generation
 * is full it becomes the old one, and the old one is dropped as a whole: no entry is ever searched for to be evicted.
 */
export class GenerationalCache<K, V> {
  readonly #generation: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  constructor(generation = 2048) {
    this.#generation = generation;
  }

  get(name: K): V | undefined {
    // An empty map is not asked: JavaScript would hash a long name that was just concatenated for nothing.
    return (
      (this.#young.size > 0 ? this.#young.get(name) : undefined) ??
      (this.#old.size > 0 ? this.#old.get(name) : undefined)
    );
  }

  set(name: K, value: V): void {
    this.#young.set(name, value);
    if (this.#young.size < this.#generation) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  /** All values; a name that was set in both generations has both of its values here. */
  values(): readonly V[] {
    return [...this.#young.values(), ...this.#old.values()];
  }

  /** How many entries both generations have; a name may be in both. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }
}

/** The latest few values of each name; names are forgotten as in a `GenerationalCache`. */
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

  /** How many values both generations have; those of a name that is in both count twice. */
  get size(): number {
    return this.#sets.values().reduce((sum, { size }) => sum + size, 0);
  }
}
