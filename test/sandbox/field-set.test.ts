/** The algebra of field sets: equalities on random sets and on error-prone cases. */
import { describe, expect, test } from "bun:test";
import { below, seededRandom, type Random } from "../../src/platform/random.ts";
import {
  difference,
  type FieldSet,
  has,
  insert,
  intersection,
  isEmptySet,
  newSet,
  pathsOf,
  readSet,
  recursiveDifference,
  setOfPaths,
  union,
  writeSet,
} from "../../src/sandbox/managedfields/field-set.ts";
import { pathText, readElement } from "../../src/sandbox/managedfields/path-element.ts";

const elements = ["f:a", "f:b", 'k:{"name":"x"}', 'v:"y"', "v:1"];

function randomPath(random: Random): string[] {
  const length = 1 + below(random, 3);
  return Array.from({ length }, () => elements[below(random, elements.length)] as string);
}

function randomSet(random: Random): FieldSet {
  const set = newSet();
  for (let count = below(random, 8); count > 0; count--) insert(set, randomPath(random));
  return set;
}

const texts = (set: FieldSet): Set<string> => new Set(pathsOf(set).map((path) => JSON.stringify(path)));

/** Whether no child in the set is empty. */
function isTight({ children }: FieldSet): boolean {
  return [...children.values()].every((child) => !isEmptySet(child) && isTight(child));
}

describe("field sets", () => {
  test("union, intersection and difference are those of their paths", () => {
    const random = seededRandom(1);
    for (let round = 0; round < 500; round++) {
      const [a, b] = [randomSet(random), randomSet(random)];
      const [ours, theirs] = [texts(a), texts(b)];
      const before = JSON.stringify([writeSet(a), writeSet(b)]);
      expect(texts(union(a, b))).toEqual(ours.union(theirs));
      expect(texts(intersection(a, b))).toEqual(ours.intersection(theirs));
      expect(texts(difference(a, b))).toEqual(ours.difference(theirs));
      for (const made of [union(a, b), intersection(a, b), difference(a, b)]) expect(isTight(made)).toBe(true);
      // No operation modifies its arguments.
      expect(JSON.stringify([writeSet(a), writeSet(b)])).toBe(before);
    }
  });

  test("a recursive difference also removes descendants", () => {
    const random = seededRandom(2);
    for (let round = 0; round < 500; round++) {
      const [a, b] = [randomSet(random), randomSet(random)];
      const covered = (path: readonly string[]): boolean =>
        path.some((_element, index) => has(b, path.slice(0, index + 1)));
      const left = pathsOf(a).filter((path) => !covered(path));
      expect(texts(recursiveDifference(a, b))).toEqual(new Set(left.map((path) => JSON.stringify(path))));
    }
  });

  test("a set is parsed as it was formatted", () => {
    const random = seededRandom(3);
    for (let round = 0; round < 500; round++) {
      const set = randomSet(random);
      expect(texts(readSet(JSON.parse(JSON.stringify(writeSet(set)))))).toEqual(texts(set));
    }
  });

  test("a field stays if its descendants are removed, and descendants stay if their field is removed", () => {
    const [whole, part] = [setOfPaths([["a"], ["a", "b"]]), setOfPaths([["a", "b"]])];
    expect(writeSet(difference(whole, part))).toEqual({ "f:a": {} });
    expect(writeSet(difference(whole, setOfPaths([["a"]])))).toEqual({ "f:a": { "f:b": {} } });
    expect(writeSet(recursiveDifference(whole, setOfPaths([["a"]])))).toEqual({});
  });

  test.each([
    { what: "keys in any order", written: 'k:{"b":1,"a":"x"}', read: 'k:{"a":"x","b":1}' },
    { what: "values with spaces", written: 'v: "x"', read: 'v:"x"' },
    { what: "a number in Go's format", written: "v:1.0", read: "v:1" },
    { what: "characters that Go escapes for HTML", written: 'v:"<&>"', read: 'v:"\\u003c\\u0026\\u003e"' },
    { what: "unknown elements of a later version", written: "x:y", read: undefined },
  ])("an element is read in one form: $what", ({ written, read }) => {
    expect(readElement(written)).toBe(read as string);
  });

  test.each(["", "f", "name", "k:", "k:[]", "v:", "i:x"])("%p is no element", (text) => {
    expect(() => readElement(text)).toThrow(SyntaxError);
  });

  test("paths have members first, and fields before keys before values, numbers before strings", () => {
    const set = readSet({
      'v:"a"': {},
      "v:10": {},
      "v:9": {},
      'k:{"name":"b"}': {},
      'k:{"name":"a","port":2}': {},
      "f:z": { ".": {}, "f:y": {} },
      "f:b": { "f:c": {} },
    });
    expect(pathsOf(set).map(pathText)).toEqual([
      ".z",
      '[name="a",port=2]',
      '[name="b"]',
      "[=9]",
      "[=10]",
      '[="a"]',
      ".b.c",
      ".z.y",
    ]);
  });
});
