/** Which parts of an object are not as they were: what asks for changes needs to look nowhere else. */
import { deepEqual } from "./deep-equal.ts";

/**
 * Of `after`, itself included, the objects that differ from what stood at the same fields before, and the lists that do. Into lists
 * it does not look. In most changes these are a handful, so that whoever asks twice goes through the whole once.
 */
export type ChangedNodes = ReadonlySet<unknown>;

export function changedNodes(before: unknown, after: unknown): ChangedNodes {
  const parts = new Set<unknown>();
  differs(before, after, parts);
  return parts;
}

type Json = Readonly<Record<string, unknown>>;

/** Two pieces of plain JSON; the parts of `after` are added where they differ. */
function differs(before: unknown, after: unknown, into: Set<unknown>): boolean {
  if (before === after) return false;
  if (typeof before !== "object" || typeof after !== "object" || before === null || after === null) return true;
  let found = false;
  if (Array.isArray(after) || Array.isArray(before)) found = !deepEqual(before, after);
  else {
    let keys = 0;
    for (const key in after) {
      keys++;
      const old = Object.hasOwn(before, key) ? (before as Json)[key] : undefined;
      if (differs(old, (after as Json)[key], into)) found = true;
    }
    // A key of the one for each of the other, and all the same: no key is gone.
    for (const _ in before) keys--;
    if (keys !== 0) found = true;
  }
  if (found) into.add(after);
  return found;
}
