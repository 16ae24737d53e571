import type { ObjectKey } from "../api/key.ts";
import type { Selector } from "../api/labels.ts";
import type { StoredObject } from "../api/object.ts";

/**
 * What a cache knows, to be read. The objects are shared with all who read them and never changed in place: work on a `draft`.
 * Arrays are the caller's own. The order of objects is the one in which they became known.
 */
export interface Lister<T extends StoredObject> {
  get(key: ObjectKey): T | undefined;
  getNamespaced(namespace: string, name: string): T | undefined;
  /** The objects of one namespace; of all without one or with `""`. */
  list(namespace?: string): T[];
  /** Those whose labels match. */
  listSelected(namespace: string | undefined, selector: Selector): T[];
  /** The objects that an index has under a value. @throws RangeError for an index that was not added. */
  byIndex(index: string, value: string): T[];
  readonly size: number;
  /**
   * Every change up to this version has been applied, and what was deleted by then is gone; `""` before the first list. Kept up
   * by bookmarks in quiet times. client-go's `LastStoreSyncResourceVersion`.
   */
  appliedResourceVersion(): string;
}
