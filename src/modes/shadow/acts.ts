/** What a client did to an object, derived from a delta. */
import { fieldChanges } from "../../api/field-changes.ts";
import type { ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type { KindName } from "../../trace/names.ts";

/** A delta that has reached the cache, with its objects. */
export interface Observed {
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly before: StoredObject | undefined;
  /** Undefined for a deleted object. */
  readonly after: StoredObject | undefined;
  /** The `seq` of the delta event. */
  readonly delta: number;
  /** Who made the change, as far as managedFields tell. */
  readonly writer: string | undefined;
}

/** The kind of write that a delta shows. */
export type Act = "create" | "update" | "delete";

/**
 * A deletion counts when it starts: a graceful one first shows as a deletionTimestamp. Its end is not an act of its
 * own, unless someone removed the last finalizer.
 */
export function actOf({ before, after }: Pick<Observed, "before" | "after">): Act | undefined {
  if (before === undefined) return after === undefined ? undefined : "create";
  if (after === undefined) {
    if (before.metadata.deletionTimestamp === undefined) return "delete";
    return (before.metadata.finalizers?.length ?? 0) > 0 ? "update" : undefined;
  }
  if (before.metadata.uid !== after.metadata.uid) return "create";
  if (before.metadata.deletionTimestamp === undefined && after.metadata.deletionTimestamp !== undefined)
    return "delete";
  return before.metadata.resourceVersion === after.metadata.resourceVersion ? undefined : "update";
}

/** Whether only the status was written, which the object's own controller does. */
export function isStatusOnly({ before, after }: Pick<Observed, "before" | "after">): boolean {
  if (before === undefined || after === undefined || before.metadata.generation !== after.metadata.generation)
    return false;
  return fieldChanges(before, after).every(({ path }) => path.startsWith(".status"));
}
