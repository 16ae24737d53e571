/** Prepares objects from the server for the delta queue. */
import { keyOf } from "../api/key.ts";
import type { Draft, ManagedFieldsEntry, StoredObject } from "../api/object.ts";
import { type CompactManagedFields, compactManagedFields } from "../api/field-manager.ts";
import type { ObjectFrame } from "../client/api/lister-watcher.ts";
import type { ObjectDelta } from "./delta-queue.ts";
import { deepFreeze } from "./freeze.ts";
import type { Indexer } from "./indexer.ts";

/** Delta types by watch event type. */
export const deltaTypes = { ADDED: "Added", MODIFIED: "Updated", DELETED: "Deleted" } as const;

/** Options of an `ObjectTransformer`. */
export interface ObjectTransformerOptions<T extends StoredObject> {
  readonly indexer: Indexer<T>;
  /** Whether field managers are tracked now. */
  readonly tracksFieldManagers: () => boolean;
  /** See the option of SharedInformer. */
  readonly transform?: (object: T) => T;
  /** Freeze cached objects. Default false. */
  readonly freeze?: boolean;
}

/** The part of an ObjectTransformer that a Reflector uses. */
export type Transformer<T extends StoredObject> = Pick<
  ObjectTransformer<T>,
  "tracksFieldManagers" | "fromList" | "fromWatch"
>;

/**
 * Strips managedFields from each object before it is cached, then transforms and freezes it as configured. A compact copy of managedFields
 * is kept in a WeakMap, to find the field manager of the next change. Source: client-go v0.36 tools/cache TransformFunc.
 */
export class ObjectTransformer<T extends StoredObject> {
  #options: ObjectTransformerOptions<T>;
  #managed = new WeakMap<T, CompactManagedFields>();

  constructor(options: ObjectTransformerOptions<T>) {
    this.#options = options;
  }

  /** Whether field managers are tracked, so that lists and watches need managedFields. */
  get tracksFieldManagers(): boolean {
    return this.#options.tracksFieldManagers();
  }

  /** The managedFields of a cached object; undefined if they were not tracked when it was received. */
  managedFields(object: T): CompactManagedFields | undefined {
    return this.#managed.get(object);
  }

  /** Keeps the compact managedFields of an object, to compare the next change with, and returns them. */
  keep(object: T, entries: readonly ManagedFieldsEntry[]): CompactManagedFields {
    const compact = compactManagedFields(entries);
    this.#managed.set(object, compact);
    return compact;
  }

  /** Returns the object to cache for an item of a list: the cached one if it has the same version, so that a relist needs no extra memory. */
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

  /** Returns the delta for a watch event. */
  fromWatch({ type, object }: ObjectFrame<T>, receivedAt: number): ObjectDelta<T> {
    const managedFields = takeManagedFields(object);
    const ready = this.#ready(object);
    return {
      type: deltaTypes[type],
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

/** Removes managedFields from a newly parsed object, which nothing else refers to yet. */
function takeManagedFields(object: StoredObject): readonly ManagedFieldsEntry[] | undefined {
  const { metadata } = object;
  const { managedFields } = metadata;
  // Cheap, because the server sends it as the last key of metadata.
  delete (metadata as Draft<StoredObject["metadata"]>).managedFields;
  return managedFields;
}
