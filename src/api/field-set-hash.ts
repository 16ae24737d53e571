/** A field set of managedFields as one number: enough to see whether it has become another one. */

/**
 * 53 bits of a field set, by way of its keys (cyrb53): two sets of one entry that differ are taken for one in a case of 2⁵³. It goes
 * through the set itself, which takes a third of the time of writing it as text first.
 */
export function hashOfFieldSet(set: unknown): number {
  const hash = new SetHash();
  hash.add(set);
  return hash.value;
}

class SetHash {
  #a = 0xdeadbeef;
  #b = 0x41c6ce57;

  /** A field set is objects in objects; what else may stand there is taken as text. */
  add(set: unknown): void {
    if (typeof set !== "object" || set === null || Array.isArray(set)) {
      this.#text(JSON.stringify(set) ?? "");
      return;
    }
    for (const key in set) {
      this.#text(key);
      this.#code(1);
      this.add((set as Readonly<Record<string, unknown>>)[key]);
    }
    this.#code(2);
  }

  #text(text: string): void {
    let [a, b] = [this.#a, this.#b];
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      a = Math.imul(a ^ code, 2654435761);
      b = Math.imul(b ^ code, 1597334677);
    }
    this.#a = a;
    this.#b = b;
  }

  #code(code: number): void {
    this.#a = Math.imul(this.#a ^ code, 2654435761);
    this.#b = Math.imul(this.#b ^ code, 1597334677);
  }

  get value(): number {
    const a = Math.imul(this.#a ^ (this.#a >>> 16), 2246822507) ^ Math.imul(this.#b ^ (this.#b >>> 13), 3266489909);
    const b = Math.imul(this.#b ^ (this.#b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
    return 4294967296 * (2097151 & b) + (a >>> 0);
  }
}
