/** What happens to an object between the server and the delta queue. */
import { keyOf } from "../api/key.ts";
import type { Draft, ManagedFieldsEntry, StoredObject } from "../api/object.ts";
import { type CompactManagedFields, compactManagedFields } from "../api/field-manager.ts";
import type { ObjectFrame } from "../client/api/lister-watcher.ts";
import type { ObjectDelta } from "./delta-queue.ts";
import { deepFreeze } from "./freeze.ts";
import type { Indexer } from "./indexer.ts";

/** The types of deltas, by those of a watch. */
export const deltaTypes = { ADDED: "Added", MODIFIED: "Updated", DELETED: "Deleted" } as const;

/** What an object transformer is created with. */
export interface ObjectTransformerOptions<T extends StoredObject> {
  readonly indexer: Indexer<T>;
  /** Whether field managers are tracked now. */
  readonly tracksFieldManagers: () => boolean;
  /** As the informer's option. */
  readonly transform?: (object: T) => T;
  /** Freeze what is cached. Default false. */
  readonly freeze?: boolean;
}

/** What a Reflector passes each object through. */
export type Transformer<T extends StoredObject> = Pick<
  ObjectTransformer<T>,
  "tracksFieldManagers" | "fromList" | "fromWatch"
>;

/**
 * Strips managedFields before an object is cached, and keeps a compact copy in a WeakMap beside it, from which the field manager of the
 * next change is found out. Then transforms and freezes the object as asked. Source: client-go v0.36 tools/cache TransformFunc.
 */
export class ObjectTransformer<T extends StoredObject> {
  #options: ObjectTransformerOptions<T>;
  #managed = new WeakMap<T, CompactManagedFields>();

  constructor(options: ObjectTransformerOptions<T>) {
    this.#options = options;
  }

  /** Whether field managers are tracked, and lists and watches need managedFields. */
  get tracksFieldManagers(): boolean {
    return this.#options.tracksFieldManagers();
  }

  /** The managedFields of a cached object; undefined if they were not tracked when it was received. */
  managedFields(object: T): CompactManagedFields | undefined {
    return this.#managed.get(object);
  }

  /** Keeps the compact managedFields of an object, which the next change of it is compared with, and returns them. */
  keep(object: T, entries: readonly ManagedFieldsEntry[]): CompactManagedFields {
    const compact = compactManagedFields(entries);
    this.#managed.set(object, compact);
    return compact;
  }

  /**
   * Returns what is cached for an object of a list. If this very version is cached already, it is that one: a relist needs no memory
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

  /** The delta of a watch event. */
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

/** Takes managedFields off an object that has just been parsed: nothing else refers to it yet. */
function takeManagedFields(object: StoredObject): readonly ManagedFieldsEntry[] | undefined {
  const { metadata } = object;
  const { managedFields } = metadata;
  // The last key of metadata as the server sends it, so that deleting it is cheap.
  delete (metadata as Draft<StoredObject["metadata"]>).managedFields;
  return managedFields;
}
