/** Differences between two objects, as field paths. */
import { deepEqual } from "./deep-equal.ts";
import { type ChangedNodes, changedNodes } from "./changed-nodes.ts";
import { isObject } from "./json.ts";

export { deepEqual } from "./deep-equal.ts";

/** One changed field. `before` is undefined for an added field, `after` for a removed one. */
export interface FieldChange {
  /**
   * `.spec.replicas`; keys that are not identifiers as `.metadata.labels["a.b/c"]`; list items by type or name if these are unique,
   * `.status.conditions[Ready].status`, otherwise by index, `.spec.containers[0].args[2]`.
   */
  readonly path: string;
  /** Absent if the field did not exist before. */
  readonly before?: unknown;
  /** Absent if the field is gone. */
  readonly after?: unknown;
}

const identifier = /^[A-Za-z_][\w-]*$/;

/** `.spec`, or `["a.b/c"]` for a key that is not an identifier. */
export function pathStep(key: string): string {
  return identifier.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/**
 * The changes from `before` to `after`, in the order of the keys of `after`, then removed ones. A field that appears or disappears is one
 * change, however deep it is. Named list items are compared with those of the same name; other lists item by item if their lengths are
 * equal, and are one change otherwise. `metadata.resourceVersion` and `metadata.managedFields` are left out: they change with every write;
 * `apiVersion` and `kind` too: an object of a list comes without them.
 */
export function fieldChanges(
  before: unknown,
  after: unknown,
  changed: ChangedNodes = changedNodes(before, after),
): FieldChange[] {
  const changes: FieldChange[] = [];
  compareFields("", before, after, { changed, changes });
  return changes;
}

interface Comparison {
  /** The changed nodes of the whole object: everything else along its fields is unchanged. */
  readonly changed: ChangedNodes;
  readonly changes: FieldChange[];
}

/** Like `compare`, along the fields of the whole object: skips unchanged parts. */
function compareFields(path: string, before: unknown, after: unknown, into: Comparison): void {
  if (
    before === after ||
    (typeof after === "object" && after !== null && isComparable(before, after) && !into.changed.has(after))
  )
    return;
  if (!isObject(before) || !isObject(after)) {
    compare(path, before, after, into.changes);
    return;
  }
  eachField(path, before, after, into.changes, (at, old, now) => compareFields(at, old, now, into));
}

/** Whether both are objects, or both lists. */
function isComparable(before: unknown, after: object): boolean {
  return typeof before === "object" && before !== null && Array.isArray(before) === Array.isArray(after);
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
    eachField(path, before, after, into, (at, old, now) => compare(at, old, now, into));
    return;
  }
  if (Array.isArray(before) && Array.isArray(after)) compareLists(path, before, after, into);
  else into.push({ path, before, after });
}

type Json = Readonly<Record<string, unknown>>;

/** Reports added and removed fields; passes on those on both sides. */
function eachField(
  path: string,
  before: Json,
  after: Json,
  into: FieldChange[],
  both: (at: string, before: unknown, after: unknown) => void,
): void {
  for (const key of Object.keys(after)) {
    if (before[key] === after[key] && Object.hasOwn(before, key)) continue;
    const at = path + pathStep(key);
    if (ignored.has(at)) continue;
    if (!Object.hasOwn(before, key)) into.push({ path: at, after: after[key] });
    else both(at, before[key], after[key]);
  }
  for (const key of Object.keys(before)) {
    if (Object.hasOwn(after, key)) continue;
    const at = path + pathStep(key);
    if (!ignored.has(at)) into.push({ path: at, before: before[key] });
  }
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
    // Equal items in a different order.
    if (into.length === from && !deepEqual(before, after)) into.push({ path, before, after });
  } else if (before.length === after.length) {
    for (let index = 0; index < after.length; index++) compare(`${path}[${index}]`, before[index], after[index], into);
  } else into.push({ path, before, after });
}

/**
 * The items by identity: conditions and the like by `type`; containers, volumes and others by `name`. Undefined if an item has none, or two
 * share one.
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

/** `Ready`, `web`, `example.com/ready`; quoted if it could be mistaken for an index or is not a plain word. */
function itemStep(name: string): string {
  return /^[A-Za-z][\w./-]*$/.test(name) ? name : JSON.stringify(name);
}
