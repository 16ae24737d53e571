/**
 * Sets of fields, as trees of path elements. Sets are immutable, and equal parts are shared. Source: structured-merge-diff v6
 * fieldpath/set.go, serialize.go.
 */
import { isFields, type Fields } from "../meta/object.ts";
import { compareElements, readElement } from "./path-element.ts";

/** A node of a set: whether its path is a member, and the members below it. No set has empty nodes. */
export interface FieldSet {
  readonly member: boolean;
  /** By path element. */
  readonly children: ReadonlyMap<string, FieldSet>;
}

/** A set under construction. */
export interface FieldSetBuilder extends FieldSet {
  member: boolean;
  readonly children: Map<string, FieldSetBuilder>;
}

/** The empty set. */
export const noFields: FieldSet = { member: false, children: new Map() };
const leaf: FieldSet = { member: true, children: noFields.children };

/** A new set, to be filled. */
export function newSet(): FieldSetBuilder {
  return { member: false, children: new Map() };
}

/** True if the set has no members, here or below. */
export function isEmptySet({ member, children }: FieldSet): boolean {
  return !member && children.size === 0;
}

/** Adds a path. The empty path, of the whole object, is never a member. */
export function insert(set: FieldSetBuilder, path: readonly string[]): void {
  if (path.length === 0) return;
  let here = set;
  for (const element of path) {
    let child = here.children.get(element);
    if (child === undefined) {
      child = newSet();
      here.children.set(element, child);
    }
    here = child;
  }
  here.member = true;
}

/** The set of these paths, given as field names. */
export function setOfPaths(paths: readonly (readonly string[])[]): FieldSet {
  const set = newSet();
  for (const path of paths)
    insert(
      set,
      path.map((name) => `f:${name}`),
    );
  return set;
}

/** Members of either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a;
  if (isEmptySet(a)) return b;
  const children = new Map(a.children);
  for (const [element, child] of b.children) {
    const own = children.get(element);
    children.set(element, own === undefined ? child : union(own, child));
  }
  return { member: a.member || b.member, children };
}

/** Members of both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const children = new Map<string, FieldSet>();
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    if (other === undefined) continue;
    const common = intersection(child, other);
    if (!isEmptySet(common)) children.set(element, common);
  }
  return { member: a.member && b.member, children };
}

/** Members of `a` that are not in `b`. A field stays if only descendants of it are in `b`; descendants of members of `b` stay too. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return without(a, b, difference);
}

/** As `difference`, but members of `b` also remove all their descendants. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return without(a, b, (child, other) => (other.member ? noFields : recursiveDifference(child, other)));
}

function without(a: FieldSet, b: FieldSet, rest: (child: FieldSet, other: FieldSet) => FieldSet): FieldSet {
  let children: Map<string, FieldSet> | undefined;
  for (const [element, other] of b.children) {
    const own = a.children.get(element);
    if (own === undefined) continue;
    const left = rest(own, other);
    if (left === own) continue;
    children ??= new Map(a.children);
    if (isEmptySet(left)) children.delete(element);
    else children.set(element, left);
  }
  const member = a.member && !b.member;
  if (children === undefined && member === a.member) return a;
  return { member, children: children ?? a.children };
}

/** True if the path is a member. */
export function has(set: FieldSet, path: readonly string[]): boolean {
  let here: FieldSet | undefined = set;
  for (const element of path) here = here?.children.get(element);
  return here?.member === true && path.length > 0;
}

/** The paths of a set in the real server's order: at each level, first the members there, then those below. */
export function pathsOf(set: FieldSet, before: readonly string[] = []): (readonly string[])[] {
  const elements = [...set.children.keys()].sort(compareElements);
  const paths: (readonly string[])[] = [];
  for (const element of elements) if (set.children.get(element)?.member === true) paths.push([...before, element]);
  for (const element of elements) paths.push(...pathsOf(set.children.get(element) ?? noFields, [...before, element]));
  return paths;
}

/** Parses `fieldsV1`. @throws SyntaxError if it is invalid. */
export function readSet(json: unknown): FieldSet {
  if (json === undefined || json === null) return noFields;
  const { children } = readPlace(json);
  return { member: false, children };
}

function readPlace(json: unknown): FieldSet {
  if (json === null) return leaf;
  if (!isFields(json)) throw new SyntaxError("no set of fields");
  let member = false;
  let children: Map<string, FieldSet> | undefined;
  for (const key of Object.keys(json)) {
    if (key === ".") {
      member = true;
      continue;
    }
    const element = key.startsWith("f:") ? key : readElement(key);
    // Elements of a future version are ignored.
    if (element !== undefined) (children ??= new Map()).set(element, readPlace(json[key]));
  }
  // An element with nothing below it is a member.
  return children === undefined ? leaf : { member, children };
}

/** Serializes to `fieldsV1`: keys sorted, `.` first. */
export function writeSet({ children }: FieldSet): Fields {
  const json: Fields = {};
  for (const key of [...children.keys()].sort()) {
    const child = children.get(key) ?? noFields;
    if (child.children.size === 0) json[key] = {};
    else json[key] = child.member ? { ".": {}, ...writeSet(child) } : writeSet(child);
  }
  return json;
}
