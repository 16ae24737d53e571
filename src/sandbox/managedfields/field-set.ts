/** Sets of field paths, as `fieldsV1` writes them. Source: structured-merge-diff v6 fieldpath/set.go, serialize.go. */
import { isFields, type Fields } from "../meta/object.ts";

/** A place in an object: whether it belongs to the set, and what below it does. */
export interface FieldSet {
  member: boolean;
  /** By path element: `f:name`, `k:{"name":"c"}`, `v:"x"`. */
  readonly children: Map<string, FieldSet>;
}

/** A new set without a field. */
export function emptySet(): FieldSet {
  return { member: false, children: new Map() };
}

/** True if nothing is in the set, here or below. */
export function isEmptySet({ member, children }: FieldSet): boolean {
  return !member && children.size === 0;
}

/** The set at a path element, made if it is not there. */
export function below(set: FieldSet, element: string): FieldSet {
  let child = set.children.get(element);
  if (child === undefined) {
    child = emptySet();
    set.children.set(element, child);
  }
  return child;
}

/** Reads `fieldsV1`. */
export function readSet(json: unknown): FieldSet {
  const set = emptySet();
  if (!isFields(json)) return set;
  for (const key of Object.keys(json)) {
    const value = json[key];
    if (key === ".") set.member = true;
    else {
      const child = readSet(value);
      // An empty object is the field itself.
      if (isEmptySet(child)) child.member = true;
      set.children.set(key, child);
    }
  }
  return set;
}

/** Writes `fieldsV1`: keys in order, `.` first. */
export function writeSet({ member, children }: FieldSet): Fields {
  const json: Fields = {};
  if (children.size === 0) return json;
  if (member) json["."] = {};
  for (const key of [...children.keys()].sort()) json[key] = writeSet(children.get(key) as FieldSet);
  return json;
}

/** Adds all of `other` to `set`. */
export function unite(set: FieldSet, other: FieldSet): void {
  if (other.member) set.member = true;
  for (const [element, child] of other.children) unite(below(set, element), child);
}

/** Takes all of `other` out of `set`. */
export function subtract(set: FieldSet, other: FieldSet): void {
  if (other.member) set.member = false;
  for (const [element, child] of other.children) {
    const own = set.children.get(element);
    if (own === undefined) continue;
    subtract(own, child);
    if (isEmptySet(own)) set.children.delete(element);
  }
}
