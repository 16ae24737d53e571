/**
 * Strategic merge patches: merge patches that know which lists are merged by a key, with the directives `$patch`,
 * `$deleteFromPrimitiveList/…`, `$setElementOrder/…` and `$retainKeys`.
 * Source: apimachinery v0.36 util/strategicpatch/patch.go; differs: one document and one patch, never a patch of patches.
 */
import { PatchError } from "./patch.ts";
import {
  checkOrder,
  goMap,
  goTypeOf,
  isListOfObjects,
  marker,
  noMergeKey,
  ordered,
  wrongType,
} from "./strategic-lists.ts";
import { isObject } from "./json.ts";

type Json = Record<string, unknown>;

/** How the fields of a struct are merged. */
export interface MergeRules {
  /** For messages: the name of the type. */
  readonly name: string;
  /** Whether these are the rules of a map's values. */
  readonly isMap?: boolean;
  /** Undefined for an unknown field; it is merged as plain JSON, with its lists replaced. */
  field(key: string): MergeField | undefined;
}

/** How one field is merged. */
export interface MergeField {
  /** Lists are merged instead of replaced; maps are replaced only if `replaces` says so. */
  readonly merges: boolean;
  readonly replaces: boolean;
  /** For unions: a patch that changes a part names all parts to keep. */
  readonly retainsKeys?: boolean;
  /** For lists of objects. */
  readonly mergeKey: string | undefined;
  /** True if it is certainly not a list, so no directive can order it. */
  readonly isNoList?: boolean;
  /** The rules of the object in the field, the list's elements, or the map's values. */
  readonly rules: MergeRules | undefined;
}

const retainKeys = "$retainKeys";
const deleteFrom = "$deleteFromPrimitiveList";
const setOrder = "$setElementOrder";

/** Sets a key as data even when it is called `__proto__`. */
function set(object: Json, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

const own = (object: Json, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);

/** The patched object; both arguments stay unchanged. @throws PatchError for invalid directives. */
export function strategicMerge(original: unknown, patch: unknown, rules: MergeRules | undefined): Json {
  if (!isObject(patch)) throw new PatchError("malformed", "Invalid JSON document");
  return mergeObject(isObject(original) ? copied(original) : {}, copied(patch), rules);
}

/** A deep copy of plain JSON; structuredClone takes three times as long. */
function copied<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => copied(item)) as T;
  if (!isObject(value)) return value;
  const copy: Json = {};
  for (const key of Object.keys(value)) set(copy, key, copied(value[key]));
  return copy as T;
}

function mergeObject(original: Json, patch: Json, rules: MergeRules | undefined): Json {
  if (Object.hasOwn(patch, marker)) return byDirective(patch);
  const work: Json = { ...patch };
  retain(original, work);
  for (const key of Object.keys(work)) if (key.startsWith(setOrder)) inSetOrder(original, work, key, rules);
  for (const key of Object.keys(work)) {
    if (key.startsWith(deleteFrom)) deleteItems(original, listNamedBy(key, deleteFrom), work[key], rules);
    else mergeField(original, key, work[key], rules?.field(key));
  }
  return original;
}

function byDirective(patch: Json): Json {
  const { [marker]: directive, ...rest } = patch;
  if (directive === "replace") return rest;
  if (directive === "delete") return {};
  throw unknownDirective(directive, patch);
}

const unknownDirective = (directive: unknown, patch: Json): PatchError =>
  new PatchError("failed", `unknown patch type: ${asText(directive)} in map: ${goMap(patch)}`);

/** A value as Go prints it with %s. */
function asText(value: unknown): string {
  return typeof value === "number" || typeof value === "boolean" ? `%!s(${goTypeOf(value)}=${value})` : goMap(value);
}

function mergeField(original: Json, key: string, value: unknown, field: MergeField | undefined): void {
  if (value === null) {
    delete original[key];
    return;
  }
  const there = own(original, key);
  if (isObject(there) && isObject(value)) {
    set(original, key, field?.replaces === true ? value : mergeObject(there, value, field?.rules));
  } else if (Array.isArray(there) && Array.isArray(value)) {
    set(original, key, field?.merges === true ? mergeList(there, value, field) : value);
  } else {
    const kept = withoutDirectives(withoutNulls(value));
    if (kept === undefined) delete original[key];
    else set(original, key, kept);
  }
}

/** What a patch adds as a unit: objects with a directive add nothing; undefined if it is a directive itself. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, marker)) return undefined;
  const kept: Json = {};
  for (const key of Object.keys(value)) {
    const clean = withoutDirectives(value[key]);
    if (clean !== undefined) set(kept, key, clean);
  }
  return kept;
}

/** Without the keys whose value is null. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept: Json = {};
  for (const key of Object.keys(value)) if (value[key] !== null) set(kept, key, withoutNulls(value[key]));
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

/** The list that a directive `PREFIX/LIST` refers to. @throws PatchError */
function listNamedBy(directive: string, prefix: string): string {
  if (directive.startsWith(`${prefix}/`)) return directive.slice(prefix.length + 1);
  const what = prefix === deleteFrom ? "primitive list" : "setElementOrder list";
  throw new PatchError("malformed", `invalid patch format of ${what}`);
}

/** The real server merges non-lists, if both sides have the same type, as if the directive were the field's name. */
function deleteItems(original: Json, key: string, values: unknown, rules: MergeRules | undefined): void {
  if (values === null) delete original[key];
  const there = own(original, key);
  if (there === undefined || jsonTypeOf(there) !== jsonTypeOf(values)) return;
  if (!Array.isArray(there) || !Array.isArray(values)) {
    mergeField(original, key, values, rules?.field(key));
    return;
  }
  const objects = (there.length > 0 || values.length > 0) && isListOfObjects(there, values);
  const field = rules?.field(key);
  // The real server merges them if they are objects.
  if (objects) set(original, key, mergeList(there, values, field ?? plainList));
  else original[key] = there.filter((item) => !values.includes(item));
}

function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return "list";
  if (value === null) return "null";
  // As in Go, where integers are a separate type.
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}

const plainList: MergeField = { merges: true, replaces: false, mergeKey: undefined, rules: undefined };

function mergeList(original: readonly unknown[], patch: readonly unknown[], field: MergeField): unknown[] {
  if (original.length === 0 && patch.length === 0) return [];
  if (!isListOfObjects(original, patch)) {
    return ordered([...new Set([...original, ...patch])], patch, original, undefined);
  }
  const key = field.mergeKey;
  if (key === undefined) throw new PatchError("failed", "cannot merge lists without merge key for struct");
  return mergeByKey(original as readonly Json[], patch as readonly Json[], { key, rules: field.rules });
}

const isCompound = (value: unknown): boolean => typeof value === "object" && value !== null;

interface ByKey {
  readonly key: string;
  readonly rules: MergeRules | undefined;
}

function mergeByKey(original: readonly Json[], patch: readonly Json[], { key, rules }: ByKey): unknown[] {
  const { kept, plain } = bySpecialItems(original, patch, key);
  const before = [...kept];
  for (const item of plain) {
    if (!Object.hasOwn(item, key)) throw noMergeKey(item, key);
    // The real server compares it with itself, and panics.
    if (isCompound(item[key]))
      throw new PatchError("failed", "runtime error: comparing uncomparable type map[string]interface {}");
    const index = kept.findIndex((other) => own(other, key) === item[key]);
    if (index < 0) kept.push(item);
    else kept[index] = mergeObject(kept[index] as Json, item, rules);
  }
  return ordered(kept, plain, before, key);
}

/** Applies the directives among the items; returns the rest of the original, and the patch without directives. */
function bySpecialItems(
  original: readonly Json[],
  patch: readonly Json[],
  key: string,
): { readonly kept: Json[]; readonly plain: readonly Json[] } {
  let kept = [...original];
  let replaces = false;
  const plain: Json[] = [];
  for (const item of patch) {
    if (!Object.hasOwn(item, marker)) plain.push(item);
    else if (item[marker] === "replace") replaces = true;
    else if (item[marker] === "delete") {
      if (!Object.hasOwn(item, key)) throw noMergeKey(item, key);
      kept = kept.filter((other) => own(other, key) !== item[key]);
    } else if (item[marker] === "merge") {
      throw new PatchError("failed", "merging lists cannot yet be specified in the patch");
    } else throw unknownDirective(item[marker], item);
  }
  return replaces ? { kept: plain, plain: [] } : { kept, plain };
}

function listAt(object: Json, key: string): unknown[] | undefined {
  if (!Object.hasOwn(object, key)) return undefined;
  const value = object[key];
  if (!Array.isArray(value)) throw wrongType("[]interface {}", value);
  return value;
}

/** Merges the list of a `$setElementOrder` and orders it; both are removed from the patch. */
function inSetOrder(original: Json, patch: Json, directive: string, rules: MergeRules | undefined): void {
  const order = listAt(patch, directive) ?? [];
  delete patch[directive];
  const key = listNamedBy(directive, setOrder);
  const [there, patched] = [listAt(original, key), listAt(patch, key)];
  const field = rules?.field(key);
  if (rules !== undefined && field === undefined) {
    const struct = rules.name.split(".").at(-1);
    throw new PatchError("failed", `unable to find api field in struct ${struct} for the json field "${key}"`);
  }
  if (rules?.isMap === true)
    throw new PatchError("failed", "merging an object in json but data type is not struct, instead is: map");
  if (field?.isNoList === true) throw new PatchError("failed", "expected slice or array type, but got: struct");
  checkOrder(patched ?? [], order, field?.mergeKey);
  if (there === undefined && patched === undefined) return;
  let merged: unknown[];
  if (patched === undefined) merged = there ?? [];
  else if (there === undefined) merged = withoutDirectives(patched) as unknown[];
  else merged = field?.merges === true ? mergeList(there, patched, field) : patched;
  // The real server searches for the items themselves, and panics.
  if (field?.mergeKey === undefined && [...order, ...merged].some(isCompound))
    throw new PatchError("failed", "runtime error: hash of unhashable type map[string]interface {}");
  const stray = field?.mergeKey === undefined ? -1 : order.findIndex((item) => !isObject(item));
  if (merged.length > 0 && stray >= 0) throw new PatchError("failed", `value for key ${stray} is not a map`);
  isListOfObjects(there ?? [], patched ?? []);
  set(original, key, ordered(merged, order, there ?? [], field?.mergeKey));
  delete patch[key];
}
