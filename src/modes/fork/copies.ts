/** The objects of one resource, kept in the fork as they are in the cluster, except for those that were written here. */
import { keyOf, splitKey, type ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import { compareResourceVersions } from "../../api/resource-version.ts";
import type { DeltaSink } from "../../cache/delta-queue.ts";
import { type CopyPlace, loadCopies, putCopy, removeCopy } from "../../sandbox/state/copying.ts";
import type { Collection } from "../../sandbox/storage/collection.ts";
import type { Entry } from "../../sandbox/storage/entry.ts";

/** An object of the cluster, as it was last heard of. */
interface Known {
  /** Its resourceVersion in the cluster. */
  readonly live: string;
  /** The fork's revision of the copy; undefined for one that has not been taken, since it was written here. */
  readonly copied: number | undefined;
}

/** The cluster has changed an object that was written here. */
export interface DivergedChange {
  readonly key: ObjectKey;
  /** The state in the cluster; undefined: it is gone there. */
  readonly live: StoredObject | undefined;
}

/** What the copies of a resource are made with. */
export interface CopiesOptions {
  readonly place: CopyPlace;
  /** Loads the objects of a first list; by default without events, at once. */
  readonly load?: (objects: readonly object[]) => Promise<void>;
  /** What becomes of an object that was written here, when the cluster changes it: true takes the cluster's state. */
  readonly takesLive: (change: DivergedChange) => boolean;
  /** The object that was created here under another generated name, and is the same as one that is new in the cluster. */
  readonly twinOf: (live: StoredObject) => ObjectKey | undefined;
}

/** A part of the copies, for a Reflector of a namespace or of all. */
export interface CopiesSink extends DeltaSink<StoredObject> {
  /** Resolves when the first list is in the store. */
  readonly filled: Promise<void>;
}

/**
 * Takes deltas straight into the sandbox's store. Each is atomic. A change that was made here is not overwritten, unless `takesLive`
 * says so.
 */
export class Copies {
  readonly #options: CopiesOptions;
  readonly #collection: Collection;
  readonly #known = new Map<ObjectKey, Known>();
  #isCopying = false;

  constructor(options: CopiesOptions) {
    this.#options = options;
    this.#collection = options.place.collection;
  }

  /** True while a copy is put: a change of the store that a listener hears then was not made here. */
  get isCopying(): boolean {
    return this.#isCopying;
  }

  /** An object as it is in the fork. */
  here(key: ObjectKey): StoredObject | undefined {
    // Objects in the store are complete.
    return this.#entry(key)?.object as StoredObject | undefined;
  }

  /** Takes what a Reflector of a namespace delivers; undefined: of all namespaces. */
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
      // The fork's own watches send bookmarks of its own revisions.
      bookmark: () => undefined,
    };
  }

  /** Takes an object of the cluster, unless this state of it, or a newer one, came before: two Reflectors may bring the same. */
  refresh(key: ObjectKey, live: StoredObject): void {
    const known = this.#known.get(key);
    if (known === undefined || isNewer(live.metadata.resourceVersion, known.live)) this.#take(key, live);
  }

  /** An object is not in the cluster: found out by a read, of a resource that may not be listed. */
  absent(key: ObjectKey): void {
    if (this.#known.has(key)) this.#take(key, undefined);
  }

  #replace(objects: readonly StoredObject[], namespace: string | undefined): void {
    const live = new Set(objects.map(keyOf));
    const prefix = namespace === undefined ? "" : `${namespace}/`;
    for (const key of this.#known.keys()) if (key.startsWith(prefix) && !live.has(key)) this.#take(key, undefined);
    for (const object of objects) this.refresh(keyOf(object), object);
  }

  /** Nobody watches what was never listed: objects that are not there yet come without events. */
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
