/** Names in the order of etcd's keys. Adding and removing is cheap; they are sorted on read. */
export class SortedNames {
  #sorted: string[] = [];
  #added: string[] = [];
  #removed = false;

  /** `name` must not exist yet. */
  add(name: string): void {
    const last = this.#sorted.at(-1);
    // Names that arrive in order need no sorting.
    if (this.#added.length === 0 && (last === undefined || last < name)) this.#sorted.push(name);
    else this.#added.push(name);
  }

  /** Notes that a name was removed: the caller's `has` returns false for it. */
  remove(): void {
    this.#removed = true;
  }

  /** The names in order, without those for which `has` is false. The list must not be modified. */
  inOrder(has: (name: string) => boolean): readonly string[] {
    if (this.#added.length > 0) this.#merge();
    if (this.#removed) {
      // A name that was removed and added again is in the list twice.
      this.#sorted = this.#sorted.filter((name, index, all) => name !== all[index - 1] && has(name));
      this.#removed = false;
    }
    return this.#sorted;
  }

  #merge(): void {
    const added = this.#added.sort();
    const old = this.#sorted;
    const merged: string[] = [];
    let from = 0;
    for (const name of added) {
      while (from < old.length && (old[from] as string) <= name) merged.push(old[from++] as string);
      merged.push(name);
    }
    while (from < old.length) merged.push(old[from++] as string);
    this.#sorted = merged;
    this.#added = [];
  }
}

/** The index of the first name that is not less than `name`. */
export function lowerBound(names: readonly string[], name: string): number {
  let low = 0;
  let high = names.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((names[middle] as string) < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
