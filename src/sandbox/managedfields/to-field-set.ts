/** All fields of an object, as a set. Source: structured-merge-diff v6 typed/tofieldset.go, fieldpath/set.go. */
import { isFields, isList, type Fields } from "../meta/object.ts";
import { itemsByElement } from "./compare.ts";
import { type FieldSet, insert, newSet, type FieldSetBuilder } from "./field-set.ts";
import { atomOf, deducedType, type ListType, type MapType, type Type, type Typed } from "./types.ts";

/**
 * Every leaf and every item of the object. Structs are represented only by their content, keys of maps also by themselves. @throws
 * ItemProblem
 */
export function fieldSetOf({ value, type }: Typed): FieldSet {
  const set = newSet();
  addValue({ set, path: [] }, { value, type });
  return set;
}

interface Walk {
  readonly set: FieldSetBuilder;
  readonly path: string[];
}

interface Place<Value, Is extends Type> {
  readonly value: Value;
  readonly type: Is;
}

function addValue(walk: Walk, { value, type }: Place<unknown, Type>): void {
  const atom = atomOf(type, value);
  switch (atom.is) {
    case "scalar":
      insert(walk.set, walk.path);
      return;
    case "map":
      if (atom.atomic) insert(walk.set, walk.path);
      else if (isFields(value)) addFields(walk, { value, type: atom });
      return;
    case "list":
      if (!atom.associative) insert(walk.set, walk.path);
      else if (isList(value)) addItems(walk, { value, type: atom });
      return;
  }
}

function addFields(walk: Walk, { value: fields, type }: Place<Fields, MapType>): void {
  for (const key of Object.keys(fields)) {
    const value = fields[key];
    const named = type.field(key);
    walk.path.push(`f:${key}`);
    addValue(walk, { value, type: named ?? type.elements ?? deducedType });
    const isEmpty = value === null || (isFields(value) && Object.keys(value).length === 0);
    if (isEmpty || named === undefined) insert(walk.set, walk.path);
    walk.path.pop();
  }
}

function addItems(walk: Walk, { value: list, type }: Place<readonly unknown[], ListType>): void {
  for (const [element, items] of itemsByElement(list, type)) {
    walk.path.push(element);
    // Items with the same path element are owned as one unit.
    if (items.length === 1) addValue(walk, { value: items[0], type: type.of() });
    insert(walk.set, walk.path);
    walk.path.pop();
  }
}

/** The set plus the structs that contain its fields: for `a.b.c` also `a`, but not `a.b` if that is a map key. */
export function withNamedFields(set: FieldSet, type: Type | undefined): FieldSet {
  if (set.children.size === 0) return set;
  const map = type?.is === "map" ? type : undefined;
  const list = type?.is === "list" ? type : undefined;
  const children = new Map<string, FieldSet>();
  for (const [element, child] of set.children) {
    const name = element.startsWith("f:") ? element.slice(2) : undefined;
    const named = name === undefined ? undefined : map?.field(name);
    const at = name === undefined ? (element.startsWith("k:") ? list?.of() : undefined) : (named ?? map?.elements);
    const inside = withNamedFields(child, at);
    const isNamed = named !== undefined && child.children.size > 0;
    children.set(element, isNamed && !inside.member ? { member: true, children: inside.children } : inside);
  }
  return { member: set.member, children };
}
