/**
 * Strategic merge patches: merge patches that know which lists are merged by a key, with the directives `$patch`,
 * `$deleteFromPrimitiveList/…`, `$setElementOrder/…` and `$retainKeys`.
 * Source: apimachinery v0.36 util/strategicpatch/patch.go; differs: one document and one patch, never a patch of patches.
 */
import { PatchError } from "./patch.ts";

type Json = Record<string, unknown>;

/** How a struct's fields are merged. */
export interface MergeRules {
  /** For messages: the name of the type. */
  readonly name: string;
  /** Undefined for a field that is not known; it is merged as plain JSON, its lists replaced. */
  field(key: string): MergeField | undefined;
}

export interface MergeField {
  /** Lists are merged instead of replaced; maps are replaced only where `replaces` says so. */
  readonly merges: boolean;
  readonly replaces: boolean;
  /** Of unions: whoever changes a part of it names all that is to stay. */
  readonly retainsKeys?: boolean;
  /** Of lists of objects. */
  readonly mergeKey: string | undefined;
  /** Of the object in the field, the list's elements, or the map's values. */
  readonly rules: MergeRules | undefined;
}

const marker = "$patch";
const retainKeys = "$retainKeys";
const deleteFrom = "$deleteFromPrimitiveList/";
const setOrder = "$setElementOrder/";

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The patched object; both arguments are left as they were. @throws PatchError for directives that make no sense. */
export function strategicMerge(original: unknown, patch: unknown, rules: MergeRules | undefined): Json {
  if (!isObject(patch)) throw new PatchError("malformed", "Invalid JSON document");
  return mergeObject(isObject(original) ? copied(original) : {}, copied(patch), rules);
}

/** A deep copy of plain JSON; structuredClone takes three times as long. */
function copied<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => copied(item)) as T;
  if (!isObject(value)) return value;
  const copy: Json = {};
  for (const key of Object.keys(value)) {
    const item = copied(value[key]);
    if (key === "__proto__")
      Object.defineProperty(copy, key, { value: item, enumerable: true, configurable: true, writable: true });
    else copy[key] = item;
  }
  return copy as T;
}

function mergeObject(original: Json, patch: Json, rules: MergeRules | undefined): Json {
  if (Object.hasOwn(patch, marker)) return byDirective(patch);
  const work: Json = { ...patch };
  retain(original, work);
  for (const key of Object.keys(work)) if (key.startsWith(setOrder)) inSetOrder(original, work, key, rules);
  for (const key of Object.keys(work)) {
    if (key.startsWith(deleteFrom)) deletePrimitives(original, key.slice(deleteFrom.length), work[key]);
    else mergeField(original, key, work[key], rules?.field(key));
  }
  return original;
}

function byDirective(patch: Json): Json {
  const { [marker]: directive, ...rest } = patch;
  if (directive === "replace") return rest;
  if (directive === "delete") return {};
  throw new PatchError("failed", `unknown patch type: ${goMap(directive)} in map: ${goMap(patch)}`);
}

function mergeField(original: Json, key: string, value: unknown, field: MergeField | undefined): void {
  if (value === null) {
    delete original[key];
    return;
  }
  const there = Object.hasOwn(original, key) ? original[key] : undefined;
  if (isObject(there) && isObject(value)) {
    original[key] = field?.replaces === true ? value : mergeObject(there, value, field?.rules);
  } else if (Array.isArray(there) && Array.isArray(value)) {
    original[key] = field?.merges === true ? mergeList(there, value, field) : value;
  } else {
    const kept = withoutDirectives(value);
    if (kept === undefined) delete original[key];
    else Object.defineProperty(original, key, { value: kept, enumerable: true, configurable: true, writable: true });
  }
}

/** What a patch adds as a whole: without its directives and its nulls; undefined if it is nothing but a deletion. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (value[marker] === "delete") return undefined;
  const kept: Json = {};
  for (const [key, item] of Object.entries(value)) {
    if (key === marker || key === retainKeys || key.startsWith(deleteFrom) || key.startsWith(setOrder)) continue;
    if (item === null) continue;
    const clean = withoutDirectives(item);
    if (clean !== undefined) kept[key] = clean;
  }
  return kept;
}

function retain(original: Json, patch: Json): void {
  if (!Object.hasOwn(patch, retainKeys)) return;
  const keys = patch[retainKeys];
  delete patch[retainKeys];
  if (!Array.isArray(keys)) throw badRetainKeys();
  const retained = new Set<unknown>(keys);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key.startsWith(deleteFrom) || key.startsWith(setOrder)) continue;
    if (!retained.has(key)) throw badRetainKeys();
  }
  for (const key of Object.keys(original)) if (!retained.has(key)) delete original[key];
}

const badRetainKeys = (): PatchError => new PatchError("malformed", "invalid patch format of retainKeys");

function deletePrimitives(original: Json, key: string, values: unknown): void {
  const there = original[key];
  if (!Array.isArray(there) || !Array.isArray(values)) return;
  original[key] = there.filter((item) => !values.includes(item));
}

function mergeList(original: readonly unknown[], patch: readonly unknown[], field: MergeField): unknown[] {
  if (original.length === 0 && patch.length === 0) return [];
  if (!isObject(original[0] ?? patch[0])) {
    const merged = [...new Set([...original, ...patch])];
    return ordered(merged, patch, original, same);
  }
  const key = field.mergeKey;
  if (key === undefined) {
    throw new PatchError("failed", `cannot merge lists without merge key for ${field.rules?.name ?? "the list"}`);
  }
  return mergeByKey(original as readonly Json[], patch as readonly Json[], key, field.rules);
}

const same = (a: unknown, b: unknown): boolean => a === b;

function mergeByKey(
  original: readonly Json[],
  patch: readonly Json[],
  key: string,
  rules: MergeRules | undefined,
): unknown[] {
  let kept = [...original];
  let replaces = false;
  const plain: Json[] = [];
  for (const item of patch) {
    const directive = item[marker];
    if (directive === undefined) plain.push(item);
    else if (directive === "replace") replaces = true;
    else if (directive === "delete") {
      if (!Object.hasOwn(item, key)) throw noMergeKey(item, key);
      kept = kept.filter((other) => other[key] !== item[key]);
    } else if (directive === "merge") {
      throw new PatchError("failed", "merging lists cannot yet be specified in the patch");
    } else throw new PatchError("failed", `unknown patch type: ${goMap(directive)} in map: ${goMap(item)}`);
  }
  if (replaces) return plain;
  const sameKey = (a: unknown, b: unknown): boolean => (a as Json)[key] === (b as Json)[key];
  const before = [...kept];
  for (const item of plain) {
    if (!Object.hasOwn(item, key)) throw noMergeKey(item, key);
    const index = kept.findIndex((other) => other[key] === item[key]);
    if (index < 0) kept.push(withoutDirectives(item) as Json);
    else kept[index] = mergeObject(kept[index] as Json, item, rules);
  }
  return ordered(kept, plain, before, sameKey);
}

const noMergeKey = (item: Json, key: string): PatchError =>
  new PatchError("failed", `map: ${goMap(item)} does not contain declared merge key: ${key}`);

/** JSON as Go prints it with %v: `map[a:1 b:[2 3]]`. */
export function goMap(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goMap).join(" ")}]`;
  if (!isObject(value)) return typeof value === "string" ? value : value === null ? "<nil>" : JSON.stringify(value);
  const parts = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goMap(value[key])}`);
  return `map[${parts.join(" ")}]`;
}

type Same = (a: unknown, b: unknown) => boolean;

/** What the patch names stands in the patch's order, the rest where it stood: before the named ones that it preceded. */
function ordered(
  merged: readonly unknown[],
  order: readonly unknown[],
  before: readonly unknown[],
  equal: Same,
): unknown[] {
  const place = (list: readonly unknown[], item: unknown): number => list.findIndex((other) => equal(other, item));
  const named = merged.filter((item) => place(order, item) >= 0).sort((a, b) => place(order, a) - place(order, b));
  const rest = merged.filter((item) => place(order, item) < 0);
  const result: unknown[] = [];
  let [i, j] = [0, 0];
  while (i < rest.length && j < named.length) {
    const [left, right] = [place(before, rest[i]), place(before, named[j])];
    result.push(left >= 0 && right >= 0 && left < right ? rest[i++] : named[j++]);
  }
  return [...result, ...rest.slice(i), ...named.slice(j)];
}

/** Merges the list that a `$setElementOrder` is about, and brings it into that order; both leave the patch. */
function inSetOrder(original: Json, patch: Json, directive: string, rules: MergeRules | undefined): void {
  const key = directive.slice(setOrder.length);
  const order = patch[directive];
  delete patch[directive];
  const field = rules?.field(key);
  const patched = patch[key];
  delete patch[key];
  if (!Array.isArray(order)) throw new PatchError("malformed", "invalid patch format of setElementOrder list");
  const there = original[key];
  if (Array.isArray(patched)) checkOrder(patched, order, field?.mergeKey);
  const removal = `${deleteFrom}${key}`;
  if (Object.hasOwn(patch, removal)) {
    deletePrimitives(original, key, patch[removal]);
    delete patch[removal];
  }
  const now = original[key];
  if (!Array.isArray(now) && !Array.isArray(patched)) {
    if (patched === null) delete original[key];
    return;
  }
  const merged = !Array.isArray(patched)
    ? (now as unknown[])
    : !Array.isArray(now)
      ? (withoutDirectives(patched) as unknown[])
      : field?.merges === true
        ? mergeList(now, patched, field)
        : patched;
  const mergeKey = field?.mergeKey;
  const equal: Same = mergeKey === undefined ? same : (a, b) => (a as Json)[mergeKey] === (b as Json)[mergeKey];
  original[key] = ordered(merged, order, Array.isArray(there) ? there : [], equal);
}

function checkOrder(patched: readonly unknown[], order: readonly unknown[], mergeKey: string | undefined): void {
  if (order.length === 0 || patched.length === 0) return;
  const keyOf = (item: unknown): unknown => (mergeKey === undefined ? item : (item as Json)[mergeKey]);
  let index = 0;
  const plain = patched.filter((item) => !isObject(item) || item[marker] === undefined);
  for (const item of order) if (index < plain.length && keyOf(plain[index]) === keyOf(item)) index++;
  if (index === plain.length) return;
  throw new PatchError(
    "failed",
    `The order in patch list:\n${goMap(patched)}\n doesn't match $setElementOrder list:\n${goMap(order)}\n`,
  );
}
