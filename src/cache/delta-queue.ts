/** The queue between a Reflector and its informer: the contract, of which there are two implementations. */
import type { ObjectKey } from "../api/key.ts";
import type { ManagedFieldsEntry, StoredObject } from "../api/object.ts";
import type { KindName } from "../trace/names.ts";

/** One change of one object. `Replaced` comes from a list; `Sync` from a resync, with the object as it was known already. */
export interface ObjectDelta<T> {
  readonly type: "Added" | "Updated" | "Deleted" | "Replaced" | "Sync";
  readonly key: ObjectKey;
  /** For a deletion its last state: as the server sent it or, for a tombstone, as it was last cached. */
  readonly object: T;
  /** When it was received from the server, in ms since 1970. */
  readonly receivedAt: number;
  /** A deletion that was missed: a list came without the object. client-go's DeletedFinalStateUnknown. */
  readonly tombstone: boolean;
  /** The object's, which it is cached without; undefined unless field managers are tracked. */
  readonly managedFields: readonly ManagedFieldsEntry[] | undefined;
}

/** A whole list: there are no other objects. */
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

/** A step that a delta queue hands out: one object's change, a whole list, a resync, or progress without a change. */
export type Delta<T> = ObjectDelta<T> | ReplacedAll<T> | SyncAll | Bookmark;

/** Applies one delta that was popped. `initial`: it belongs to the first list. */
export type ProcessDelta<T> = (delta: Delta<T>, initial: boolean) => void;

/** What a queue reads of the store that its deltas are applied to. */
export interface KnownObjects<T> {
  get(key: ObjectKey): T | undefined;
  entries(): Iterable<[ObjectKey, T]>;
}

/** What a delta queue is created with. */
export interface DeltaQueueOptions<T> {
  /** The kind of the objects; an informer always sets it. */
  readonly of?: KindName;
  readonly known: KnownObjects<T>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called when an empty queue gets a delta, or took an empty list. It must not pop, only wake the consumer. */
  readonly wake: () => void;
}

/**
 * What every delta queue promises:
 *
 * - **Order.** The deltas of one key are popped in the order in which they were put. Between keys the order is the
 *   implementation's own.
 * - **Nothing is invented.** Each delta popped was put, or follows from a list: an object that is queued or known and missing in
 *   the list is deleted, with a tombstone if its deletion was not received.
 * - **Merging.** What may be left out is only: a deletion that follows a deletion of the same key; a resync of a key that has
 *   deltas waiting; bookmarks. A store to which all deltas are applied in the order popped ends up with what the server has.
 * - **One consumer.** `pop` hands a step to the function given and is done when that returns; it must not be called from inside.
 *   All methods are atomic: none awaits.
 * - **appliedResourceVersion.** Everything that was received up to this version has been popped and processed; empty before the
 *   first list has been. Controllers compare it with the versions of their own writes, so it is never too high.
 * - **hasSynced.** The first list has been popped and processed completely.
 *
 * Source: client-go v0.36 tools/cache/{the_real_fifo,delta_fifo}.go.
 */
export interface DeltaQueue<T extends StoredObject> {
  /** Puts one change of the watch. */
  put(delta: ObjectDelta<T>): void;
  /** Puts a whole list: from here on only its objects exist. The queue owns the array. */
  replace(objects: readonly T[], resourceVersion: string, receivedAt: number): void;
  /** Puts a resync: handlers are notified again of every known object without a waiting delta. */
  resync(): void;
  /** The server says that nothing has changed up to this version. */
  bookmark(resourceVersion: string, receivedAt: number): void;
  /** Hands the next step to `process`; false when there is none. */
  pop(process: ProcessDelta<T>): boolean;
  /** Drops what waits. Later deltas are ignored. */
  close(): void;
  /** How many steps wait. */
  readonly depth: number;
  /** See above. */
  readonly hasSynced: boolean;
  /** See above. */
  readonly appliedResourceVersion: string;
  /** When the oldest delta that waits was received; undefined when none does. */
  readonly oldestReceivedAt: number | undefined;
}

/** What a Reflector puts its deltas into. */
export type DeltaSink<T extends StoredObject> = Pick<DeltaQueue<T>, "put" | "replace" | "bookmark">;

/** Makes a delta queue: a `RealFIFO` or a `DeltaFIFO`. */
export type CreateDeltaQueue = <T extends StoredObject>(options: DeltaQueueOptions<T>) => DeltaQueue<T>;
