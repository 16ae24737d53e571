/**
 * Objects as the API server serializes them: its Go types omit most empty values but always write some, and have one way to write each
 * quantity and time.
 */
import { canonicalQuantity } from "../../api/quantity.ts";
import { formatMicroTime, formatTime, parseTime } from "../../api/time.ts";
import { isFields, type Fields } from "./object.ts";
import { type Field, type Schema, type Shape, type Struct, zeroOf } from "../../api/wire/schema.ts";

/** Converts an object to that form, in place. Values that its type does not know are not changed. */
export function canonicalize(value: Fields, struct: Struct, schema: Schema): void {
  if (struct.open) return;
  for (const key of Object.keys(value)) {
    const field = struct.fields.get(key);
    if (field === undefined) continue;
    const written = writtenAs(value[key], field, schema);
    if (written === undefined) {
      if (isEmptyContainer(value[key])) noteEmpty(value, key);
      delete value[key];
    } else if (written !== value[key]) value[key] = written;
  }
  for (const [key, field] of struct.always) {
    if (value[key] !== undefined) continue;
    value[key] = emptyOf(field, schema);
  }
}

const isEmptyContainer = (value: unknown): boolean => typeof value === "object" && value !== null;

/** By object, the keys of lists and maps that were sent empty: they are not written, but are not nil in Go either. */
const emptied = new WeakMap<Fields, Set<string>>();

function noteEmpty(value: Fields, key: string): void {
  const keys = emptied.get(value);
  if (keys === undefined) emptied.set(value, new Set([key]));
  else keys.add(key);
}

/**
 * True if a list or a map is nil in Go. One that was sent empty is not nil, though it is not written either; for stored objects this is
 * unknown. Use it where the real server compares with nil or with a zero value.
 */
export function isNil(value: Fields, key: string): boolean {
  return (value[key] ?? undefined) === undefined && emptied.get(value)?.has(key) !== true;
}

function writtenAs(value: unknown, field: Field, schema: Schema): unknown {
  if (field.empty === "omitted" && isEmpty(value)) return undefined;

  return inShape(value, field.shape, schema);
}

function isEmpty(value: unknown): boolean {
  if (value === "" || value === 0 || value === false || value === null || value === undefined) return true;
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const _key in value) return false;
  return true;
}

function inShape(value: unknown, shape: Shape, schema: Schema): unknown {
  switch (shape.is) {
    case "open":
      return value;
    case "struct":
      if (isFields(value)) canonicalize(value, schema.struct(shape.name), schema);
      return value;
    case "list":
      // Strings need no second pass.
      if (Array.isArray(value) && !(shape.of.is === "scalar" && shape.of.scalar === "string")) {
        for (let i = 0; i < value.length; i++) value[i] = inShape(value[i], shape.of, schema);
      }
      return value;
    case "map":
      if (isFields(value) && !(shape.of.is === "scalar" && shape.of.scalar === "string")) {
        for (const key of Object.keys(value)) value[key] = inShape(value[key], shape.of, schema);
      }
      return value;
    case "scalar":
      return scalarOf(value, shape.scalar);
  }
}

function scalarOf(value: unknown, scalar: string): unknown {
  if (typeof value !== "string") return value;
  switch (scalar) {
    case "quantity":
      return canonicalQuantity(value) ?? value;
    case "time":
      return formatTime(parseTime(value));
    case "micro-time":
      return microTime(value);
    default:
      return value;
  }
}

const microDigits = /\.(\d{1,6})\d*Z$/;

/** Six digits; parsed only if it is written otherwise, since a number only holds milliseconds. */
function microTime(text: string): string {
  const match = microDigits.exec(text);
  if (match !== null) return text.replace(microDigits, `.${(match[1] ?? "").padEnd(6, "0")}Z`);
  return formatMicroTime(parseTime(text));
}

/** Replaces empty lists with null, in place: stored objects do not distinguish them. */
export function forgetEmptyLists(value: Fields, struct: Struct, schema: Schema): void {
  for (const [key, field] of struct.fields) {
    const item = value[key];
    if (item === undefined || item === null) continue;
    const inside = field.shape.is === "list" ? field.shape.of : field.shape;
    if (field.empty === "null" && Array.isArray(item) && item.length === 0) value[key] = null;
    else if (inside.is === "struct") {
      const type = schema.struct(inside.name);
      if (!hasEmptyLists(type, schema)) continue;
      for (const part of Array.isArray(item) ? (item as unknown[]) : [item]) {
        if (isFields(part)) forgetEmptyLists(part, type, schema);
      }
    }
  }
}

const withEmptyLists = new WeakMap<Struct, boolean>();

/** True if a type, or something inside it, has lists that are written as null. */
function hasEmptyLists(struct: Struct, schema: Schema): boolean {
  const known = withEmptyLists.get(struct);
  if (known !== undefined) return known;
  withEmptyLists.set(struct, false);
  const has = [...struct.fields.values()].some(({ empty, shape }) => {
    const inside = shape.is === "list" ? shape.of : shape;
    if (shape.is === "list" && empty === "null") return true;
    return inside.is === "struct" && hasEmptyLists(schema.struct(inside.name), schema);
  });
  withEmptyLists.set(struct, has);
  return has;
}

/** What Go writes for an unset field. */
function emptyOf(field: Field, schema: Schema): unknown {
  switch (field.empty) {
    case "struct": {
      const made: Fields = {};
      if (field.shape.is === "struct") canonicalize(made, schema.struct(field.shape.name), schema);
      return made;
    }
    case "null":
      return null;
    case "zero":
      return field.shape.is === "scalar" ? zeroOf(field.shape.scalar) : null;
    case "omitted":
    case "as-set":
      return undefined;
  }
}
