/** An object that was written in the fork, held against the cluster's. */
import { type FieldChange, fieldChanges } from "../../api/field-changes.ts";
import { isObject } from "../../api/json.ts";
import type { StoredObject } from "../../api/object.ts";

/** An object that was written in the fork. */
export interface Written {
  /** As the cluster had it before the first of the writes; undefined: it was created here. */
  readonly base: StoredObject | undefined;
  /** As it is in the fork; undefined: deleted here. */
  readonly here: StoredObject | undefined;
}

/**
 * What the cluster's state lacks of what was written here, as changes from here to there; empty: it has all of it. Fields that were not
 * written here do not count, nor do times, uids and versions. Of an object that was created here all fields but the status count.
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

/** The parts of an object that two servers can have in common. */
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
