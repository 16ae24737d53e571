/** Compares two states of an object, field by field. Source: structured-merge-diff v6 typed/compare.go. */
import { deepEqual } from "../../api/field-changes.ts";
import { isFields, listIn, type Fields } from "../meta/object.ts";
import { type FieldSet, type FieldSetBuilder, insert, newSet } from "./field-set.ts";
import {
  type Atom,
  atomOf,
  deducedType,
  itemElement,
  type ListType,
  type MapType,
  type Type,
  typeAt,
} from "./types.ts";

/** The differences between two states of an object. The sets are disjoint. */
export interface Comparison {
  readonly removed: FieldSet;
  /** In both states, with different values. */
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

/** Two states of an object. */
export interface Compared {
  readonly old: Fields;
  readonly now: Fields;
  readonly type: Type;
  /** Fields to ignore, with everything below them. */
  readonly reset?: FieldSet;
}

/** Compares two states of an object. @throws ItemProblem */
export function compare({ old, now, type, reset }: Compared): Comparison {
  const walk: Walk = { path: [], removed: newSet(), modified: newSet(), added: newSet() };
  visit(walk, { old, now, type, reset });
  return walk;
}

interface Walk {
  /** The current path. */
  readonly path: string[];
  readonly removed: FieldSetBuilder;
  readonly modified: FieldSetBuilder;
  readonly added: FieldSetBuilder;
}

/** A place in both states; undefined means missing. */
interface Place {
  readonly old: unknown;
  readonly now: unknown;
  readonly type: Type;
  readonly reset: FieldSet | undefined;
}

function visit(walk: Walk, place: Place): void {
  const { old, now, type } = place;
  if (old === now) return;
  const atom = atomOf(type, now ?? old);
  // A value of deduced type may have changed its kind: then both kinds are visited.
  const before = old === undefined || now === undefined ? atom : atomOf(type, old);
  if (before !== atom && !visitParts(walk, { ...place, atom: before })) visitLeaf(walk, place);
  if (!visitParts(walk, { ...place, atom })) visitLeaf(walk, place);
  else if (old === undefined) insert(walk.added, walk.path);
  else if (now === undefined) insert(walk.removed, walk.path);
}

function visitLeaf(walk: Walk, { old, now }: Place): void {
  if (old === undefined) insert(walk.added, walk.path);
  else if (now === undefined) insert(walk.removed, walk.path);
  else if (!deepEqual(old, now)) insert(walk.modified, walk.path);
}

/** Compares nested values; returns false if the value is atomic or has none. */
function visitParts(walk: Walk, { old, now, reset, atom }: Place & { readonly atom: Atom }): boolean {
  switch (atom.is) {
    case "scalar":
      return false;
    case "map": {
      const [before, after] = [isFields(old) ? old : {}, isFields(now) ? now : {}];
      if (atom.atomic || (isEmpty(before) && isEmpty(after))) return false;
      visitFields(walk, { before, after, type: atom, reset });
      return true;
    }
    case "list": {
      const [before, after] = [listIn(old), listIn(now)];
      if (!atom.associative || (before.length === 0 && after.length === 0)) return false;
      visitItems(walk, { before, after, type: atom });
      return true;
    }
  }
}

function isEmpty(fields: Fields): boolean {
  for (const _key in fields) return false;
  return true;
}

interface FieldsPlace {
  readonly before: Fields;
  readonly after: Fields;
  readonly type: MapType;
  readonly reset: FieldSet | undefined;
}

function visitFields(walk: Walk, { before, after, type, reset }: FieldsPlace): void {
  // A key may have the name of an inherited property.
  const own = (fields: Fields, key: string): unknown => (Object.hasOwn(fields, key) ? fields[key] : undefined);
  const visitField = (key: string): void => {
    const element = `f:${key}`;
    const resetHere = reset?.children.get(element);
    if (resetHere?.member === true) return;
    walk.path.push(element);
    visit(walk, {
      old: own(before, key),
      now: own(after, key),
      type: typeAt(type, key) ?? deducedType,
      reset: resetHere,
    });
    walk.path.pop();
  };
  for (const key of Object.keys(before)) visitField(key);
  for (const key of Object.keys(after)) if (!Object.hasOwn(before, key)) visitField(key);
}

interface ItemsPlace {
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
  readonly type: ListType;
}

function visitItems(walk: Walk, { before, after, type }: ItemsPlace): void {
  const [ours, theirs] = [itemsByElement(before, type), itemsByElement(after, type)];
  for (const element of new Set([...ours.keys(), ...theirs.keys()])) {
    walk.path.push(element);
    visitItem(walk, { old: ours.get(element) ?? [], now: theirs.get(element) ?? [], type: type.of() });
    walk.path.pop();
  }
}

/** The items of a list by path element: usually one each. @throws ItemProblem */
export function itemsByElement(list: readonly unknown[], type: ListType): Map<string, unknown[]> {
  const items = new Map<string, unknown[]>();
  for (const item of list) {
    const element = itemElement(item, type);
    const others = items.get(element);
    if (others === undefined) items.set(element, [item]);
    else others.push(item);
  }
  return items;
}

interface ItemPlace {
  readonly old: readonly unknown[];
  readonly now: readonly unknown[];
  readonly type: Type;
}

/** Items with the same path element are owned as one unit. */
function visitItem(walk: Walk, { old, now, type }: ItemPlace): void {
  if (old.length > 1 && now.length > 1) {
    if (!deepEqual(old, now)) insert(walk.modified, walk.path);
    return;
  }
  if (old.length <= 1 && now.length <= 1) {
    visit(walk, { old: old[0], now: now[0], type, reset: undefined });
    return;
  }
  if (old.length > 1) {
    if (now.length > 0) visit(walk, { old: undefined, now: now[0], type, reset: undefined });
    insert(walk.removed, walk.path);
  } else {
    if (old.length > 0) visit(walk, { old: old[0], now: undefined, type, reset: undefined });
    insert(walk.added, walk.path);
  }
}
