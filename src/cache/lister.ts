import type { ObjectKey } from "../api/key.ts";
import type { Selector } from "../api/labels.ts";
import type { StoredObject } from "../api/object.ts";

/**
 * The read side of a cache. Objects are shared by all readers and must never be changed in place: work on a `draft`. Arrays are the
 * caller's own. Objects come in the order in which they were first cached. Every method is one consistent look at the cache; what it
 * shows may be older than the server (see SharedInformer).
 */
export interface Lister<T extends StoredObject> {
  /** The object of a key; undefined if the cache has none. */
  get(key: ObjectKey): T | undefined;
  /** As `get`, by namespace and name. */
  getNamespaced(namespace: string, name: string): T | undefined;
  /** The objects of one namespace; of all namespaces without one or with `""`. */
  list(namespace?: string): T[];
  /** The objects of a namespace, as of `list`, whose labels match. */
  listSelected(namespace: string | undefined, selector: Selector): T[];
  /** The objects that an index has under a value. @throws RangeError for an index that was not added. */
  byIndex(index: string, value: string): T[];
  /** How many objects the cache has. */
  readonly size: number;
  /**
   * Every change up to this version has been applied, and what was deleted by then is gone; `""` before the first list. Bookmarks
   * advance it in quiet times. client-go's LastStoreSyncResourceVersion.
   */
  appliedResourceVersion(): string;
}
