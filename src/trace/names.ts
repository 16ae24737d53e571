/** The names that stage events are made of. */

/** Group and kind: kinds of two groups may have the same name. */
export interface KindName {
  readonly group: string;
  readonly kind: string;
}

/**
 * `Added`, `Updated`, `Deleted`: from a watch, or `Deleted` because a list came without the object; `Replaced`: from a list; `Sync`:
 * nothing has changed, a listener is due for a resync.
 */
export type DeltaType = "Added" | "Updated" | "Deleted" | "Replaced" | "Sync";
