/** How many entries are remembered. */
const remembered = 4096;

/** Remembers the latest 4096 entries: what is older can no longer be linked to anything. */
export class Recent<K, V> {
  #entries = new Map<K, V>();

  get(name: K): V | undefined {
    return this.#entries.get(name);
  }

  set(name: K, value: V): void {
    this.#entries.set(name, value);
    if (this.#entries.size <= remembered) return;
    const oldest = this.#entries.keys().next();
    if (oldest.done !== true) this.#entries.delete(oldest.value);
  }
}
