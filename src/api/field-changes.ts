/** What differs between two objects, as field paths. */

export interface FieldChange {
  /** As in ux: `.spec.template.spec.containers[0].image`; keys that are no identifiers as `.metadata.labels["a.b/c"]`. */
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
 * disappears is one change, however deep it is. Lists of one length are compared place by place; of another length they are one
 * change. `metadata.resourceVersion` and `metadata.managedFields` are left out: they change with every write;
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
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    for (let index = 0; index < after.length; index++) compare(`${path}[${index}]`, before[index], after[index], into);
    return;
  }
  if (Array.isArray(before) && Array.isArray(after) && deepEqual(before, after)) return;
  into.push({ path, before, after });
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
