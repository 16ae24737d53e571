/**
 * The patch that `kubectl apply` sends: the last applied, the new and the live configuration in one patch.
 * Source: apimachinery v0.36 util/strategicpatch/patch.go CreateThreeWayMergePatch; differs: keys to be removed appear
 * only if they exist, and `$retainKeys` is expanded into the removed keys; the patched object is the same.
 */
import { deepEqual } from "./deep-equal.ts";
import type { MergeField, MergeRules } from "./strategic-merge.ts";
import { isObject } from "./json.ts";

type Json = Record<string, unknown>;

/** The three values at one path of the object. */
interface Three {
  /** Last applied; undefined if absent. */
  readonly original: unknown;
  /** To be applied. */
  readonly modified: unknown;
  /** The API server's value. */
  readonly current: unknown;
}

/**
 * A strategic merge patch; without `rules`, a JSON merge patch, as for custom resources. Empty if nothing changes.
 * Fields set by others and never applied are kept.
 */
export function threeWayPatch(original: unknown, modified: Json, current: Json, rules: MergeRules | undefined): Json {
  return objectPatch({ original }, modified, current, rules, rules !== undefined);
}

function objectPatch(
  { original }: Pick<Three, "original">,
  modified: Json,
  current: Json,
  rules: MergeRules | undefined,
  strategic: boolean,
): Json {
  const before = isObject(original) ? original : {};
  const patch: Json = {};
  for (const [key, value] of Object.entries(modified)) {
    // null unsets the field.
    if (value === null) {
      if (Object.hasOwn(current, key)) patch[key] = null;
      continue;
    }
    const there = Object.hasOwn(current, key) ? current[key] : undefined;
    if (there === undefined) patch[key] = value;
    else place(patch, key, { original: before[key], modified: value, current: there }, rules?.field(key), strategic);
  }
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(modified, key) && Object.hasOwn(current, key)) patch[key] = null;
  }
  return patch;
}

/** Adds what one field needs to the patch of its object; nothing if the field is as it should be. */
function place(
  patch: Json,
  key: string,
  three: Three & { readonly current: unknown },
  field: MergeField | undefined,
  strategic: boolean,
): void {
  const { original, modified, current } = three;
  if (isObject(modified) && isObject(current)) {
    if (field?.replaces === true) {
      if (!deepEqual(modified, current)) patch[key] = { $patch: "replace", ...modified };
      return;
    }
    const inner = objectPatch({ original }, modified, current, field?.rules, strategic);
    if (Object.keys(inner).length > 0 && field?.retainsKeys === true) unset(inner, modified, current);
    if (Object.keys(inner).length > 0) patch[key] = inner;
  } else if (Array.isArray(modified) && Array.isArray(current) && strategic && field?.merges === true) {
    if (field.mergeKey === undefined) scalarListPatch(patch, key, original, modified, current);
    else keyedListPatch(patch, key, { original, modified, current }, field.mergeKey, field);
  } else if (!deepEqual(modified, current)) patch[key] = modified;
}

/**
 * In a union (a Deployment's strategy, a volume), members that are not named are removed once anything in it changes.
 */
function unset(patch: Json, modified: Json, current: Json): void {
  for (const key of Object.keys(current)) if (!Object.hasOwn(modified, key)) patch[key] = null;
}

function scalarListPatch(
  patch: Json,
  key: string,
  original: unknown,
  modified: readonly unknown[],
  current: readonly unknown[],
): void {
  const before: readonly unknown[] = Array.isArray(original) ? original : [];
  const added = modified.filter((item) => !current.includes(item));
  const removed = before.filter((item) => !modified.includes(item) && current.includes(item));
  if (added.length > 0) patch[key] = added;
  if (removed.length > 0) patch[`$deleteFromPrimitiveList/${key}`] = removed;
  if (added.length > 0 || removed.length > 0 || !inOrder(modified, current)) {
    patch[`$setElementOrder/${key}`] = modified;
  }
}

function keyedListPatch(
  patch: Json,
  key: string,
  three: {
    readonly original: unknown;
    readonly modified: readonly unknown[];
    readonly current: readonly unknown[];
  },
  mergeKey: string,
  field: MergeField,
): void {
  const modified = three.modified.filter(isObject);
  const current = three.current.filter(isObject);
  const original: readonly Json[] = Array.isArray(three.original) ? three.original.filter(isObject) : [];
  const find = (list: readonly Json[], name: unknown): Json | undefined =>
    list.find((other) => other[mergeKey] === name);
  const items: Json[] = [];
  for (const item of modified) {
    const name = item[mergeKey];
    const there = find(current, name);
    if (there === undefined) {
      items.push(item);
      continue;
    }
    const inner = objectPatch({ original: find(original, name) }, item, there, field.rules, true);
    if (Object.keys(inner).length === 0) continue;
    if (field.retainsKeys === true) unset(inner, item, there);
    items.push({ ...inner, [mergeKey]: name });
  }
  for (const item of original) {
    const name = item[mergeKey];
    if (find(modified, name) === undefined && find(current, name) !== undefined) {
      items.push({ $patch: "delete", [mergeKey]: name });
    }
  }
  const names = (list: readonly Json[]): readonly unknown[] => list.map((item) => item[mergeKey]);
  if (items.length === 0 && inOrder(names(modified), names(current))) return;
  if (items.length > 0) patch[key] = items;
  patch[`$setElementOrder/${key}`] = modified.map((item) => ({ [mergeKey]: item[mergeKey] }));
}

/** Whether the common items have the same order in both. */
function inOrder(wanted: readonly unknown[], there: readonly unknown[]): boolean {
  const both = there.filter((item) => wanted.includes(item));
  const same = wanted.filter((item) => there.includes(item));
  return both.every((item, index) => item === same[index]);
}
