/** Names used in stage events. */

/** A kind with its group, because two groups may have a kind of the same name. */
export interface KindName {
  readonly group: string;
  readonly kind: string;
}

/**
 * `Added`, `Updated`, `Deleted`: from a watch; `Deleted` also for an object missing from a list. `Replaced`: from a list. `Sync`: a
 * periodic resync, without a change.
 */
export type DeltaType = "Added" | "Updated" | "Deleted" | "Replaced" | "Sync";
