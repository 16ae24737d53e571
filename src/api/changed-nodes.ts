/** Which parts of an object have changed: the lists of changed fields and of their owners examine only these. */
import { deepEqual } from "./deep-equal.ts";

/**
 * The objects and lists of `after`, itself included, that differ from the value at the same fields of `before`. Nodes inside lists are not
 * included. For most changes it is a handful of nodes.
 */
export type ChangedNodes = ReadonlySet<unknown>;

/**
 * The nodes of `after` that changed; empty if the two are equal. Walks both objects once; code that needs several views of one change
 * computes it once and passes it to each. Both are plain JSON.
 */
export function changedNodes(before: unknown, after: unknown): ChangedNodes {
  const parts = new Set<unknown>();
  differs(before, after, parts);
  return parts;
}

type Json = Readonly<Record<string, unknown>>;

/** Compares two pieces of plain JSON; adds the parts of `after` that differ. */
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
    // As many keys, and all equal: no key is gone.
    for (const _ in before) keys--;
    if (keys !== 0) found = true;
  }
  if (found) into.add(after);
  return found;
}
