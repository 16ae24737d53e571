/** What happens to an object between the server and the delta queue. */
import { keyOf } from "../api/key.ts";
import type { Draft, ManagedFieldsEntry, StoredObject } from "../api/object.ts";
import { type CompactManagedFields, compactManagedFields } from "../api/field-manager.ts";
import type { ObjectDelta } from "./delta-queue.ts";
import { deepFreeze } from "./freeze.ts";
import type { Indexer } from "./indexer.ts";

/** What an transformer is created with. */
export interface ObjectTransformerOptions<T extends StoredObject> {
  readonly indexer: Indexer<T>;
  /** Whether somebody wants to know the writers of changes. */
  readonly tracksFieldManagers: () => boolean;
  /** Gets each object, without managedFields, before it is cached, and may change it in place. */
  readonly transform?: (object: T) => T;
  readonly freeze?: boolean;
}

/** managedFields are dropped from what is cached; what tells writers is kept beside it, by object, and goes with it. */
export class ObjectTransformer<T extends StoredObject> {
  #options: ObjectTransformerOptions<T>;
  #managed = new WeakMap<T, CompactManagedFields>();

  constructor(options: ObjectTransformerOptions<T>) {
    this.#options = options;
  }

  /** Whether objects are to come with their managedFields. */
  get tracksFieldManagers(): boolean {
    return this.#options.tracksFieldManagers();
  }

  /** The managedFields of a cached object, if they were wanted when it came. */
  managedFields(object: T): CompactManagedFields | undefined {
    return this.#managed.get(object);
  }

  /** Keeps beside an object what the next change of it has to be compared with, and answers it. */
  keep(object: T, entries: readonly ManagedFieldsEntry[]): CompactManagedFields {
    const compact = compactManagedFields(entries);
    this.#managed.set(object, compact);
    return compact;
  }

  /**
   * An object of a list. If the very version is cached already, that one is taken: a list that comes again then needs no memory
   * for what has not changed.
   */
  fromList(object: T): T {
    const { resourceVersion, uid } = object.metadata;
    const known = this.#options.indexer.get(keyOf(object));
    const same = known?.metadata.resourceVersion === resourceVersion && known.metadata.uid === uid;
    if (same && resourceVersion !== "") return known;
    const entries = takeManagedFields(object);
    const ready = this.#ready(object);
    if (entries !== undefined && this.tracksFieldManagers) this.keep(ready, entries);
    return ready;
  }

  /** A change of a watch. */
  fromWatch(type: "Added" | "Updated" | "Deleted", object: T, receivedAt: number): ObjectDelta<T> {
    const managedFields = takeManagedFields(object);
    const ready = this.#ready(object);
    return {
      type,
      key: keyOf(ready),
      object: ready,
      receivedAt,
      tombstone: false,
      managedFields: this.tracksFieldManagers ? managedFields : undefined,
    };
  }

  #ready(object: T): T {
    const { transform, freeze } = this.#options;
    const made = transform === undefined ? object : transform(object);
    return freeze === true ? deepFreeze(made) : made;
  }
}

/** Takes managedFields off an object that has just been parsed, and so is nobody else's yet. */
function takeManagedFields(object: StoredObject): readonly ManagedFieldsEntry[] | undefined {
  const { metadata } = object;
  const { managedFields } = metadata;
  // The last key of metadata as the server sends it, so that deleting it is cheap.
  delete (metadata as Draft<StoredObject["metadata"]>).managedFields;
  return managedFields;
}
