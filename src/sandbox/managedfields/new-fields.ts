/**
 * The fields of an object that is new, as `fieldsV1` writes them: what `compare` with an empty object finds, made without sets, as
 * it is most of what a create costs. Source: as compare.ts.
 */
import { deepEqual } from "../../api/field-changes.ts";
import { isFields, type Fields } from "../meta/object.ts";
import type { Field, Schema, Shape, Struct } from "../../api/wire/schema.ts";
import { isAtomic, type Kind, namedItems, ownable } from "./compare.ts";

const open: Shape = { is: "open" };

/** All fields of `now` that `empty`, an object of the same type with nothing set, does not have; `skip` are left out at the top. */
export function newFields(
  empty: Fields,
  now: Fields,
  struct: Struct,
  schema: Schema,
  skip: ReadonlySet<string>,
): Fields {
  return structBeside(ownable(empty, skip), ownable(now, skip), struct, schema);
}

/** The fields of a struct that `empty` does not have; the struct itself is no member. */
function structBeside(empty: Fields, now: Fields, struct: Struct, schema: Schema): Fields {
  const written: Fields = {};
  for (const key of Object.keys(now).sort()) {
    const field = struct.fields.get(key);
    const found = beside(empty[key], now[key], { shape: field?.shape ?? open, field }, schema);
    if (found !== undefined) written[`f:${key}`] = found;
  }
  return written;
}

function beside(empty: unknown, now: unknown, kind: Kind, schema: Schema): Fields | undefined {
  if (empty === now) return undefined;
  if (empty === undefined) return whole(now, kind, schema);
  const { shape } = kind;
  const hasParts = shape.is === "list" ? Array.isArray(now) : shape.is !== "scalar" && isFields(now);
  if (!hasParts || isAtomic(kind, schema)) return deepEqual(empty, now) ? undefined : {};
  if (shape.is === "struct" && isFields(empty) && isFields(now)) {
    const written = structBeside(empty, now, schema.struct(shape.name), schema);
    return hasKeys(written) ? written : undefined;
  }
  // It was null: its parts are new, itself is not, unless it is all there is.
  if (Array.isArray(now) && now.length === 0) return {};
  const { ".": _self, ...parts } = whole(now, kind, schema);
  return hasKeys(parts) ? parts : undefined;
}

function hasKeys(object: Fields): boolean {
  for (const _key in object) return true;
  return false;
}

/** A value and all that is in it. */
function whole(value: unknown, kind: Kind, schema: Schema): Fields {
  const { shape, field } = kind;
  if (shape.is === "scalar" || shape.is === "open" || isAtomic(kind, schema)) return {};
  if (shape.is === "list") return Array.isArray(value) ? wholeList(value, shape.of, field, schema) : {};
  if (!isFields(value)) return {};
  const fields = shape.is === "struct" ? schema.struct(shape.name).fields : undefined;
  const keys = Object.keys(value).sort();
  if (keys.length === 0) return {};
  const written: Fields = { ".": {} };
  for (const key of keys) {
    const own = fields?.get(key);
    const part: Kind =
      shape.is === "map" ? { shape: shape.of, field: undefined } : { shape: own?.shape ?? open, field: own };
    written[`f:${key}`] = whole(value[key], part, schema);
  }
  return written;
}

function wholeList(value: readonly unknown[], of: Shape, field: Field | undefined, schema: Schema): Fields {
  const parts = namedItems(value, field);
  if (parts.size === 0) return {};
  const written: Fields = { ".": {} };
  for (const element of [...parts.keys()].sort()) {
    const items = parts.get(element) ?? [];
    written[element] = items.length === 1 ? whole(items[0], { shape: of, field: undefined }, schema) : {};
  }
  return written;
}
