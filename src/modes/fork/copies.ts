/** Keeps the objects of one resource in the fork equal to the cluster's, except for those that were written in the fork. */
import { keyOf, splitKey, type ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import { compareResourceVersions } from "../../api/resource-version.ts";
import type { DeltaSink } from "../../cache/delta-queue.ts";
import { type CopyPlace, loadCopies, putCopy, removeCopy } from "../../sandbox/state/copying.ts";
import type { Collection } from "../../sandbox/storage/collection.ts";
import type { Entry } from "../../sandbox/storage/entry.ts";

/** The last known state of an object of the cluster. */
interface Known {
  /** Its resourceVersion in the cluster. */
  readonly live: string;
  /** The revision of the copy in the fork; undefined if the state was not copied, because the object was written in the fork. */
  readonly copied: number | undefined;
}

/** A change in the cluster of an object that was written in the fork. */
export interface DivergedChange {
  readonly key: ObjectKey;
  /** The state in the cluster; undefined if it was deleted there. */
  readonly live: StoredObject | undefined;
}

/** Options of `Copies`. */
export interface CopiesOptions {
  readonly place: CopyPlace;
  /** Loads the objects of the first list. Default: loads them at once, without watch events. */
  readonly load?: (objects: readonly object[]) => Promise<void>;
  /** Called when the cluster changes an object that was written in the fork; true adopts the cluster's state. */
  readonly takesLive: (change: DivergedChange) => boolean;
  /** Finds the object created in the fork that corresponds to a new object in the cluster, under another generated name. */
  readonly twinOf: (live: StoredObject) => ObjectKey | undefined;
}

/** The delta sink for the Reflector of one namespace, or of all. */
export interface CopiesSink extends DeltaSink<StoredObject> {
  /** Resolves when the first list is in the store. */
  readonly filled: Promise<void>;
}

/** Applies deltas directly to the sandbox's store, each atomically. A change made in the fork is not overwritten unless `takesLive` allows it. */
export class Copies {
  readonly #options: CopiesOptions;
  readonly #collection: Collection;
  readonly #known = new Map<ObjectKey, Known>();
  #isCopying = false;

  constructor(options: CopiesOptions) {
    this.#options = options;
    this.#collection = options.place.collection;
  }

  /** True while a copy is stored: changes of the store at that time are the cluster's. */
  get isCopying(): boolean {
    return this.#isCopying;
  }

  /** The resourceVersion of an object in the cluster, as last read; undefined if it is not known to exist there. */
  liveVersion(key: ObjectKey): string | undefined {
    return this.#known.get(key)?.live;
  }

  /** The object in the fork. */
  here(key: ObjectKey): StoredObject | undefined {
    // Objects in the store are complete.
    return this.#entry(key)?.object as StoredObject | undefined;
  }

  /** Creates the sink for the Reflector of a namespace; undefined for all namespaces. */
  sink(namespace: string | undefined): CopiesSink {
    const filled = Promise.withResolvers<void>();
    let isFirst = true;
    return {
      filled: filled.promise,
      replace: (objects) => {
        if (!isFirst) this.#replace(objects, namespace);
        else this.#loadFirst(objects).then(filled.resolve, filled.reject);
        isFirst = false;
      },
      put: ({ type, key, object }) => (type === "Deleted" ? this.#take(key, undefined) : this.refresh(key, object)),
      // Watches of the fork have bookmarks with the fork's own revisions.
      bookmark: () => undefined,
    };
  }

  /** Applies a state of an object in the cluster, unless it is not newer than the known one: two Reflectors may deliver the same state. */
  refresh(key: ObjectKey, live: StoredObject): void {
    const known = this.#known.get(key);
    if (known === undefined || isNewer(live.metadata.resourceVersion, known.live)) this.#take(key, live);
  }

  /** Records that an object does not exist in the cluster, as found by a live read. */
  absent(key: ObjectKey): void {
    if (this.#known.has(key)) this.#take(key, undefined);
  }

  #replace(objects: readonly StoredObject[], namespace: string | undefined): void {
    const live = new Set(objects.map(keyOf));
    const prefix = namespace === undefined ? "" : `${namespace}/`;
    for (const key of this.#known.keys()) if (key.startsWith(prefix) && !live.has(key)) this.#take(key, undefined);
    for (const object of objects) this.refresh(keyOf(object), object);
  }

  /** Loads the first list without watch events for new objects: nobody can be watching them yet. */
  async #loadFirst(objects: readonly StoredObject[]): Promise<void> {
    const { place, load } = this.#options;
    const absent = objects.filter((object) => this.#revisionOf(keyOf(object)) === undefined);
    const isAbsent = new Set(absent);
    const revision = place.server.store.revision + 1;
    for (const object of absent)
      this.#known.set(keyOf(object), { live: object.metadata.resourceVersion, copied: revision });
    if (load === undefined) loadCopies(place, absent);
    else await load(absent.map(withoutVersion));
    for (const object of objects) if (!isAbsent.has(object)) this.refresh(keyOf(object), object);
  }

  #take(key: ObjectKey, live: StoredObject | undefined): void {
    const isNew = live !== undefined && !this.#known.has(key);
    const twin = isNew ? this.#options.twinOf(live) : undefined;
    if (twin !== undefined) this.#copy(twin, undefined);
    if (this.#isUntouched(key) || this.#options.takesLive({ key, live })) this.#copy(key, live);
    else if (live === undefined) this.#known.delete(key);
    else this.#known.set(key, { live: live.metadata.resourceVersion, copied: undefined });
  }

  #isUntouched(key: ObjectKey): boolean {
    const known = this.#known.get(key);
    const revision = this.#revisionOf(key);
    return known === undefined ? revision === undefined : known.copied !== undefined && known.copied === revision;
  }

  #copy(key: ObjectKey, live: StoredObject | undefined): void {
    const { place } = this.#options;
    this.#isCopying = true;
    try {
      if (live === undefined) {
        this.#known.delete(key);
        removeCopy(place, splitKey(key));
      } else {
        this.#known.set(key, { live: live.metadata.resourceVersion, copied: putCopy(place, live) });
      }
    } finally {
      this.#isCopying = false;
    }
  }

  #revisionOf(key: ObjectKey): number | undefined {
    return this.#entry(key)?.revision;
  }

  #entry(key: ObjectKey): Entry | undefined {
    const { namespace, name } = splitKey(key);
    return this.#collection.get(namespace, name);
  }
}

function isNewer(version: string, than: string): boolean {
  return (compareResourceVersions(version, than) ?? (version === than ? 0 : 1)) > 0;
}

function withoutVersion(object: StoredObject): object {
  const { resourceVersion: _live, ...metadata } = object.metadata;
  return { ...object, metadata };
}
