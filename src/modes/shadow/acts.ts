/** What a client did to an object, derived from a delta. */
import { fieldChanges } from "../../api/field-changes.ts";
import type { ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type { KindName } from "../../trace/names.ts";

/** A delta that was applied to the cache, with the object before and after it. */
export interface Observed {
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly before: StoredObject | undefined;
  /** Undefined for a deleted object. */
  readonly after: StoredObject | undefined;
  /** The `seq` of the delta event. */
  readonly delta: number;
  /** The field manager that made the change, as far as managedFields show it. */
  readonly writer: string | undefined;
}

/** The kind of write that a delta shows. */
export type Act = "create" | "update" | "delete";

/**
 * The write that a delta shows; undefined if it shows none. A graceful deletion counts when the deletionTimestamp appears. The later
 * removal of the object is not an act, unless it follows from the removal of the last finalizer.
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

/** Whether only the status was changed. */
export function isStatusOnly({ before, after }: Pick<Observed, "before" | "after">): boolean {
  if (before === undefined || after === undefined || before.metadata.generation !== after.metadata.generation)
    return false;
  return fieldChanges(before, after).every(({ path }) => path.startsWith(".status"));
}
