/** Who made a change, as far as `metadata.managedFields` can tell. */
import { deepEqual } from "./deep-equal.ts";
import { type Difference, differenceOf } from "./difference.ts";
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
  /** Of `managedAfter`, where it is known already: it takes longer than the rest. */
  readonly compactAfter?: CompactManagedFields;
}

export function compactManagedFields(entries: readonly ManagedFieldsEntry[]): CompactManagedFields {
  return entries.map((entry) => ({
    manager: entry.manager ?? "",
    part: `${entry.operation ?? ""} ${entry.subresource ?? ""} ${entry.apiVersion ?? ""}`,
    time: entry.time ?? "",
    fields: hashOf(entry.fieldsV1),
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
 * Give it single writes only: what a list shows may be many. `known` is the difference of before and after.
 */
export function writerOfChange(change: WatchedChange, known?: Difference): string | undefined {
  const { before, managedBefore, after, managedAfter } = change;
  if (before === undefined) return only(managedAfter);
  if (managedBefore === undefined || deletionBegins(before, after)) return undefined;
  const now = change.compactAfter ?? compactManagedFields(managedAfter);
  const earlier = now.map((entry) =>
    managedBefore.find((old) => old.manager === entry.manager && old.part === entry.part),
  );
  const renewed = (index: number): boolean => earlier[index]?.time !== now[index]?.time;
  const difference = known ?? differenceOf(before, after);
  const same: Same = (old, item) => (isObject(item) && isObject(old) ? !difference.has(item) : deepEqual(old, item));
  if (!addsOrChanges(before, after, same)) return only(managedAfter.filter((_, index) => renewed(index)));
  const isNew = (index: number): boolean => renewed(index) || earlier[index]?.fields !== now[index]?.fields;
  const covers = ({ fieldsV1 }: ManagedFieldsEntry): boolean => owns(fieldsV1, before, after, { path: "", same });
  const fresh = managedAfter.filter((entry, index) => isNew(index) && covers(entry));
  // A second write of one manager within one second leaves its entry as it was; still, nobody else's covers what it changed.
  return only(fresh.length > 0 ? fresh : managedAfter.filter(covers));
}

/** Whether what stands at the same place before and after is the same. */
type Same = (before: unknown, after: unknown) => boolean;

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
function addsOrChanges(before: unknown, after: unknown, same: Same, path = ""): boolean {
  if (unowned.has(path) || same(before, after)) return false;
  if (isObject(before) && isObject(after)) {
    return Object.keys(after).some((key) => addsOrChanges(before[key], after[key], same, depth(path, key)));
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
function owns(set: unknown, before: unknown, after: unknown, at: Place): boolean {
  if (unowned.has(at.path) || at.same(before, after)) return true;
  if (at.path === "" || at.path === ".metadata") return ownsFields(isObject(set) ? set : {}, before, after, at);
  if (!isObject(set)) return false;
  const members = Object.keys(set);
  // Of what is new as a whole nobody else can own a part, so it need not be gone through: defaults in it have no owner.
  if (members.length === 0 || before === undefined) return true;
  if (Array.isArray(after)) {
    const old: readonly unknown[] = Array.isArray(before) ? before : [];
    return after.every((item, index) => ownsItem(set, members, old, item, index));
  }
  return ownsFields(set, before, after, at);
}

interface Place {
  readonly path: string;
  readonly same: Same;
}

function ownsFields(set: Json, before: unknown, after: unknown, { path, same }: Place): boolean {
  if (!isObject(after)) return false;
  const old = isObject(before) ? before : {};
  return Object.keys(after).every((key) =>
    owns(set[`f:${key}`], old[key], after[key], { path: depth(path, key), same }),
  );
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
  // In a list an item is compared with the one of its name, wherever that stood.
  return owns(set[member], same, item, { path: "…", same: deepEqual });
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

function hashOf(set: unknown): number {
  const hash = new SetHash();
  hash.add(set);
  return hash.value;
}

/**
 * 53 bits of a field set, by way of its keys (cyrb53): two sets of one entry that differ are taken for one in a case of 2⁵³. It goes
 * through the set itself, which takes a third of the time of writing it as text first.
 */
class SetHash {
  #a = 0xdeadbeef;
  #b = 0x41c6ce57;

  /** A field set is objects in objects; what else may stand there is taken as text. */
  add(set: unknown): void {
    if (!isObject(set)) {
      this.#text(JSON.stringify(set) ?? "");
      return;
    }
    for (const key in set) {
      this.#text(key);
      this.#code(1);
      this.add(set[key]);
    }
    this.#code(2);
  }

  #text(text: string): void {
    let [a, b] = [this.#a, this.#b];
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      a = Math.imul(a ^ code, 2654435761);
      b = Math.imul(b ^ code, 1597334677);
    }
    this.#a = a;
    this.#b = b;
  }

  #code(code: number): void {
    this.#a = Math.imul(this.#a ^ code, 2654435761);
    this.#b = Math.imul(this.#b ^ code, 1597334677);
  }

  get value(): number {
    const a = Math.imul(this.#a ^ (this.#a >>> 16), 2246822507) ^ Math.imul(this.#b ^ (this.#b >>> 13), 3266489909);
    const b = Math.imul(this.#b ^ (this.#b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
    return 4294967296 * (2097151 & b) + (a >>> 0);
  }
}
