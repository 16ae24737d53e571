/** The state of the server: all collections under one revision counter, as etcd has it. */
import type { Timeline } from "../../platform/timeline.ts";
import type { ApiObject } from "../meta/object.ts";
import { Collection } from "./collection.ts";
import { Entry } from "./entry.ts";
import type { WatchCacheLimits } from "./watch-cache.ts";

/** All collections under one revision counter. Every write takes the next revision. */
export class Store {
  readonly #timeline: Timeline;
  readonly #limits: WatchCacheLimits;
  readonly #collections = new Map<string, Collection>();
  #revision = 1;

  constructor(timeline: Timeline, limits: WatchCacheLimits) {
    this.#timeline = timeline;
    this.#limits = limits;
  }

  /** The revision of the last write. */
  get revision(): number {
    return this.#revision;
  }

  /** The collection of a resource, by its storage name (`replicasets.apps`). */
  collection(storage: string, namespaced: boolean): Collection {
    let collection = this.#collections.get(storage);
    if (collection === undefined) {
      // Nothing has been written to it: a watch may start at any revision.
      collection = new Collection(namespaced, 0, this.#limits);
      this.#collections.set(storage, collection);
    }
    return collection;
  }

  /** The collection of a resource that has been asked for before. */
  existing(storage: string): Collection | undefined {
    return this.#collections.get(storage);
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
   * Adds an object of a snapshot as it is, at its own resourceVersion and without an event. The counter continues at `revision`, and
   * no watch can start before it.
   */
  load(collection: Collection, object: ApiObject, revision: number): void {
    this.#revision = Math.max(this.#revision, revision);
    const own = Number(object.metadata.resourceVersion ?? revision);
    collection.set(new Entry(object, Number.isSafeInteger(own) && own > 0 ? own : revision));
    if (collection.watchCache.compacted < revision) collection.watchCache.compact(revision);
  }

  /** Discards all events up to and including `revision`, as etcd does when it compacts. */
  compact(revision: number): void {
    for (const collection of this.#collections.values())
      collection.watchCache.compact(Math.min(revision, this.#revision));
  }
}
