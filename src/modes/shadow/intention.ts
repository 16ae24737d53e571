/** What shadow means to write, and how it compares with what somebody else has written. */
import { deepEqual, type FieldChange, fieldChanges } from "../../api/field-changes.ts";
import type { ObjectKey } from "../../api/key.ts";
import type { ObjectMeta, StoredObject } from "../../api/object.ts";
import type { Agreement } from "../../trace/events.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { WouldBeWrite } from "./overlay.ts";

/** A controller's key. */
export interface KeyOf {
  readonly controller: string;
  readonly key: ObjectKey;
}

/** Objects of one owner, as they were when one of them was chosen to be deleted, and those that count in the choice. */
export interface Siblings {
  readonly all: readonly StoredObject[];
  readonly related: readonly StoredObject[];
}

/** A would-be write that waits for the owner. */
export interface Intention extends KeyOf {
  /** From 1. */
  readonly id: number;
  /** The sync that decided it first, and when, in ms since 1970. */
  readonly sync: number;
  readonly at: number;
  write: WouldBeWrite;
  /** Of a deletion: what it was chosen among. */
  siblings: Siblings;
  /** The latest sync that decided it. */
  claimedBy: number;
  /** The owner has let it stand for too long; it may still come. */
  overdue: boolean;
}

/** The uid of the controller of what a create sends, or of what a delete is about. */
export function ownerUidOf(write: WouldBeWrite): string | undefined {
  const object =
    write.verb === "create" ? (write.sent as { readonly metadata?: ObjectMeta } | undefined) : write.before;
  return object?.metadata === undefined ? undefined : controllerOf({ metadata: object.metadata })?.uid;
}

/** Whether a create leaves the name to the server. */
export function isGenerated({ verb, sent }: Pick<WouldBeWrite, "verb" | "sent">): boolean {
  const { metadata } = (sent ?? {}) as { readonly metadata?: ObjectMeta };
  return verb === "create" && (metadata?.name ?? "") === "";
}

/** What an update or a patch changes; times are left out, since two writers never have the same. */
export function wantedChanges({ before, after }: WouldBeWrite): readonly FieldChange[] {
  return fieldChanges(before, after).filter(({ path }) => !isIncidental(path));
}

/** A write that changes nothing: the owner has done it already, and no delta will follow. */
export function isIdle(write: WouldBeWrite): boolean {
  const { verb, before, after } = write;
  if (verb === "create") return false;
  if (verb === "delete") return before?.metadata.deletionTimestamp !== undefined;
  return before !== undefined && after !== undefined && wantedChanges(write).length === 0;
}

/** A change that says nothing of what the writer decided. */
function isIncidental(path: string): boolean {
  return /(Time|Timestamp|\.generation)$/.test(path);
}

/** Whether two would-be writes are the same: what a sync decides while the intention of an earlier one stands. */
export function isSame(one: WouldBeWrite, other: WouldBeWrite): boolean {
  if (one.verb !== other.verb || one.kind !== other.kind || one.group !== other.group) return false;
  if (one.subresource !== other.subresource) return false;
  if (isGenerated(one) && isGenerated(other)) return ownerUidOf(one) === ownerUidOf(other);
  if (one.target !== other.target) return false;
  return one.verb === "create" || one.verb === "delete" || sameChanges(one, other);
}

function sameChanges(one: WouldBeWrite, other: WouldBeWrite): boolean {
  const [a, b] = [wantedChanges(one), wantedChanges(other)];
  return a.length === b.length && a.every((change, index) => deepEqual(withoutTimes(change), withoutTimes(b[index])));
}

/**
 * Where the owner's object is not what was meant: the paths, none if it is. Fields that the server filled in do not count; what
 * the owner changed from `was`, and was not to be changed, does.
 */
export function differences(
  write: WouldBeWrite,
  object: StoredObject,
  was: StoredObject | undefined,
): readonly string[] {
  if (write.verb === "create") {
    const paths: string[] = [];
    missing("", withoutEmpty(write.sent), object, paths);
    return paths;
  }
  if (write.after === undefined) return [".metadata"];
  const changed = fieldChanges(was, object).filter(({ path }) => was !== undefined && isOfPart(write, path));
  const wanted = new Set([...wantedChanges(write), ...changed].map(({ path }) => path));
  return fieldChanges(write.after, object)
    .filter((change) => !isIncidental(change.path) && touches(wanted, change.path))
    .filter(({ before, after }) => !deepEqual(withoutTimes(before), withoutTimes(after)))
    .map(({ path }) => path);
}

/** Whether a write can change the path: an update of the status changes the status, any other all but that. */
function isOfPart({ subresource }: WouldBeWrite, path: string): boolean {
  return path.startsWith(".status") === (subresource === "status");
}

/** Whether a path is one of the wanted ones, below or above one. */
function touches(wanted: ReadonlySet<string>, path: string): boolean {
  for (const each of wanted) if (each.startsWith(path) || path.startsWith(each)) return true;
  return false;
}

function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !isIncidental(key))
      .map(([key, item]) => [key, withoutTimes(item)]),
  );
}

/** What says nothing to the server: null, `{}`, `[]`, and the status of a new object. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([, item]) => item !== null && !deepEqual(item, {}) && !deepEqual(item, []),
  );
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutEmpty(item)]));
}

/**
 * Whether a deletion that nobody was seen to do was done or has lost its reason: the owner may have been at it while ours was still
 * asking the server. `now` is the object as it is known when the key has come to rest.
 */
export function overtaken(
  { verb, before }: WouldBeWrite,
  now: StoredObject | undefined,
): { readonly is: Agreement; readonly why: string } | undefined {
  if (verb !== "delete" || before === undefined) return undefined;
  if (now === undefined || now.metadata.uid !== before.metadata.uid)
    return { is: "owner was faster", why: "it is gone" };
  if (now.metadata.deletionTimestamp !== undefined) return { is: "owner was faster", why: "it is being deleted" };
  const owners = ({ metadata }: StoredObject): readonly string[] =>
    (metadata.ownerReferences ?? []).map(({ uid }) => uid);
  return deepEqual(owners(now), owners(before))
    ? undefined
    : { is: "not comparable", why: "it has other owners by now" };
}

/** Collects the paths of `sent` that `object` does not have so. Admission adds items to lists: order and number do not count. */
function missing(path: string, sent: unknown, object: unknown, into: string[]): void {
  if (Array.isArray(sent)) {
    const there: readonly unknown[] = Array.isArray(object) ? object : [];
    for (const [index, item] of sent.entries()) {
      if (!there.some((other) => has(other, item))) into.push(`${path}[${index}]`);
    }
    return;
  }
  if (typeof sent !== "object" || sent === null) {
    if (sent !== object) into.push(path);
    return;
  }
  const there = (typeof object === "object" && object !== null ? object : {}) as Readonly<Record<string, unknown>>;
  for (const [key, item] of Object.entries(sent)) {
    if (path === "" && key === "status") continue;
    if (!isIncidental(key)) missing(`${path}.${key}`, item, there[key], into);
  }
}

function has(object: unknown, item: unknown): boolean {
  const paths: string[] = [];
  missing("", item, object, paths);
  return paths.length === 0;
}
