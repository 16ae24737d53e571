/** The names that stage events are made of. */

/** Group and kind: two groups may have a kind of one name. */
export interface KindName {
  readonly group: string;
  readonly kind: string;
}

/**
 * `Added`: not known before; `Updated`, `Deleted`: as the watch told; `Replaced`: from a list; `Sync`: nothing has changed, a
 * listener is due for a resync.
 */
export type DeltaType = "Added" | "Updated" | "Deleted" | "Replaced" | "Sync";
