/** Which fields differ between two states of an object, as sets of paths. Source: structured-merge-diff v6 typed/compare.go. */
import { deepEqual } from "../../api/field-changes.ts";
import { isFields, type Fields } from "../meta/object.ts";
import type { Field, Schema, Shape, Struct } from "../../api/wire/schema.ts";
import { below, emptySet, type FieldSet } from "./field-set.ts";

/** How one state of an object differs from another, as sets of fields. */
export interface Comparison {
  /** What is new or has another value. */
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/** A value with what its field says of it. */
export interface Kind {
  readonly shape: Shape;
  readonly field: Field | undefined;
}

/** Metadata that no manager owns. */
const unowned = new Set([
  "name",
  "namespace",
  "creationTimestamp",
  "selfLink",
  "uid",
  "generation",
  "managedFields",
  "resourceVersion",
]);

/** Compares two states of an object; `skip` are fields at its top that are left out. */
export function compare(
  old: Fields,
  now: Fields,
  struct: Struct,
  schema: Schema,
  skip: ReadonlySet<string>,
): Comparison {
  const result: Comparison = { changed: emptySet(), removed: emptySet() };
  compareStructs(ownable(old, skip), ownable(now, skip), struct, schema, result.changed, result.removed);
  return result;
}

/** The fields of an object that managers can own. */
export function ownable(fields: Fields, skip: ReadonlySet<string>): Fields {
  const kept: Fields = {};
  for (const key of Object.keys(fields)) {
    if (key === "kind" || key === "apiVersion" || skip.has(key)) continue;
    kept[key] = key === "metadata" && isFields(fields[key]) ? withoutUnowned(fields[key]) : fields[key];
  }
  return kept;
}

function withoutUnowned(metadata: Fields): Fields {
  const kept: Fields = {};
  for (const key of Object.keys(metadata)) if (!unowned.has(key)) kept[key] = metadata[key];
  return kept;
}

type Places = readonly [changed: FieldSet, removed: FieldSet];

function compareStructs(old: Fields, now: Fields, struct: Struct, schema: Schema, ...[changed, removed]: Places): void {
  for (const key of Object.keys(now)) {
    const field = struct.fields.get(key);
    const kind: Kind = { shape: field?.shape ?? { is: "open" }, field };
    comparePlace(old[key], now[key], kind, schema, `f:${key}`, changed, removed);
  }
  for (const key of Object.keys(old)) {
    if (now[key] !== undefined) continue;
    const field = struct.fields.get(key);
    addAll(old[key], { shape: field?.shape ?? { is: "open" }, field }, schema, below(removed, `f:${key}`));
  }
}

function comparePlace(
  old: unknown,
  now: unknown,
  kind: Kind,
  schema: Schema,
  element: string,
  ...[changed, removed]: Places
): void {
  if (old === now) return;
  if (old === undefined) {
    addAll(now, kind, schema, below(changed, element));
    return;
  }
  const parts = partsOf(now, kind, schema);
  if (parts === undefined || isAtomic(kind, schema)) {
    if (!deepEqual(old, now)) below(changed, element).member = true;
    return;
  }
  const before = partsOf(old, kind, schema) ?? new Map<string, Part>();
  const places = [emptySet(), emptySet()] as const;
  for (const [name, part] of parts) {
    comparePlace(before.get(name)?.value, part.value, part.kind, schema, name, ...places);
  }
  for (const [name, part] of before) {
    if (!parts.has(name)) addAll(part.value, part.kind, schema, below(places[1], name));
  }
  if (places[0].children.size > 0) changed.children.set(element, places[0]);
  if (places[1].children.size > 0) removed.children.set(element, places[1]);
}

/** True if a value is owned in one piece. */
export function isAtomic({ shape, field }: Kind, schema: Schema): boolean {
  if (field?.atomic === true) return true;
  if (shape.is === "struct") {
    const struct = schema.struct(shape.name);
    return struct.atomic || struct.open;
  }
  return shape.is === "list" ? field?.listType === "atomic" || field === undefined : shape.is === "open";
}

/** A value and all that is in it. */
function addAll(value: unknown, kind: Kind, schema: Schema, into: FieldSet): void {
  into.member = true;
  if (isAtomic(kind, schema)) return;
  for (const [name, part] of partsOf(value, kind, schema) ?? [])
    addAll(part.value, part.kind, schema, below(into, name));
}

interface Part {
  readonly value: unknown;
  readonly kind: Kind;
}

/** The parts of a value by path element; undefined for one without parts. */
function partsOf(value: unknown, { shape, field }: Kind, schema: Schema): Map<string, Part> | undefined {
  switch (shape.is) {
    case "struct": {
      if (!isFields(value)) return undefined;
      const struct = schema.struct(shape.name);
      return new Map(
        Object.keys(value).map((key) => {
          const own = struct.fields.get(key);
          return [`f:${key}`, { value: value[key], kind: { shape: own?.shape ?? { is: "open" }, field: own } }];
        }),
      );
    }
    case "map":
      if (!isFields(value)) return undefined;
      return new Map(
        Object.keys(value).map((key) => [
          `f:${key}`,
          { value: value[key], kind: { shape: shape.of, field: undefined } },
        ]),
      );
    case "list":
      return value === null ? new Map() : listParts(value, shape.of, field);
    case "open":
    case "scalar":
      return undefined;
  }
}

function listParts(value: unknown, of: Shape, field: Field | undefined): Map<string, Part> | undefined {
  if (!Array.isArray(value)) return undefined;
  const parts = new Map<string, Part>();
  for (const [name, items] of namedItems(value as unknown[], field)) {
    const kind: Kind = items.length === 1 ? { shape: of, field: undefined } : alike;
    parts.set(name, { value: items.length === 1 ? items[0] : items, kind });
  }
  return parts;
}

/** Items of one name are owned in one piece. */
const alike: Kind = { shape: { is: "open" }, field: undefined };

/** The items of a list by their names in paths. */
export function namedItems(list: readonly unknown[], field: Field | undefined): Map<string, unknown[]> {
  const named = new Map<string, unknown[]>();
  for (const item of list) {
    const name = listElement(item, field);
    const others = named.get(name);
    if (others === undefined) named.set(name, [item]);
    else others.push(item);
  }
  return named;
}

/** How the path to an item names it: by its keys, or by its value. */
export function listElement(item: unknown, field: Field | undefined): string {
  if (field?.listType !== "map" || !isFields(item)) return `v:${JSON.stringify(item)}`;
  const keys: Fields = {};
  // A secret to pull images with may go without its name, which is then empty; everything else has one.
  for (const key of [...field.listKeys].sort()) {
    if (item[key] !== undefined) keys[key] = item[key];
    else if (key === "name") keys[key] = "";
  }
  return `k:${JSON.stringify(keys)}`;
}
