/** The interface of the queue between a Reflector and its informer. There are two implementations. */
import type { ObjectKey } from "../api/key.ts";
import type { ManagedFieldsEntry, StoredObject } from "../api/object.ts";
import type { KindName } from "../trace/names.ts";

/** One change of one object. `Replaced` comes from a list, `Sync` from a resync with the object as cached. */
export interface ObjectDelta<T> {
  readonly type: "Added" | "Updated" | "Deleted" | "Replaced" | "Sync";
  readonly key: ObjectKey;
  /** The object; for a deletion its final state from the server, or for a tombstone the last cached state. */
  readonly object: T;
  /** When it was received from the server, in ms since 1970. */
  readonly receivedAt: number;
  /** A missed deletion: the object was absent from a list. client-go's DeletedFinalStateUnknown. */
  readonly tombstone: boolean;
  /** The object's managedFields, which are not cached with it; undefined unless field managers are tracked. */
  readonly managedFields: readonly ManagedFieldsEntry[] | undefined;
}

/** A complete list: objects that are not in it do not exist. */
export interface ReplacedAll<T> {
  readonly type: "ReplacedAll";
  readonly objects: readonly T[];
  readonly resourceVersion: string;
  readonly receivedAt: number;
}

/** A resync: handlers are to be notified of every known object again. */
export interface SyncAll {
  readonly type: "SyncAll";
  readonly receivedAt: number;
}

/** Nothing has changed up to this version: the queue's applied version advances. */
export interface Bookmark {
  readonly type: "Bookmark";
  readonly resourceVersion: string;
  readonly receivedAt: number;
}

/** What a delta queue pops: one object's change, a complete list, a resync, or progress without a change. */
export type Delta<T> = ObjectDelta<T> | ReplacedAll<T> | SyncAll | Bookmark;

/** Applies one popped delta. `initial`: it belongs to the initial list. */
export type ProcessDelta<T> = (delta: Delta<T>, initial: boolean) => void;

/** The part of the store that a queue reads. */
export interface KnownObjects<T> {
  get(key: ObjectKey): T | undefined;
  entries(): Iterable<[ObjectKey, T]>;
}

/** Options of a delta queue. */
export interface DeltaQueueOptions<T> {
  /** The kind of the objects; an informer always sets it. */
  readonly of?: KindName;
  readonly known: KnownObjects<T>;
  /** The current time in ms since 1970. */
  readonly now: () => number;
  /** Called when a delta is added to an empty queue, and after an empty list. It must only wake the consumer, not pop. */
  readonly wake: () => void;
}

/**
 * What every delta queue guarantees:
 *
 * - **Order.** The deltas of one key are popped in the order in which they were put. The order between keys depends on the implementation.
 * - **Completeness.** Each popped delta was put, or follows from a list: an object that is queued or known but missing from the list is
 *   deleted, with a tombstone if its deletion was not received.
 * - **Merging.** Only these may be dropped: a deletion that follows a deletion of the same key; a resync of a key with waiting deltas;
 *   bookmarks. A store to which all popped deltas are applied ends up equal to the server.
 * - **One consumer.** `pop` calls the given function, which must not call `pop` again. All methods are atomic: none awaits.
 * - **appliedResourceVersion.** Everything received up to this version has been popped and processed; empty before the initial list has.
 *   Controllers compare it with the versions of their own writes, so it is never too high.
 * - **hasSynced.** The initial list has been popped and processed completely.
 *
 * Source: client-go v0.36 tools/cache/{the_real_fifo,delta_fifo}.go.
 */
export interface DeltaQueue<T extends StoredObject> {
  /** Adds one change from the watch. */
  put(delta: ObjectDelta<T>): void;
  /** Adds a complete list: from here on only its objects exist. The queue takes ownership of the array. */
  replace(objects: readonly T[], resourceVersion: string, receivedAt: number): void;
  /** Adds a resync: handlers are notified again of every known object without a waiting delta. */
  resync(): void;
  /** Records that the server has no other changes up to this version. */
  bookmark(resourceVersion: string, receivedAt: number): void;
  /** Passes the next delta or deltas to `process`; returns false if there are none. */
  pop(process: ProcessDelta<T>): boolean;
  /** Drops everything that is waiting, and ignores later deltas. */
  close(): void;
  /** How many pops it takes to empty the queue. */
  readonly depth: number;
  /** See above. */
  readonly hasSynced: boolean;
  /** See above. */
  readonly appliedResourceVersion: string;
  /** When the oldest waiting delta was received, in ms since 1970; undefined if none is waiting. */
  readonly oldestReceivedAt: number | undefined;
}

/** The part of a delta queue that a Reflector writes to. */
export type DeltaSink<T extends StoredObject> = Pick<DeltaQueue<T>, "put" | "replace" | "bookmark">;

/** Creates a delta queue: a `RealFIFO` or a `DeltaFIFO`. */
export type CreateDeltaQueue = <T extends StoredObject>(options: DeltaQueueOptions<T>) => DeltaQueue<T>;
