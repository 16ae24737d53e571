import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type MergeField, type MergeRules, strategicMerge } from "../../src/api/strategic-merge.ts";
import { threeWayPatch } from "../../src/api/three-way-merge.ts";
import { mergePatch } from "../../src/api/patch.ts";
import { tries } from "../support/long.ts";

const plain: MergeField = { merges: false, replaces: false, mergeKey: undefined, rules: undefined };
/** `items` is merged by name, `words` as a set, `union` keeps only the fields that the patch names, `whole` is replaced. */
const rules: MergeRules = {
  name: "Test",
  field(key) {
    switch (key) {
      case "items":
        return { ...plain, merges: true, mergeKey: "name", rules };
      case "words":
        return { ...plain, merges: true };
      case "union":
        return { ...plain, retainsKeys: true, rules };
      case "whole":
        return { ...plain, replaces: true };
      default:
        return { ...plain, rules };
    }
  },
};

interface Row {
  readonly name: string;
  readonly original?: unknown;
  readonly modified: Record<string, unknown>;
  readonly current: Record<string, unknown>;
  readonly patch: unknown;
}

const rows: readonly Row[] = [
  { name: "nothing changed", original: { a: 1 }, modified: { a: 1 }, current: { a: 1, b: 2 }, patch: {} },
  { name: "a field of another writer stays", original: {}, modified: {}, current: { b: 2 }, patch: {} },
  { name: "a changed field", original: { a: 1 }, modified: { a: 2 }, current: { a: 1 }, patch: { a: 2 } },
  {
    name: "a drifted field is restored",
    original: { a: 1 },
    modified: { a: 1 },
    current: { a: 3 },
    patch: { a: 1 },
  },
  {
    name: "a field that is no longer applied is removed",
    original: { a: 1, b: 2 },
    modified: { a: 1 },
    current: { a: 1, b: 2 },
    patch: { b: null },
  },
  {
    name: "a field that is no longer applied is already gone",
    original: { b: 2 },
    modified: {},
    current: {},
    patch: {},
  },
  {
    name: "an item is changed by its key",
    original: { items: [{ name: "a", n: 1 }] },
    modified: { items: [{ name: "a", n: 2 }] },
    current: { items: [{ name: "a", n: 1, d: 0 }] },
    patch: { items: [{ name: "a", n: 2 }], "$setElementOrder/items": [{ name: "a" }] },
  },
  {
    name: "an item that is no longer applied is removed, one of another writer stays",
    original: { items: [{ name: "a" }, { name: "b" }] },
    modified: { items: [{ name: "a" }] },
    current: { items: [{ name: "a" }, { name: "b" }, { name: "other" }] },
    patch: { items: [{ $patch: "delete", name: "b" }], "$setElementOrder/items": [{ name: "a" }] },
  },
  {
    name: "items in another order",
    original: { items: [{ name: "a" }, { name: "b" }] },
    modified: { items: [{ name: "b" }, { name: "a" }] },
    current: { items: [{ name: "a" }, { name: "b" }] },
    patch: { "$setElementOrder/items": [{ name: "b" }, { name: "a" }] },
  },
  {
    name: "values added to a set and removed from it",
    original: { words: ["a", "b"] },
    modified: { words: ["b", "c"] },
    current: { words: ["a", "b", "x"] },
    patch: { words: ["c"], "$deleteFromPrimitiveList/words": ["a"], "$setElementOrder/words": ["b", "c"] },
  },
  {
    name: "a changed union loses the fields that are not set",
    original: { union: { type: "x" } },
    modified: { union: { type: "y" } },
    current: { union: { type: "x", ofX: { n: 1 } } },
    patch: { union: { type: "y", ofX: null } },
  },
  {
    name: "a map that is replaced",
    modified: { whole: { a: 1 } },
    current: { whole: { b: 1 } },
    patch: { whole: { $patch: "replace", a: 1 } },
  },
];

describe("threeWayPatch creates the patch of kubectl apply", () => {
  for (const { name, original, modified, current, patch } of rows) {
    test(name, () => expect(threeWayPatch(original, modified, current, rules)).toEqual(patch as never));
  }

  const name = fc.constantFrom("a", "b", "c");
  const item = fc.record({ name, n: fc.nat(2) }, { requiredKeys: ["name"] });
  const object = fc.record(
    {
      x: fc.nat(2),
      words: fc.uniqueArray(name),
      items: fc.uniqueArray(item, { selector: (each) => each.name }),
      map: fc.dictionary(name, fc.nat(2)),
    },
    { requiredKeys: [] },
  );

  /** Whether `there` contains everything in `wanted`. */
  function says(there: unknown, wanted: unknown): boolean {
    if (Array.isArray(wanted)) {
      const list: readonly unknown[] = Array.isArray(there) ? there : [];
      return wanted.every((each: unknown) => list.some((other) => says(other, each)));
    }
    if (typeof wanted !== "object" || wanted === null) return there === wanted;
    return Object.entries(wanted).every(([key, value]) =>
      says((there as Record<string, unknown> | undefined)?.[key], value),
    );
  }

  test("whose result contains what is applied, and applying it again changes nothing", () => {
    fc.assert(
      fc.property(object, object, object, (original, modified, current) => {
        const after = strategicMerge(current, threeWayPatch(original, modified, current, rules), rules);
        expect(says(after, modified)).toBe(true);
        expect(threeWayPatch(modified, modified, after, rules)).toEqual({});
      }),
      { numRuns: tries(500), seed: 1 },
    );
  });

  test("which without rules is a JSON merge patch", () => {
    const [original, modified, current] = [{ list: [1], gone: 1 }, { list: [2] }, { list: [1, 3], gone: 1, kept: 1 }];
    const patch = threeWayPatch(original, modified, current, undefined);
    expect(mergePatch(current, patch)).toEqual({ list: [2], kept: 1 });
  });
});
