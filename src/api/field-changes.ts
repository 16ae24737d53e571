/** What differs between two objects, as field paths. */

export interface FieldChange {
  /**
   * `.spec.replicas`; keys that are no identifiers as `.metadata.labels["a.b/c"]`; items of a list by their type or name where all
   * have one of their own, `.status.conditions[Ready].status`, otherwise by their place, `.spec.containers[0].args[2]`.
   */
  readonly path: string;
  /** Absent if the field was not there before. */
  readonly before?: unknown;
  /** Absent if the field is gone. */
  readonly after?: unknown;
}

const identifier = /^[A-Za-z_][\w-]*$/;

/** `.spec`, or `["a.b/c"]` for a key that is no identifier. */
export function pathStep(key: string): string {
  return identifier.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The changes from `before` to `after`, in the order of the keys of `after`, then those that are gone. A field that appears or
 * disappears is one change, however deep it is. Items of a list that have names are compared with those of the same name; other
 * lists place by place where they are of one length, and are one change where not. `metadata.resourceVersion` and `metadata.managedFields` are left out: they change with every write;
 * `apiVersion` and `kind` too: an object of a list comes without them.
 */
export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  const changes: FieldChange[] = [];
  compare("", before, after, changes);
  return changes;
}

const ignored: ReadonlySet<string> = new Set([
  ".metadata.resourceVersion",
  ".metadata.managedFields",
  ".apiVersion",
  ".kind",
]);

function compare(path: string, before: unknown, after: unknown, into: FieldChange[]): void {
  if (before === after) return;
  if (isObject(before) && isObject(after)) {
    for (const key of Object.keys(after)) {
      const at = path + pathStep(key);
      if (ignored.has(at)) continue;
      if (!Object.hasOwn(before, key)) into.push({ path: at, after: after[key] });
      else compare(at, before[key], after[key], into);
    }
    for (const key of Object.keys(before)) {
      const at = path + pathStep(key);
      if (!Object.hasOwn(after, key) && !ignored.has(at)) into.push({ path: at, before: before[key] });
    }
    return;
  }
  if (Array.isArray(before) && Array.isArray(after)) compareLists(path, before, after, into);
  else into.push({ path, before, after });
}

type List = readonly unknown[];

function compareLists(path: string, before: List, after: List, into: FieldChange[]): void {
  const [was, is] = [namedItems(path, before), namedItems(path, after)];
  if (was !== undefined && is !== undefined) {
    const from = into.length;
    for (const [name, item] of is) {
      const [at, old] = [`${path}[${itemStep(name)}]`, was.get(name)];
      if (old === undefined) into.push({ path: at, after: item });
      else compare(at, old, item, into);
    }
    for (const [name, item] of was) if (!is.has(name)) into.push({ path: `${path}[${itemStep(name)}]`, before: item });
    // The same items in another order.
    if (into.length === from && !deepEqual(before, after)) into.push({ path, before, after });
  } else if (before.length === after.length) {
    for (let index = 0; index < after.length; index++) compare(`${path}[${index}]`, before[index], after[index], into);
  } else into.push({ path, before, after });
}

/**
 * The items by what tells them apart: conditions and their like by `type`, containers, volumes and the rest by `name`. Undefined
 * where an item has none, or not one of its own.
 */
function namedItems(path: string, list: List): ReadonlyMap<string, unknown> | undefined {
  const key = path.endsWith(".conditions") ? "type" : "name";
  const items = new Map<string, unknown>();
  for (const item of list) {
    const name = isObject(item) ? item[key] : undefined;
    if (typeof name !== "string" || name === "" || items.has(name)) return undefined;
    items.set(name, item);
  }
  return items;
}

/** `Ready`, `web`, `example.com/ready`; what could be taken for a place, or is no plain word, in quotes. */
function itemStep(name: string): string {
  return /^[A-Za-z][\w./-]*$/.test(name) ? name : JSON.stringify(name);
}

/** Whether two pieces of plain JSON are the same; the order of keys does not count. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => deepEqual(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && deepEqual(a[key], b[key]))
  );
}
