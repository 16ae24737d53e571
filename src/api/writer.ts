/** Who made a change, as far as `metadata.managedFields` can tell. */
import { deepEqual } from "./field-changes.ts";
import type { ManagedFieldsEntry, StoredObject } from "./object.ts";

/** An entry of managedFields without its field set: of that only a hash is kept, to see whether it is another one. */
export interface CompactEntry {
  readonly manager: string;
  /** Operation, subresource and version: what tells two entries of one manager apart. */
  readonly part: string;
  readonly time: string;
  readonly fields: number;
}

/** managedFields in about a hundred bytes an entry, to be kept beside an object that is cached without them. */
export type CompactManagedFields = readonly CompactEntry[];

/** A change as a watch shows it: one write, with what was known before. */
export interface WatchedChange {
  /** Undefined for an object that the write created. */
  readonly before: StoredObject | undefined;
  readonly managedBefore: CompactManagedFields | undefined;
  readonly after: StoredObject;
  readonly managedAfter: readonly ManagedFieldsEntry[];
}

export function compactManagedFields(entries: readonly ManagedFieldsEntry[]): CompactManagedFields {
  return entries.map((entry) => ({
    manager: entry.manager ?? "",
    part: `${entry.operation ?? ""} ${entry.subresource ?? ""} ${entry.apiVersion ?? ""}`,
    time: entry.time ?? "",
    fields: hash(JSON.stringify(entry.fieldsV1) ?? ""),
  }));
}

/**
 * The manager that made the change; undefined unless exactly one can have. Neither the order of the entries nor their times
 * tell it: they are sorted by operation first, and times are whole seconds or absent. What does tell is:
 *
 * - Of a new object: its only manager.
 * - Of changed values: whoever writes a value owns it afterwards, and nobody else does. So the writer's entry covers all that was
 *   added or changed. Of several the one whose time or field set is new; of one manager alone also an entry that is as it was,
 *   as after two writes within a second.
 * - Of a change that only removed something: nothing is left to be owned, but an apply still renews the time of its entry.
 * - Of a deletion, and of its first step, the deletionTimestamp: nobody, since deletions are not recorded.
 *
 * Give it single writes only: what a list shows may be many.
 */
export function writerOfChange({ before, managedBefore, after, managedAfter }: WatchedChange): string | undefined {
  if (before === undefined) return only(managedAfter);
  if (managedBefore === undefined || deletionBegins(before, after)) return undefined;
  const now = compactManagedFields(managedAfter);
  const earlier = now.map((entry) =>
    managedBefore.find((old) => old.manager === entry.manager && old.part === entry.part),
  );
  const renewed = (index: number): boolean => earlier[index]?.time !== now[index]?.time;
  if (!addsOrChanges(before, after)) return only(managedAfter.filter((_, index) => renewed(index)));
  const covering = managedAfter.map((entry) => owns(entry.fieldsV1, before, after, ""));
  const isNew = (index: number): boolean => renewed(index) || earlier[index]?.fields !== now[index]?.fields;
  const fresh = managedAfter.filter((_, index) => covering[index] === true && isNew(index));
  // A second write of one manager within one second leaves its entry as it was; still, nobody else's covers what it changed.
  return only(fresh.length > 0 ? fresh : managedAfter.filter((_, index) => covering[index] === true));
}

/** The one manager of the entries, which may be several by operation and subresource. */
function only(entries: readonly ManagedFieldsEntry[]): string | undefined {
  const manager = entries[0]?.manager;
  if (manager === undefined || manager === "") return undefined;
  return entries.every((entry) => entry.manager === manager) ? manager : undefined;
}

function deletionBegins(before: StoredObject, after: StoredObject): boolean {
  return before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp;
}

/** What the API server keeps without an owner. */
const unowned: ReadonlySet<string> = new Set([
  ".apiVersion",
  ".kind",
  ".metadata.managedFields",
  ".metadata.resourceVersion",
  ".metadata.generation",
  ".metadata.uid",
  ".metadata.creationTimestamp",
  ".metadata.selfLink",
  ".metadata.name",
  ".metadata.namespace",
]);

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether something is there, or is another, that was not so before; what is only gone does not count. */
function addsOrChanges(before: unknown, after: unknown, path = ""): boolean {
  if (unowned.has(path) || deepEqual(before, after)) return false;
  if (isObject(before) && isObject(after)) {
    return Object.keys(after).some((key) => addsOrChanges(before[key], after[key], depth(path, key)));
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    return after.some((item) => !before.some((old) => deepEqual(old, item)));
  }
  return true;
}

/** A path is asked for near the top only: further down nothing is without an owner. */
function depth(path: string, key: string): string {
  return path === "" || path === ".metadata" ? `${path}.${key}` : "…";
}

/**
 * Whether a field set holds all that was added or changed. A set is a tree: `f:name` a field, `k:{…}` and `v:…` an item of a list
 * by its keys or its value, `i:n` by its place, `.` the place itself; an empty node holds all that is below it.
 */
function owns(set: unknown, before: unknown, after: unknown, path: string): boolean {
  if (unowned.has(path) || deepEqual(before, after)) return true;
  if (path === "" || path === ".metadata") return ownsFields(isObject(set) ? set : {}, before, after, path);
  if (!isObject(set)) return false;
  const members = Object.keys(set);
  // Of what is new as a whole nobody else can own a part, so it need not be gone through: defaults in it have no owner.
  if (members.length === 0 || before === undefined) return true;
  if (Array.isArray(after)) {
    const old: readonly unknown[] = Array.isArray(before) ? before : [];
    return after.every((item, index) => ownsItem(set, members, old, item, index));
  }
  return ownsFields(set, before, after, path);
}

function ownsFields(set: Json, before: unknown, after: unknown, path: string): boolean {
  if (!isObject(after)) return false;
  const old = isObject(before) ? before : {};
  return Object.keys(after).every((key) => owns(set[`f:${key}`], old[key], after[key], depth(path, key)));
}

function ownsItem(
  set: Json,
  members: readonly string[],
  old: readonly unknown[],
  item: unknown,
  index: number,
): boolean {
  if (old.some((other) => deepEqual(other, item))) return true;
  const member = members.find((name) => names(name, item, index));
  if (member === undefined) return false;
  const same = old.find((other, at) => names(member, other, at));
  return owns(set[member], same, item, "…");
}

/** Whether `k:{"type":"Ready"}`, `v:"a"` or `i:0` means this item of a list. */
function names(member: string, item: unknown, index: number): boolean {
  const text = member.slice(2);
  switch (member.slice(0, 2)) {
    case "k:": {
      const keys = JSON.parse(text) as Json;
      return isObject(item) && Object.keys(keys).every((key) => deepEqual(item[key], keys[key]));
    }
    case "v:":
      return deepEqual(item, JSON.parse(text));
    case "i:":
      return index === Number(text);
    default:
      return false;
  }
}

/** 53 bits (cyrb53): two sets of one entry that differ are taken for one in a case of 2⁵³. */
function hash(text: string): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}
