/** How many entries one of the two generations takes. */
const generation = 2048;

/**
 * Remembers the latest 2048 entries at least and 4096 at most: what is older can no longer be linked to anything. When a generation
 * is full it becomes the older one, and the one before it is let go as a whole; nothing is ever looked for to be thrown out.
 */
export class Recent<K, V> {
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  get(name: K): V | undefined {
    return this.#young.get(name) ?? this.#old.get(name);
  }

  set(name: K, value: V): void {
    this.#young.set(name, value);
    if (this.#young.size < generation) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  delete(name: K): void {
    this.#young.delete(name);
    this.#old.delete(name);
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
