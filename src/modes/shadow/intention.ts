/** A write that a sync of ours intends, and how it relates to the next one. */
import { deepEqual } from "../../api/field-changes.ts";
import type { ObjectKey } from "../../api/key.ts";
import type { ObjectMeta, StoredObject } from "../../api/object.ts";
import type { Agreement } from "../../trace/events.ts";
import { controllerOf } from "../../api/owner-references.ts";
import { isChange, isGenerated, type WouldBeWrite } from "./would-be-write.ts";
import { likeIn, wantedChanges, decidedPart } from "./significant.ts";

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

/** Whether a write would change nothing, because the owner has already made it: no delta will follow. */
export function isIdle(write: WouldBeWrite): boolean {
  const { verb, before, after } = write;
  if (verb === "create") return false;
  if (verb === "delete") return before?.metadata.deletionTimestamp !== undefined;
  return before !== undefined && after !== undefined && wantedChanges(write).length === 0;
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
  return a.length === b.length && a.every((change, index) => deepEqual(decidedPart(change), decidedPart(b[index])));
}
