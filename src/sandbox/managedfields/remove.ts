/** Removes the fields and items of a set from an object. Source: structured-merge-diff v6 typed/remove.go. */
import { isFields, isList, type Fields } from "../meta/object.ts";
import { type FieldSet, isEmptySet } from "./field-set.ts";
import {
  atomOf,
  deducedType,
  itemElement,
  type ListType,
  type MapType,
  type Type,
  typeAt,
  type Typed,
} from "./types.ts";

/** The object without the members of the set; the rest is shared. Values that have lost all their content become null. */
export function removeItems({ value, type }: Typed, set: FieldSet): Fields {
  if (isEmptySet(set)) return value;
  const left = without({ value, type }, set);
  return isFields(left) ? left : {};
}

interface Place<Value, Is extends Type> {
  readonly value: Value;
  readonly type: Is;
}

function without({ value, type }: Place<unknown, Type>, set: FieldSet): unknown {
  const atom = atomOf(type, value);
  switch (atom.is) {
    case "scalar":
      return value;
    case "map":
      return isFields(value) && !atom.atomic ? withoutFields({ value, type: atom }, set) : null;
    case "list":
      return isList(value) && atom.associative ? withoutItems({ value, type: atom }, set) : null;
  }
}

function withoutFields({ value: fields, type }: Place<Fields, MapType>, set: FieldSet): Fields | null {
  const left: Fields = {};
  for (const key of Object.keys(fields)) {
    const inside = set.children.get(`f:${key}`);
    if (inside?.member === true) continue;
    const at = { value: fields[key], type: typeAt(type, key) ?? deducedType };
    const value = inside === undefined ? at.value : without(at, inside);
    // Defined, not assigned: a key may be `__proto__`.
    Object.defineProperty(left, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return Object.keys(left).length === 0 ? null : left;
}

function withoutItems({ value: items, type }: Place<readonly unknown[], ListType>, set: FieldSet): unknown[] | null {
  const left = items.flatMap((item) => {
    const inside = set.children.get(itemElement(item, type));
    if (inside === undefined) return [item];
    return inside.member ? [] : [without({ value: item, type: type.of() }, inside)];
  });
  return left.length === 0 ? null : left;
}
