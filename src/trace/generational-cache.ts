/**
 * A map that keeps the latest entries: at least one generation of them, and at most two. When the young generation is full it becomes the
 * old one, and the previous old one is dropped as a whole, so eviction never searches for an entry.
 */
export class GenerationalCache<K, V> {
  readonly #generation: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  constructor(generation = 2048) {
    this.#generation = generation;
  }

  get(name: K): V | undefined {
    // Skips empty maps, because a lookup makes JavaScript hash the name, which may be long and newly concatenated.
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

  /** All values; a name that is in both generations contributes both of its values. */
  values(): readonly V[] {
    return [...this.#young.values(), ...this.#old.values()];
  }

  /** The number of entries in both generations; a name in both counts twice. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }
}

/** The latest values of each name, up to a maximum; names are evicted as in a `GenerationalCache`. */
export class GenerationalSets<V> {
  #sets = new GenerationalCache<string, Set<V>>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** Oldest first. */
  get(name: string): Iterable<V> {
    return this.#sets.get(name) ?? [];
  }

  add(name: string, value: V): void {
    const set = this.#sets.get(name) ?? new Set();
    this.#sets.set(name, set.add(value));
    for (const oldest of set) {
      if (set.size <= this.#max) return;
      set.delete(oldest);
    }
  }

  delete(name: string, value: V): void {
    this.#sets.get(name)?.delete(value);
  }

  /** The number of values in both generations; those of a name in both count twice. */
  get size(): number {
    return this.#sets.values().reduce((sum, { size }) => sum + size, 0);
  }
}
