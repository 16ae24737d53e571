/** What somebody did to an object, read from a delta. */
import { fieldChanges } from "../../api/field-changes.ts";
import type { ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type { KindName } from "../../trace/names.ts";

/** A delta that has reached the cache, with its objects. */
export interface Observed {
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly before: StoredObject | undefined;
  /** Undefined for an object that is gone. */
  readonly after: StoredObject | undefined;
  /** The `seq` of the delta event. */
  readonly delta: number;
  /** Who made the change, as far as managedFields tell. */
  readonly writer: string | undefined;
}

export type Act = "create" | "update" | "delete";

/**
 * A deletion counts when it begins: of a graceful one the deletionTimestamp is the first that shows. What is then only the end of
 * it is no act of its own, unless somebody took the last finalizer away.
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

/** Whether nothing but the status was written: the work of the controller that the object is for. */
export function isStatusOnly({ before, after }: Pick<Observed, "before" | "after">): boolean {
  if (before === undefined || after === undefined || before.metadata.generation !== after.metadata.generation)
    return false;
  return fieldChanges(before, after).every(({ path }) => path.startsWith(".status"));
}
