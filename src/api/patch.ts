/** JSON merge patch (RFC 7386) and JSON patch (RFC 6902) over plain JSON. Both answer a new value and leave theirs as they were. */

/** A patch that cannot be applied. `malformed`: it is no patch; `failed`: it does not fit this document. */
export class PatchError extends Error {
  override readonly name = "PatchError";
  readonly problem: "malformed" | "failed";

  constructor(problem: "malformed" | "failed", message: string) {
    super(message);
    this.problem = problem;
  }
}

type Json = Record<string, unknown>;

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sets a key as data even when it is called `__proto__`. */
function set(object: Json, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else object[key] = value;
}

/** `null` removes a key, objects are merged, everything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Json = isObject(target) ? { ...target } : {};
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) delete merged[key];
    else set(merged, key, mergePatch(Object.hasOwn(merged, key) ? merged[key] : undefined, value));
  }
  return merged;
}

/** `/a~1b/0` → `["a/b", "0"]`. @throws PatchError */
function pointer(path: unknown): string[] {
  if (typeof path !== "string") throw new PatchError("malformed", "Invalid JSON Patch");
  if (path === "") return [];
  return path
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The container that holds the last step of a path. @throws PatchError where a step is missing. */
function parentOf(document: unknown, steps: readonly string[], op: string, path: string): Json | unknown[] {
  let here = document;
  for (const step of steps.slice(0, -1)) {
    here = Array.isArray(here)
      ? here[Number(step)]
      : isObject(here) && Object.hasOwn(here, step)
        ? here[step]
        : undefined;
  }
  if (Array.isArray(here) || isObject(here)) return here as Json | unknown[];
  throw new PatchError(
    "failed",
    `${op} operation does not apply: doc is missing path: ${JSON.stringify(path)}: missing value`,
  );
}

function indexIn(list: readonly unknown[], step: string, forAdding: boolean): number {
  if (forAdding && step === "-") return list.length;
  if (!/^-?\d+$/.test(step)) {
    throw new PatchError("failed", `strconv.Atoi: parsing ${JSON.stringify(step)}: invalid syntax`);
  }
  const index = Number(step);
  const end = forAdding ? list.length + 1 : list.length;
  const counted = index < 0 ? index + end : index;
  if (counted < 0 || counted >= end) {
    throw new PatchError("failed", `Unable to access invalid index: ${index}: invalid index referenced`);
  }
  return counted;
}

function read(document: unknown, path: string, op: string): unknown {
  const steps = pointer(path);
  const last = steps.at(-1);
  if (last === undefined) return document;
  const parent = parentOf(document, steps, op, path);
  if (Array.isArray(parent)) return parent[indexIn(parent, last, false)];
  if (Object.hasOwn(parent, last)) return parent[last];
  // What is not there is copied as null, as the real server's library does.
  if (op === "copy") return null;
  throw new PatchError("failed", `${op} operation does not apply: doc is missing key: ${path}: missing value`);
}

function add(document: unknown, path: string, value: unknown, op: string): unknown {
  const steps = pointer(path);
  const last = steps.at(-1);
  if (last === undefined) return value;
  const parent = parentOf(document, steps, op, path);
  if (Array.isArray(parent)) parent.splice(indexIn(parent, last, true), 0, value);
  else set(parent, last, value);
  return document;
}

function remove(document: unknown, path: string, op: string): void {
  const steps = pointer(path);
  const last = steps.at(-1) ?? "";
  const parent = parentOf(document, steps, op, path);
  if (Array.isArray(parent)) {
    parent.splice(indexIn(parent, last, false), 1);
    return;
  }
  if (!Object.hasOwn(parent, last)) {
    throw new PatchError("failed", `Unable to remove nonexistent key: ${last}: missing value`);
  }
  delete parent[last];
}

function replace(document: unknown, path: string, value: unknown): unknown {
  const steps = pointer(path);
  const last = steps.at(-1);
  if (last === undefined) return value;
  const parent = parentOf(document, steps, "replace", path);
  if (Array.isArray(parent)) parent[indexIn(parent, last, false)] = value;
  // The library behind the API server does not ask whether it is there.
  else set(parent, last, value);
  return document;
}

function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => same(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}

/**
 * Applies the operations in order; all or none.
 * @throws PatchError `malformed` for what is no list of operations, `failed` for one that does not fit; the message is that of
 * the library behind the API server. Source: gopkg.in/evanphx/json-patch.v4 patch.go.
 */
export function jsonPatch(target: unknown, operations: unknown): unknown {
  if (!Array.isArray(operations)) throw new PatchError("malformed", "Invalid JSON Patch");
  let document = structuredClone(target);
  for (const operation of operations as unknown[]) {
    if (!isObject(operation)) throw new PatchError("malformed", "Invalid JSON Patch");
    document = applied(document, operation);
  }
  return document;
}

function applied(document: unknown, operation: Json): unknown {
  const { op, path, from, value } = operation as { op?: unknown; path?: unknown; from?: unknown; value?: unknown };
  if (typeof path !== "string")
    throw new PatchError("failed", `${String(op)} operation failed to decode path: missing value`);
  switch (op) {
    case "add":
      return add(document, path, structuredClone(value ?? null), "add");
    case "remove":
      remove(document, path, "remove");
      return document;
    case "replace":
      return replace(document, path, structuredClone(value ?? null));
    case "move": {
      const moved = read(document, fromOf(from, "move"), "move");
      remove(document, fromOf(from, "move"), "move");
      return add(document, path, moved, "move");
    }
    case "copy":
      return add(document, path, structuredClone(read(document, fromOf(from, "copy"), "copy")), "copy");
    case "test":
      return tested(document, path, value);
    default:
      throw new PatchError("failed", `Unexpected kind: ${typeof op === "string" ? op : "unknown"}`);
  }
}

function fromOf(from: unknown, op: string): string {
  if (typeof from === "string") return from;
  throw new PatchError("failed", `${op} operation failed to decode from: missing value`);
}

function tested(document: unknown, path: string, value: unknown): unknown {
  const steps = pointer(path);
  const last = steps.at(-1);
  let there: unknown = document;
  if (last !== undefined) {
    const parent = parentOf(document, steps, "test", path);
    there = Array.isArray(parent)
      ? parent[indexIn(parent, last, false)]
      : Object.hasOwn(parent, last)
        ? parent[last]
        : null;
  }
  if (!same(there ?? null, value ?? null)) throw new PatchError("failed", `testing value ${path} failed: test failed`);
  return document;
}
