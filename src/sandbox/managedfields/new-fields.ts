/**
 * The fields of a new object as `fieldsV1`: what `compare` with an empty object finds, but without building sets, as this is most of the
 * cost of a create. Source: as compare.ts.
 */
import { deepEqual } from "../../api/field-changes.ts";
import { isFields, listIn, type Fields } from "../meta/object.ts";
import { itemsByElement } from "./compare.ts";
import { type FieldSet, noFields } from "./field-set.ts";
import { type Atom, atomOf, deducedType, type ListType, type MapType, type Type, typeAt } from "./types.ts";

/** All fields of `now` that are not in `empty`, an object of the same type with nothing set. @throws ItemProblem */
export function newFields({ empty, now, type }: Beside<Type>, left: FieldSet): Fields {
  const atom = atomOf(type, now);
  return atom.is === "map" ? structBeside({ empty, now, type: atom }, left) : {};
}

/** An object, and one of the same type with nothing set. */
interface Beside<Is extends Type> {
  readonly empty: Fields;
  readonly now: Fields;
  readonly type: Is;
}

/** The fields of a struct that are not in `empty`, without those in `left`; the struct itself is not a member. */
function structBeside({ empty, now, type }: Beside<MapType>, left: FieldSet): Fields {
  const written: Fields = {};
  for (const key of Object.keys(now).sort()) {
    const leftHere = left.children.size === 0 ? undefined : left.children.get(`f:${key}`);
    if (leftHere !== undefined && leftHere.children.size === 0) continue;
    const place = { empty: empty[key], now: now[key], type: typeAt(type, key) ?? deducedType };
    const found = beside(place, leftHere ?? noFields);
    if (found !== undefined) written[`f:${key}`] = found;
  }
  return written;
}

interface Place {
  readonly empty: unknown;
  readonly now: unknown;
  readonly type: Type;
}

function beside({ empty, now, type }: Place, left: FieldSet): Fields | undefined {
  if (empty === now) return undefined;
  const atom = atomOf(type, now);
  if (left.children.size > 0 && atom.is === "map" && isFields(now)) {
    const written = structBeside({ empty: isFields(empty) ? empty : {}, now, type: atom }, left);
    return hasKeys(written) ? written : undefined;
  }
  if (empty === undefined) return whole(now, atom);
  if (!hasParts(now, atom)) return deepEqual(empty, now) ? undefined : {};
  if (atom.is === "map" && isFields(empty) && isFields(now)) {
    const written = structBeside({ empty, now, type: atom }, noFields);
    return hasKeys(written) ? written : undefined;
  }
  // It was null: its parts are new, but not itself, unless it has no parts.
  if (Array.isArray(now) && now.length === 0) return {};
  const { ".": _self, ...parts } = whole(now, atom);
  return hasKeys(parts) ? parts : undefined;
}

function hasParts(value: unknown, atom: Atom): boolean {
  if (atom.is === "scalar") return false;
  return atom.is === "list" ? atom.associative && Array.isArray(value) : !atom.atomic && isFields(value);
}

function hasKeys(object: Fields): boolean {
  for (const _key in object) return true;
  return false;
}

/** A value and everything in it. */
function whole(value: unknown, atom: Atom): Fields {
  if (!hasParts(value, atom)) return {};
  if (atom.is === "list") return wholeList(listIn(value), atom);
  return atom.is === "map" && isFields(value) ? wholeMap(value, atom) : {};
}

function wholeMap(fields: Fields, type: MapType): Fields {
  const keys = Object.keys(fields);
  if (keys.length === 0) return {};
  const written: Fields = { ".": {} };
  for (const key of keys.sort()) {
    const item = fields[key];
    written[`f:${key}`] = whole(item, atomOf(typeAt(type, key) ?? deducedType, item));
  }
  return written;
}

function wholeList(value: readonly unknown[], type: ListType): Fields {
  const parts = itemsByElement(value, type);
  if (parts.size === 0) return {};
  const written: Fields = { ".": {} };
  for (const element of [...parts.keys()].sort()) {
    const items = parts.get(element) ?? [];
    written[element] = items.length === 1 ? whole(items[0], atomOf(type.of(), items[0])) : {};
  }
  return written;
}
