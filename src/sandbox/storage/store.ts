/** The whole state of the server: one revision counter over the collections of all resources, as etcd has it. */
import type { Timeline } from "../../platform/timeline.ts";
import type { ApiObject } from "../meta/object.ts";
import { Collection } from "./collection.ts";
import { Entry } from "./entry.ts";
import type { WatchCacheLimits } from "./watch-cache.ts";

export class Store {
  readonly #timeline: Timeline;
  readonly #limits: WatchCacheLimits;
  readonly #collections = new Map<string, Collection>();
  #revision = 1;

  constructor(timeline: Timeline, limits: WatchCacheLimits) {
    this.#timeline = timeline;
    this.#limits = limits;
  }

  /** Of the last write. */
  get revision(): number {
    return this.#revision;
  }

  /** The collection of a resource, by its storage name (`replicasets.apps`). */
  collection(storage: string, namespaced: boolean): Collection {
    let collection = this.#collections.get(storage);
    if (collection === undefined) {
      // Nothing of it has ever been written: every revision so far can be watched from.
      collection = new Collection(namespaced, 0, this.#limits);
      this.#collections.set(storage, collection);
    }
    return collection;
  }

  /** Commits an object under the next revision. It belongs to the store from now on. `isDefaultedOnRead` as the entry has it. */
  put(collection: Collection, object: ApiObject, isDefaultedOnRead = false): Entry {
    const entry = new Entry(object, ++this.#revision, isDefaultedOnRead);
    collection.apply("PUT", entry, this.#timeline.now());
    return entry;
  }

  /** Deletes an object under the next revision; the entry is its last state. `object` must be a copy of its own. */
  remove(collection: Collection, object: ApiObject): Entry {
    const entry = new Entry(object, ++this.#revision);
    collection.apply("DELETE", entry, this.#timeline.now());
    return entry;
  }

  /**
   * Puts an object as it is, at the version that it carries, without a word to anyone who watches: of a snapshot. The counter
   * goes on from `revision`, and nothing before it can be told.
   */
  load(collection: Collection, object: ApiObject, revision: number): void {
    this.#revision = Math.max(this.#revision, revision);
    const own = Number(object.metadata.resourceVersion ?? revision);
    collection.set(new Entry(object, Number.isSafeInteger(own) && own > 0 ? own : revision));
    if (collection.history.compacted < revision) collection.history.compact(revision);
  }

  /** Forgets the history up to and including `revision`. */
  compact(revision: number): void {
    for (const collection of this.#collections.values()) collection.history.compact(Math.min(revision, this.#revision));
  }
}
