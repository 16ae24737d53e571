/** Compares an object that was written in the fork with the cluster's object. */
import { type FieldChange, fieldChanges } from "../../api/field-changes.ts";
import { isObject } from "../../api/json.ts";
import type { StoredObject } from "../../api/object.ts";

/** An object that was written in the fork. */
export interface Written {
  /** The cluster's state before the first write in the fork; undefined if the object was created in the fork. */
  readonly base: StoredObject | undefined;
  /** The state in the fork; undefined if it was deleted there. */
  readonly here: StoredObject | undefined;
}

/**
 * The parts of the fork's writes that the cluster's state lacks, as changes from the fork to the cluster; empty if it has all of them.
 * Only fields written in the fork count; for an object created in the fork, all fields except the status. Times, uids and
 * resourceVersions are ignored.
 */
export function missingFrom(live: StoredObject | undefined, { base, here }: Written): readonly FieldChange[] {
  if (here === undefined) return live === undefined ? [] : [{ path: "", after: live }];
  if (live === undefined) return [{ path: "", before: here }];
  const differences = fieldChanges(comparable(here), comparable(live));
  if (base === undefined) return differences.filter(({ path }) => !isWithin(path, ".status"));
  const written = fieldChanges(comparable(base), comparable(here)).map(({ path }) => path);
  return differences.filter(({ path }) => written.some((own) => isWithin(path, own) || isWithin(own, path)));
}

function isWithin(path: string, of: string): boolean {
  return path === of || (path.startsWith(of) && (path[of.length] === "." || path[of.length] === "["));
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** The parts of an object that may be equal on two servers. */
function comparable(object: StoredObject): object {
  const { metadata, ...rest } = object;
  const { labels, annotations, finalizers, ownerReferences, deletionTimestamp } = metadata;
  const owners = ownerReferences?.map(({ uid: _uid, ...reference }) => reference);
  const own = { labels, annotations, finalizers, ownerReferences: owners, deletionTimestamp };
  const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  return withoutTimes({ ...rest, metadata: given });
}

function withoutTimes(object: object): object {
  return Object.fromEntries(Object.entries(object).map(([key, item]) => [key, timeless(item)]));
}

function timeless(value: unknown): unknown {
  if (typeof value === "string") return time.test(value) ? "TIME" : value;
  if (Array.isArray(value)) return value.map(timeless);
  return isObject(value) ? withoutTimes(value) : value;
}
