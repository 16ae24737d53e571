/** Structured merge for cases that no built-in kind has: deduced types, open structs, lists of many kinds, a changed schema. */
import { describe, expect, test } from "bun:test";
import type { Field, Schema, Struct } from "../../src/api/wire/schema.ts";
import { compare } from "../../src/sandbox/managedfields/compare.ts";
import { pathsOf, readSet, setOfPaths, writeSet } from "../../src/sandbox/managedfields/field-set.ts";
import { merge } from "../../src/sandbox/managedfields/merge.ts";
import { pathText } from "../../src/sandbox/managedfields/path-element.ts";
import { reconciledSet } from "../../src/sandbox/managedfields/reconcile-schema.ts";
import { removeItems } from "../../src/sandbox/managedfields/remove.ts";
import { fieldSetOf } from "../../src/sandbox/managedfields/to-field-set.ts";
import { deducedType, typeOf } from "../../src/sandbox/managedfields/types.ts";
import { typeProblems } from "../../src/sandbox/managedfields/validate.ts";

const usual = {
  required: false,
  mergeKey: undefined,
  merges: false,
  replaces: false,
  retainsKeys: false,
  listType: "atomic",
  listKeys: [],
  atomic: false,
  values: undefined,
  empty: "omitted",
} as const;
const text: Field = { ...usual, shape: { is: "scalar", scalar: "string" } };
const number: Field = { ...usual, shape: { is: "scalar", scalar: "int64" } };

function struct(name: string, fields: Readonly<Record<string, Field>>, more: Partial<Struct> = {}): Struct {
  return { name, fields: new Map(Object.entries(fields)), always: [], open: false, atomic: false, ...more };
}

const item = struct("Item", { key: text, protocol: { ...text, default: "TCP" }, value: text, count: number });
const open = struct("Open", { known: text }, { open: true });
const piece = struct("Piece", { a: text, b: text }, { atomic: true });
const root = struct("Root", {
  items: {
    ...usual,
    shape: { is: "list", of: { is: "struct", name: "Item" } },
    listType: "map",
    listKeys: ["key", "protocol"],
  },
  numbers: { ...usual, shape: { is: "list", of: number.shape }, listType: "set" },
  open: { ...usual, shape: { is: "struct", name: "Open" } },
  any: { ...usual, shape: { is: "open" } },
  raw: { ...usual, shape: { is: "open" }, atomic: true },
  piece: { ...usual, shape: { is: "struct", name: "Piece" } },
  granular: { ...usual, shape: { is: "struct", name: "Piece" }, granular: true },
  map: { ...usual, shape: { is: "map", of: text.shape } },
});
const structs: Readonly<Record<string, Struct>> = { Item: item, Open: open, Piece: piece, Root: root };
const schema: Schema = {
  struct(name) {
    const found = structs[name];
    if (found === undefined) throw new RangeError(`Cannot find the type ${name}`);
    return found;
  },
  kind: () => undefined,
};
const type = typeOf(root, schema);

const fields = (object: Record<string, unknown>): string[] =>
  pathsOf(fieldSetOf({ value: object, type })).map(pathText);

describe("the owned fields of an object", () => {
  test.each([
    {
      what: "an item is identified by its keys, one of which has a default",
      object: { items: [{ key: "a" }] },
      has: ['.items[key="a",protocol="TCP"]', '.items[key="a",protocol="TCP"].key'],
    },
    { what: "a set is identified by values", object: { numbers: [1, 2] }, has: [".numbers[=1]", ".numbers[=2]"] },
    {
      what: "an object with unknown fields is owned field by field",
      object: { open: { known: "1", other: { x: [1], y: {} } } },
      has: [".open.other", ".open.known", ".open.other.x", ".open.other.y"],
    },
    {
      what: "an untyped object is owned field by field",
      object: { any: { a: { b: 1 } } },
      has: [".any.a", ".any.a.b"],
    },
    { what: "an untyped value other than an object is one field", object: { any: [{ a: 1 }] }, has: [".any"] },
    { what: "a raw object is one field", object: { raw: { a: { b: 1 } } }, has: [".raw"] },
    { what: "an atomic struct is one field", object: { piece: { a: "1" } }, has: [".piece"] },
    { what: "a field can be granular in an atomic type", object: { granular: { a: "1" } }, has: [".granular.a"] },
    { what: "an empty map is a field", object: { map: {} }, has: [".map"] },
    { what: "an empty list is not", object: { numbers: [] }, has: [] },
    { what: "null is a field", object: { items: null, map: { a: null } }, has: [".items", ".map.a"] },
  ])("$what", ({ object, has }) => {
    expect(fields(object).sort()).toEqual([...has].sort());
  });
});

describe("a merge", () => {
  test.each([
    {
      what: "keeps fields that are not applied",
      live: { map: { a: "1" } },
      applied: { map: { b: "2" } },
      merged: { map: { a: "1", b: "2" } },
    },
    {
      what: "merges into unknown fields",
      live: { open: { o: { a: 1 } } },
      applied: { open: { o: { b: 2 } } },
      merged: { open: { o: { a: 1, b: 2 } } },
    },
    {
      what: "replaces an untyped value by another type",
      live: { any: { a: 1 } },
      applied: { any: "text" },
      merged: { any: "text" },
    },
    {
      what: "replaces an untyped list",
      live: { any: [1, 2] },
      applied: { any: [3] },
      merged: { any: [3] },
    },
    {
      what: "replaces an atomic struct",
      live: { piece: { a: "1", b: "1" } },
      applied: { piece: { a: "2" } },
      merged: { piece: { a: "2" } },
    },
    {
      what: "ignores null in a map",
      live: { map: { a: "1" } },
      applied: { map: null },
      merged: { map: { a: "1" } },
    },
    { what: "keeps an empty map", live: {}, applied: { map: {} }, merged: { map: {} } },
    {
      what: "leaves the metadata of every object alone",
      live: { map: { a: "1" } },
      applied: JSON.parse('{"map":{"__proto__":"2"}}') as Record<string, unknown>,
      merged: JSON.parse('{"map":{"a":"1","__proto__":"2"}}') as Record<string, unknown>,
    },
  ])("$what", ({ live, applied, merged }) => {
    const before = JSON.stringify([live, applied]);
    expect(JSON.stringify(merge({ value: live, type }, applied))).toBe(JSON.stringify(merged));
    expect(JSON.stringify([live, applied])).toBe(before);
  });

  // Common items are in the applied order; an item only in the live list keeps its place before the item that follows it.
  test.each([
    { live: [1, 2, 3], applied: [3, 1], merged: [2, 3, 1] },
    { live: [1, 2, 3], applied: [2], merged: [1, 2, 3] },
    { live: [1, 2], applied: [3, 4], merged: [1, 2, 3, 4] },
    { live: [1, 2, 3], applied: [4, 2, 5], merged: [1, 4, 2, 3, 5] },
    { live: [], applied: [2, 1], merged: [2, 1] },
    { live: [1, 2, 3, 4], applied: [4, 3, 2, 1], merged: [4, 3, 2, 1] },
  ])("of $live with $applied is $merged", ({ live, applied, merged }) => {
    expect(merge({ value: { numbers: live }, type }, { numbers: applied })).toEqual({ numbers: merged });
  });

  test("replaces both items of a duplicate key", () => {
    const twice = { items: [{ key: "a", value: "1" }, { key: "a", value: "2" }, { key: "b" }] };
    expect(merge({ value: twice, type }, { items: [{ key: "a", count: 1 }] })).toEqual({
      items: [{ key: "a", count: 1 }, { key: "b" }],
    });
  });
});

describe("a removal", () => {
  test.each([
    {
      what: "removes items",
      object: { items: [{ key: "a" }, { key: "b" }] },
      gone: { "f:items": { 'k:{"key":"a","protocol":"TCP"}': {} } },
      left: { items: [{ key: "b" }] },
    },
    {
      what: "leaves null if nothing is left",
      object: { map: { a: "1" } },
      gone: { "f:map": { "f:a": {} } },
      left: { map: null },
    },
    {
      what: "removes parts of unknown fields",
      object: { open: { o: { a: 1, b: 1 } } },
      gone: { "f:open": { "f:o": { "f:a": {} } } },
      left: { open: { o: { b: 1 } } },
    },
    {
      what: "removes atomic values as a whole",
      object: { piece: { a: "1", b: "1" } },
      gone: { "f:piece": { "f:a": {} } },
      left: { piece: null },
    },
  ])("$what", ({ object, gone, left }) => {
    expect(removeItems({ value: object, type }, readSet(gone))).toEqual(left);
  });
});

describe("a comparison", () => {
  const compared = (old: Record<string, unknown>, now: Record<string, unknown>): object => {
    const { added, modified, removed } = compare({ old, now, type });
    return { added: writeSet(added), modified: writeSet(modified), removed: writeSet(removed) };
  };

  test("of an untyped value with another type has both", () => {
    expect(compared({ any: { a: 1 } }, { any: "text" })).toEqual({
      added: {},
      modified: { "f:any": {} },
      removed: { "f:any": { "f:a": {} } },
    });
    expect(compared({ any: 1 }, { any: { a: 1 } })).toEqual({
      added: { "f:any": { "f:a": {} } },
      modified: { "f:any": {} },
      removed: {},
    });
  });

  test("finds nothing in reset fields", () => {
    const reset = setOfPaths([["map"], ["open", "known"]]);
    const [old, now] = [
      { map: { a: "1" }, open: { known: "1" } },
      { map: {}, open: { known: "2", o: 1 } },
    ];
    const { added, modified, removed } = compare({ old, now, type, reset });
    expect([added, modified, removed].map(writeSet)).toEqual([{ "f:open": { "f:o": {} } }, {}, {}]);
  });
});

test("without a schema, the type is deduced: lists are atomic", () => {
  const object = { spec: { list: [{ name: "a" }], map: { x: { y: 1 } } } };
  expect(
    pathsOf(fieldSetOf({ value: object, type: deducedType }))
      .map(pathText)
      .sort(),
  ).toEqual([".spec", ".spec.list", ".spec.map", ".spec.map.x", ".spec.map.x.y"]);
  expect(typeProblems({ value: { spec: { anything: [null, {}] } }, type: deducedType })).toEqual([]);
});

test("the owner of a part of a value that is now atomic owns all of it", () => {
  const set = readSet({ "f:piece": { ".": {}, "f:a": {} }, "f:map": { "f:a": {} }, "f:gone": { "f:x": {} } });
  expect(writeSet(reconciledSet(set, type))).toEqual({
    "f:piece": {},
    "f:map": { "f:a": {} },
    "f:gone": { "f:x": {} },
  });
  const same = readSet({ "f:map": { "f:a": {} } });
  expect(reconciledSet(same, type)).toBe(same);
});
