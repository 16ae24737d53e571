/** Why a process wrote each object, counted. */
import { type CauseShare, nameOf, type ObjectName } from "../loops/loop.ts";

/** Objects that are followed. */
const mostObjects = 20_000;
/** Causes that are told apart for one object. */
const mostCauses = 20;

/** How often each cause led to something: `because Tenant acme Updated (.spec.size)`, 12 times. */
export class CauseCounts {
  readonly #counts = new Map<string, number>();

  add(why: string): void {
    if (this.#counts.size < mostCauses || this.#counts.has(why))
      this.#counts.set(why, (this.#counts.get(why) ?? 0) + 1);
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
    if (this.#objects.size >= mostObjects && !this.#objects.has(name)) return;
    this.#objects.getOrInsertComputed(name, () => new CauseCounts()).add(why);
  }

  /** The most frequent first; empty for an object that was not written. */
  of(object: ObjectName): readonly CauseShare[] {
    return this.#objects.get(nameOf(object))?.shares ?? [];
  }
}
