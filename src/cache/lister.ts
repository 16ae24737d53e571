import type { ObjectKey } from "../api/key.ts";
import type { Selector } from "../api/labels.ts";
import type { StoredObject } from "../api/object.ts";

/**
 * The read side of a cache. Objects are shared by all readers and must never be modified in place: work on a `draft`. Returned arrays
 * belong to the caller. Objects are listed in the order in which they were first cached. Every method reads one consistent state, which
 * may be older than that of the server (see SharedInformer).
 */
export interface Lister<T extends StoredObject> {
  /** The object of a key; undefined if the cache has none. */
  get(key: ObjectKey): T | undefined;
  /** Like `get`, by namespace and name. */
  getNamespaced(namespace: string, name: string): T | undefined;
  /** The objects of one namespace; of all namespaces if it is omitted or `""`. */
  list(namespace?: string): T[];
  /** Like `list`, for objects whose labels match. */
  listSelected(namespace: string | undefined, selector: Selector): T[];
  /** The objects that an index has under a value. @throws RangeError if there is no such index. */
  byIndex(index: string, value: string): T[];
  /** The number of cached objects. */
  readonly size: number;
  /**
   * The resourceVersion up to which all changes, including deletions, have been applied; `""` before the initial list. Bookmarks advance
   * it when nothing changes. client-go's LastStoreSyncResourceVersion.
   */
  appliedResourceVersion(): string;
}
