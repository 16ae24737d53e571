/** Patches of an object that change one thing in it to something wild, and some that are not valid patches. */
import type { Schema, Shape, Struct } from "../../../src/api/wire/schema.ts";
import type { Dice } from "../random/dice.ts";
import { isJson, isUncompiled, somethingOf, texts } from "./changes.ts";
import type { Json } from "./example.ts";

/** JSON values that most fields do not accept. */
const strangers: readonly unknown[] = [
  null,
  1,
  "text",
  true,
  false,
  [],
  {},
  [null],
  ["a"],
  [{}],
  { a: null },
  1.5,
  -1,
  1e20,
  2 ** 53,
  "9223372036854775808",
  { a: { b: "c" } },
];

/** A JSON value that often has the wrong type. */
export const stranger = (dice: Dice): unknown => dice.one(strangers);

export type Patch = readonly [type: "json" | "merge" | "strategic", body: unknown];

/** The place of a change, with its shape and current value. */
interface Place {
  readonly path: readonly string[];
  readonly shape: Shape;
  readonly there: unknown;
}

/** A random place in an object: an existing field, or one that could exist. */
export function placeIn(dice: Dice, value: Json, struct: Struct, schema: Schema): Place {
  let place: Place = { path: [], shape: { is: "struct", name: struct.name }, there: value };
  do {
    const next = below(dice, place, schema);
    if (next === undefined) break;
    place = next;
  } while (dice.chance(0.75));
  return place;
}

function below(dice: Dice, { path, shape, there }: Place, schema: Schema): Place | undefined {
  if (shape.is === "struct") {
    const struct = schema.struct(shape.name);
    const own = isJson(there) ? Object.keys(there).filter((key) => struct.fields.has(key)) : [];
    const all = [...struct.fields.keys()].filter((key) => !(path.length === 0 && key === "metadata"));
    const key = own.length > 0 && dice.chance(0.7) ? dice.one(own) : all.length > 0 ? dice.one(all) : undefined;
    const field = key === undefined ? undefined : struct.fields.get(key);
    if (key === undefined || field === undefined || isUncompiled(key, struct)) return undefined;
    return { path: [...path, key], shape: field.shape, there: isJson(there) ? there[key] : undefined };
  }
  if (shape.is === "list" && Array.isArray(there) && there.length > 0) {
    const index = dice.below(there.length);
    return { path: [...path, String(index)], shape: shape.of, there: (there as unknown[])[index] };
  }
  if (shape.is === "map") {
    const key = dice.one([...(isJson(there) ? Object.keys(there) : []), ...texts]);
    return { path: [...path, key], shape: shape.of, there: isJson(there) ? there[key] : undefined };
  }
  return undefined;
}

const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

const lostPaths = [
  "",
  "/",
  "spec",
  "/spec/nothing/x",
  "/metadata/labels/a",
  "/spec/-",
  "/metadata/annotations/a~1b",
  "/kind",
];

function operationOf(dice: Dice, { path, shape, there }: Place, schema: Schema): Json {
  const pointer = path.map((key) => `/${escaped(key)}`).join("");
  const somewhere = dice.chance(0.08) ? dice.one(lostPaths) : pointer;
  const value = dice.chance(0.15) ? stranger(dice) : somethingOf(dice, shape, schema, 1);
  switch (dice.below(10)) {
    case 0:
      return { op: "test", path: somewhere, value: dice.chance(0.6) ? (there ?? null) : value };
    case 1:
    case 2:
      return { op: "remove", path: somewhere };
    case 3:
      return {
        op: dice.one(["move", "copy"]),
        from: somewhere,
        path: dice.one([pointer, "/metadata/labels", "/spec/x"]),
      };
    case 4:
    case 5:
    case 6:
      return { op: "add", path: dice.chance(0.1) ? `${somewhere}/-` : somewhere, value };
    case 7:
      return dice.one<Json>([
        { op: "nothing", path: somewhere },
        { path: somewhere, value },
        { op: "add", path: somewhere },
      ]);
    default:
      return { op: "replace", path: somewhere, value };
  }
}

/** A merge patch that sets one place; a change within a list replaces the whole list. */
function nested(path: readonly string[], value: unknown, there: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (!Array.isArray(there)) return { [key]: nested(rest, value, isJson(there) ? there[key] : undefined) };
  const list = [...(there as unknown[])];
  const item = list[Number(key)];
  list[Number(key)] = rest.length === 0 ? value : merged(item, nested(rest, value, item));
  return list;
}

const merged = (item: unknown, change: unknown): unknown =>
  isJson(item) && isJson(change)
    ? Object.fromEntries(
        Object.entries({ ...item, ...change }).map(([key, value]) => [
          key,
          key in change ? merged(item[key], value) : value,
        ]),
      )
    : change;

function directive(dice: Dice, { path }: Place): Json {
  const own = path.findLast((key) => !/^\d+$/.test(key)) ?? "spec";
  const at = path.slice(0, path.lastIndexOf(own));
  const directives: readonly Json[] = [
    { [own]: [{ $patch: dice.one(["replace", "delete", "merge", "other"]) }] },
    { [own]: { $patch: dice.one(["replace", "delete", "merge", "other"]) } },
    { [own]: { $retainKeys: dice.one<unknown>([["a"], [], "a", [1]]) } },
    { [`$deleteFromPrimitiveList/${own}`]: dice.one<unknown>([["a"], "a", [{}]]) },
    { [`$setElementOrder/${own}`]: dice.one<unknown>([["a"], "a", []]) },
    { [own]: [{ $patch: "delete", name: "c" }] },
    { [own]: [{ name: "c", $patch: "replace" }] },
  ];
  return nested(at, dice.one(directives), undefined) as Json;
}

const noPatches: readonly Patch[] = [
  ["json", {}],
  ["json", [null]],
  ["json", []],
  ["json", [{}]],
  ["json", null],
  ["json", "text"],
  ["merge", []],
  ["merge", null],
  ["merge", "text"],
  ["merge", { kind: "Other" }],
  ["merge", { apiVersion: "v2" }],
  ["strategic", []],
  ["strategic", null],
  ["strategic", { $patch: "delete" }],
  ["strategic", { $patch: "replace" }],
  ["strategic", { kind: null }],
  ["merge", { metadata: null }],
  ["strategic", { metadata: { name: "other" } }],
  ["merge", { metadata: { resourceVersion: "1" } }],
  ["strategic", { metadata: { uid: "u" } }],
];

/** A random patch of an object. */
export function wildPatch(dice: Dice, value: Json, struct: Struct, schema: Schema): Patch {
  if (dice.chance(0.06)) return dice.one(noPatches);
  const place = placeIn(dice, value, struct, schema);
  const type = dice.one(["json", "merge", "strategic"] as const);
  if (type === "json") {
    const operations = [operationOf(dice, place, schema)];
    while (dice.chance(0.3)) operations.push(operationOf(dice, placeIn(dice, value, struct, schema), schema));
    return [type, operations];
  }
  if (type === "strategic" && dice.chance(0.2)) return [type, directive(dice, place)];
  const made = dice.chance(0.12)
    ? null
    : dice.chance(0.15)
      ? stranger(dice)
      : somethingOf(dice, place.shape, schema, 1);
  // A strategic merge patch may contain only some items of a list.
  return [type, nested(place.path, made, type === "strategic" && dice.chance(0.3) ? undefined : value)];
}
