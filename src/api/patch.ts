/**
 * JSON merge patch (RFC 7386) and JSON patch (RFC 6902) over plain JSON. Both return a new value and do not change
 * their arguments.
 */
import { goQuoted } from "./go-text.ts";
import { isObject } from "./json.ts";

/** The four patches: JSON patch, merge patch, strategic merge patch, server-side apply. */
export type Patch =
  | { readonly type: "json"; readonly body: readonly JsonPatchOperation[] }
  | { readonly type: "merge"; readonly body: unknown }
  | { readonly type: "strategic"; readonly body: unknown }
  | { readonly type: "apply"; readonly body: unknown; readonly force?: boolean };

/** One operation of a JSON patch (RFC 6902). */
export interface JsonPatchOperation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/**
 * A patch that cannot be applied. `malformed`: it is not a patch; `failed`: it does not fit this document;
 * `unsupported`: this kind of patch cannot express it.
 */
export class PatchError extends Error {
  override readonly name = "PatchError";
  readonly problem: "malformed" | "failed" | "unsupported";

  constructor(problem: "malformed" | "failed" | "unsupported", message: string) {
    super(message);
    this.problem = problem;
  }
}

type Json = Record<string, unknown>;

/** Sets a key as data even when it is called `__proto__`. */
function set(object: Json, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else object[key] = value;
}

function withoutNulls(value: unknown): unknown {
  return isObject(value) || Array.isArray(value) ? mergePatch(undefined, value) : value;
}

/** `null` removes a key, objects are merged, everything else replaces. Source: evanphx/json-patch merge.go, which takes nulls out of lists too. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (Array.isArray(patch) && !isObject(target)) return patch.map(withoutNulls);
  if (!isObject(patch)) return patch;
  const merged: Json = isObject(target) ? { ...target } : {};
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) delete merged[key];
    else set(merged, key, mergePatch(Object.hasOwn(merged, key) ? merged[key] : undefined, value));
  }
  return merged;
}

type Container = Json | unknown[];

/** Where an operation acts: the object or list that contains the last step of its path, and that step. */
interface Place {
  readonly container: Container;
  readonly key: string;
}

/** A step of a JSON pointer, unescaped. */
export const unescapedStep = (step: string): string => step.replaceAll("~1", "/").replaceAll("~0", "~");

/**
 * `/a~1b/0` is index `0` of the list at `a/b`. Anything before the first slash is ignored, as by the real server.
 * @throws PatchError if a step is missing, and for the document as a whole, which has no container.
 */
function placeAt(document: unknown, path: string, op: string): Place {
  const steps = path.split("/").slice(1).map(unescapedStep);
  const key = steps.pop();
  let here = document;
  for (const step of steps) here = Array.isArray(here) ? here[indexOf(here, step)] : member(here, step);
  if (key !== undefined && (Array.isArray(here) || isObject(here))) return { container: here as Container, key };
  throw new PatchError(
    "failed",
    `${op} operation does not apply: doc is missing path: ${JSON.stringify(path)}: missing value`,
  );
}

/** A key of an object; null if missing, as in the real server's library. */
function member(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : null;
}

/** As Go's strconv.Atoi. @throws PatchError */
function atoi(text: string): number {
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  throw new PatchError("failed", `strconv.Atoi: parsing ${goQuoted(text)}: invalid syntax`);
}

/** An index below `end`; a negative one counts from there. @throws PatchError */
function within(index: number, end: number): number {
  const counted = index < 0 ? index + end : index;
  if (counted >= 0 && counted < end) return counted;
  throw new PatchError("failed", `Unable to access invalid index: ${index}: invalid index referenced`);
}

const indexOf = (list: readonly unknown[], step: string): number => within(atoi(step), list.length);

function read({ container, key }: Place): unknown {
  return Array.isArray(container) ? container[indexOf(container, key)] : member(container, key);
}

function add({ container, key }: Place, value: unknown): void {
  if (!Array.isArray(container)) set(container, key, value);
  else if (key === "-") container.push(value);
  else container.splice(within(atoi(key), container.length + 1), 0, value);
}

function remove({ container, key }: Place): void {
  if (Array.isArray(container)) container.splice(indexOf(container, key), 1);
  else if (Object.hasOwn(container, key)) delete container[key];
  else throw new PatchError("failed", `Unable to remove nonexistent key: ${key}: missing value`);
}

/** The API server's library does not check that the key exists. */
function replace({ container, key }: Place, value: unknown): void {
  if (Array.isArray(container)) container[indexOf(container, key)] = value;
  else set(container, key, value);
}

function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => same(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}

/** Bounds that keep a small patch from producing a huge document. */
export interface JsonPatchLimits {
  /** How many bytes of JSON all `copy` operations together may copy; unlimited by default. */
  readonly maxCopyBytes?: number;
}

/**
 * Applies the operations in order; all or none.
 * @throws PatchError `malformed` if it is not a list of operations, `failed` for an operation that does not fit; with
 * the message of the API server's library.
 * Source: gopkg.in/evanphx/json-patch.v4 patch.go.
 */
export function jsonPatch(target: unknown, operations: unknown, limits: JsonPatchLimits = {}): unknown {
  if (!Array.isArray(operations)) throw new PatchError("malformed", "Invalid JSON Patch");
  const patching: Patching = { document: structuredClone(target), copyBytesLeft: limits.maxCopyBytes ?? Infinity };
  for (const operation of operations as unknown[]) {
    if (operation !== null && !isObject(operation)) throw new PatchError("malformed", "Invalid JSON Patch");
    apply(patching, operation ?? {});
  }
  return patching.document;
}

interface Patching {
  document: unknown;
  copyBytesLeft: number;
}

function apply(patching: Patching, operation: Json): void {
  const { op, value } = operation as { op?: unknown; value?: unknown };
  const { document } = patching;
  const place = (field: "path" | "from"): Place => placeAt(document, pathIn(operation, field, String(op)), String(op));
  switch (op) {
    case "add": {
      const to = place("path");
      return failing(operation, () => add(to, structuredClone(value ?? null)));
    }
    case "remove": {
      const from = place("path");
      return failing(operation, () => remove(from));
    }
    case "replace":
      if (operation["path"] === "") patching.document = wholeDocument(value);
      else replace(place("path"), structuredClone(value ?? null));
      return;
    case "move": {
      const from = place("from");
      const moved = read(from);
      remove(from);
      return add(place("path"), moved);
    }
    case "copy": {
      const copied = copyWithin(patching, read(place("from")));
      return add(place("path"), copied);
    }
    case "test":
      return check(document, operation);
    default:
      throw new PatchError("failed", `Unexpected kind: ${typeof op === "string" ? op : "unknown"}`);
  }
}

/** Adds the failing operation and its path to an error. */
function failing({ op, path }: Json, run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw new PatchError("failed", `error in ${String(op)} for path: '${String(path)}': ${error.message}`);
  }
}

function pathIn(operation: Json, field: "path" | "from", op: string): string {
  const path = operation[field];
  if (typeof path === "string") return path;
  throw new PatchError("failed", `${op} operation failed to decode ${field}: missing value`);
}

function wholeDocument(value: unknown): unknown {
  if (isObject(value) || Array.isArray(value)) return structuredClone(value);
  throw new PatchError("failed", "replace operation value must be object or array");
}

/** A copy, within the limit: a few bytes of a patch could otherwise copy a document into itself over and over. */
function copyWithin(patching: Patching, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  const text = JSON.stringify(value);
  // Every character takes at least one byte: what is too long in characters need not be counted in bytes.
  const bytes = text.length > patching.copyBytesLeft ? text.length : new TextEncoder().encode(text).length;
  patching.copyBytesLeft -= bytes;
  if (patching.copyBytesLeft < 0) {
    throw new PatchError("failed", "Unable to complete the copy, the accumulated size increase of copy is too large");
  }
  return JSON.parse(text) as unknown;
}

function check(document: unknown, operation: Json): void {
  const path = pathIn(operation, "path", "test");
  const there = path === "" ? document : read(placeAt(document, path, "test"));
  if (!same(there ?? null, operation["value"] ?? null))
    throw new PatchError("failed", `testing value ${path} failed: test failed`);
}
