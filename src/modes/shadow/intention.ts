/** A write that shadow intends, and how it compares with the owner's write. */
import { deepEqual, type FieldChange, fieldChanges } from "../../api/field-changes.ts";
import type { ObjectKey } from "../../api/key.ts";
import type { ObjectMeta, StoredObject } from "../../api/object.ts";
import type { Agreement } from "../../trace/events.ts";
import { controllerOf } from "../../api/owner-references.ts";
import { withRealUids } from "./made-up.ts";
import type { WouldBeWrite } from "./overlay.ts";

/** A key of a controller. */
export interface KeyOf {
  readonly controller: string;
  readonly key: ObjectKey;
}

/** The objects of one owner at the time when one of them was chosen for deletion, and the objects that influence the ranking. */
export interface Siblings {
  readonly all: readonly StoredObject[];
  readonly related: readonly StoredObject[];
}

/** A would-be write that awaits the owner's. */
export interface Intention extends KeyOf {
  /** Counted from 1. */
  readonly id: number;
  /** The sync that first decided it; `at` in ms since 1970. */
  readonly sync: number;
  readonly at: number;
  write: WouldBeWrite;
  /**
   * For a creation: what earlier syncs would have created instead, oldest first. A user's change may reach our sync before the owner's
   * object that was created from the earlier state.
   */
  earlier: readonly WouldBeWrite[];
  /** For a deletion: the objects among which it was chosen. */
  siblings: Siblings;
  /** The latest sync that decided it. */
  claimedBy: number;
  /** The outcome reported when the owner had not done it in time; it still may. Undefined before. */
  reported: Agreement | undefined;
}

/** The uid of the controlling owner of the created or deleted object. */
export function ownerUidOf(write: WouldBeWrite): string | undefined {
  const object =
    write.verb === "create" ? (write.sent as { readonly metadata?: ObjectMeta } | undefined) : write.before;
  return object?.metadata === undefined ? undefined : controllerOf({ metadata: object.metadata })?.uid;
}

/**
 * Owners that do not choose which object to delete, because each object has a role: an ordinal, a node or a time. Owners of other kinds
 * may delete any of several objects that rank equally.
 */
const ownersWithoutChoice: ReadonlySet<string> = new Set(["StatefulSet", "DaemonSet", "CronJob"]);

/** The uid of the object's owner, if that owner chooses which of its objects to delete; otherwise undefined. */
export function chooserOf(object: StoredObject | undefined): string | undefined {
  const owner = object === undefined ? undefined : controllerOf(object);
  return owner === undefined || ownersWithoutChoice.has(owner.kind) ? undefined : owner.uid;
}

/** Whether a create leaves the name to the server (generateName). */
export function isGenerated({ verb, sent }: Pick<WouldBeWrite, "verb" | "sent">): boolean {
  const { metadata } = (sent ?? {}) as { readonly metadata?: ObjectMeta };
  return verb === "create" && (metadata?.name ?? "") === "";
}

/** The changes of an update or patch, without timestamps and generations, which differ between any two writers. */
export function wantedChanges({ before, after }: WouldBeWrite): readonly FieldChange[] {
  return fieldChanges(before, after).filter(({ path }) => !isIncidental(path));
}

/** Whether a write changes an object, rather than creating or deleting it. */
export function isChange({ verb }: Pick<WouldBeWrite, "verb">): boolean {
  return verb === "update" || verb === "patch";
}

/** Whether a write would change nothing, because the owner has already made it: no delta will follow. */
export function isIdle(write: WouldBeWrite): boolean {
  const { verb, before, after } = write;
  if (verb === "create") return false;
  if (verb === "delete") return before?.metadata.deletionTimestamp !== undefined;
  return before !== undefined && after !== undefined && wantedChanges(write).length === 0;
}

/** Whether a field does not reflect a decision of the writer. */
function isIncidental(path: string): boolean {
  return /(Time|Timestamp|\.generation)$/.test(path);
}

/** Whether two would-be writes are equal, so that one repeats the intention of the other. */
export function isSame(one: WouldBeWrite, other: WouldBeWrite): boolean {
  if (one.verb !== other.verb || one.kind !== other.kind || one.group !== other.group) return false;
  if (one.subresource !== other.subresource) return false;
  if (isGenerated(one) && isGenerated(other)) return ownerUidOf(one) === ownerUidOf(other);
  if (one.target !== other.target) return false;
  return one.verb === "create" || one.verb === "delete" || sameChanges(one, other);
}

/** Whether a change replaces an earlier one of the same object. */
export function isReplaced(standing: WouldBeWrite, write: WouldBeWrite): boolean {
  return (
    isChange(write) &&
    standing.verb === write.verb &&
    standing.kind === write.kind &&
    standing.target === write.target &&
    standing.subresource === write.subresource
  );
}

function sameChanges(one: WouldBeWrite, other: WouldBeWrite): boolean {
  const [a, b] = [wantedChanges(likeIn(one, other.after)), wantedChanges(other)];
  return a.length === b.length && a.every((change, index) => deepEqual(withoutTimes(change), withoutTimes(b[index])));
}

/**
 * The paths at which the owner's object differs from the intended one. Fields set by the server are ignored; unintended changes by the
 * owner since `was` are included.
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
  const meant = likeIn(write, object);
  const changed = fieldChanges(was, object).filter(({ path }) => was !== undefined && isOfPart(write, path));
  const wanted = new Set([...wantedChanges(meant), ...changed].map(({ path }) => path));
  return fieldChanges(meant.after, object)
    .filter((change) => !isIncidental(change.path) && touches(wanted, change.path))
    .filter(({ before, after }) => !deepEqual(withoutTimes(before), withoutTimes(after)))
    .map(({ path }) => path);
}

/** The paths at which a created object differs from what the latest sync would create; none if an earlier sync would have created it. */
export function creationDifferences({ write, earlier }: Intention, object: StoredObject): readonly string[] {
  const isEarlier = earlier.some((each) => differences(each, object, undefined).length === 0);
  return isEarlier ? [] : differences(write, object, undefined);
}

/** The write with its made-up uids replaced by those of another state of the object. */
function likeIn(write: WouldBeWrite, object: StoredObject | undefined): WouldBeWrite {
  if (write.madeUp === undefined || write.after === undefined) return write;
  // Replacing uids keeps the type.
  return { ...write, after: withRealUids(write.after, { did: object, madeUp: write.madeUp }) as StoredObject };
}

/** Finalizers in which the server records the propagation policy of a deletion. */
const propagationFinalizers = ["foregroundDeletion", "orphan"];

/**
 * The propagation finalizers that only one of two deletions has set; none if the policies are equal, or if the object is already removed,
 * since the policy is then unknown.
 */
export function otherPropagation({ after }: WouldBeWrite, now: StoredObject | undefined): readonly string[] {
  if (now === undefined) return [];
  const has = (object: StoredObject | undefined, finalizer: string): boolean =>
    object?.metadata.finalizers?.includes(finalizer) === true;
  return propagationFinalizers.filter((finalizer) => has(after, finalizer) !== has(now, finalizer));
}

/** Whether a write can change the path: a status update changes only the status, any other write everything else. */
function isOfPart({ subresource }: WouldBeWrite, path: string): boolean {
  return path.startsWith(".status") === (subresource === "status");
}

/** Whether a path is equal to a wanted one, above it or below it. */
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

/** Without values that the server ignores: null, `{}`, `[]`. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([, item]) => item !== null && !deepEqual(item, {}) && !deepEqual(item, []),
  );
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutEmpty(item)]));
}

/**
 * Whether a deletion or a change that was not observed has happened anyway or has lost its reason: the owner may have acted while ours was
 * still waiting for the server. `now` is the object as known when the key has been quiet.
 */
export function overtaken(
  write: WouldBeWrite,
  now: StoredObject | undefined,
): { readonly is: Agreement; readonly why: string } | undefined {
  const { verb, before, after } = write;
  if (verb === "create" || before === undefined) return undefined;
  if (now === undefined || now.metadata.uid !== before.metadata.uid) {
    const isRemoval = verb === "delete" || after === undefined;
    return { is: isRemoval ? "owner was faster" : "not comparable", why: "it is gone" };
  }
  if (isChange(write)) {
    const isDone = differences(write, now, before).length === 0;
    return isDone ? { is: "owner was faster", why: "it has these values" } : undefined;
  }
  if (now.metadata.deletionTimestamp !== undefined) return { is: "owner was faster", why: "it is being deleted" };
  const owners = ({ metadata }: StoredObject): readonly string[] =>
    (metadata.ownerReferences ?? []).map(({ uid }) => uid);
  return deepEqual(owners(now), owners(before)) ? undefined : { is: "not comparable", why: "its owners have changed" };
}

/** Collects the paths of `sent` at which `object` differs. Admission adds items to lists: order and number are ignored. */
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
