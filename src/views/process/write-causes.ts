/** Counts why a process wrote each object. */
import { type CauseShare, nameOf, type ObjectName } from "../loops/loop.ts";

/** Objects counted; later ones are ignored. */
const maxObjects = 20_000;
/** Causes distinguished per object; later ones are ignored. */
const maxCauses = 20;

/** How often each cause occurred: `because Tenant acme Updated (.spec.size)`, 12 times. */
export class CauseCounts {
  readonly #counts = new Map<string, number>();

  add(why: string): void {
    if (this.#counts.size < maxCauses || this.#counts.has(why)) this.#counts.set(why, (this.#counts.get(why) ?? 0) + 1);
  }

  /** The most frequent first. */
  get shares(): readonly CauseShare[] {
    return [...this.#counts].map(([why, writes]) => ({ why, writes })).toSorted((a, b) => b.writes - a.writes);
  }
}

/** The causes of the writes of each object. */
export class WriteCauses {
  readonly #objects = new Map<string, CauseCounts>();

  add(object: ObjectName, why: string): void {
    const name = nameOf(object);
    if (this.#objects.size >= maxObjects && !this.#objects.has(name)) return;
    this.#objects.getOrInsertComputed(name, () => new CauseCounts()).add(why);
  }

  /** The causes of an object's writes, the most frequent first; empty if it was not written. */
  of(object: ObjectName): readonly CauseShare[] {
    return this.#objects.get(nameOf(object))?.shares ?? [];
  }
}
