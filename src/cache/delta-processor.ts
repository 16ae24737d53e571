/** Applies deltas to the store and creates the notifications for handlers. */
import type { ChangedNodes } from "../api/changed-nodes.ts";
import { fieldManagerOfChange } from "../api/field-manager.ts";
import { keyOf, type ObjectKey } from "../api/key.ts";
import type { StoredObject } from "../api/object.ts";
import type { TraceBus } from "../trace/bus.ts";
import { DeltaDetail } from "../trace/delta-detail.ts";
import type { DeltaEvent, KindName } from "../trace/events.ts";
import type { DeltaRef } from "../trace/triggers.ts";
import type { Delta, ObjectDelta, ReplacedAll } from "./delta-queue.ts";
import type { Indexer } from "./indexer.ts";
import type { ObjectTransformer } from "./object-transformer.ts";
import type { QueuedNotification } from "./processor-listener.ts";

/** Options of a `DeltaProcessor`. */
export interface DeltaProcessorOptions<T extends StoredObject> {
  /** The kind of the objects, for events. */
  readonly of: KindName;
  readonly indexer: Indexer<T>;
  readonly transformer: ObjectTransformer<T>;
  readonly bus: TraceBus;
  /** The current time in ms since 1970. */
  readonly now: () => number;
  /** The listeners to notify of the current delta. */
  readonly listeners: () => Listeners<T>;
  /** Whether the cache has a selector, so that an object may appear in it because of a change. */
  readonly selected: boolean;
}

/** The part of a ProcessorListener that a delta processor needs. */
export interface NotificationSink<T> {
  /** Whether it also receives notifications of unchanged objects. */
  readonly syncing: boolean;
  add(notification: QueuedNotification<T>): void;
}

type Listeners<T> = readonly NotificationSink<T>[];

/** How a delta was applied to the store, and the listeners to notify. */
interface Applied<T> {
  /** The previous object in the store. */
  readonly before: T | undefined;
  /** The delta belongs to the initial list. */
  readonly initial: boolean;
  readonly listeners: Listeners<T>;
  readonly fieldManager: string | ((changed: ChangedNodes | undefined) => string | undefined) | undefined;
}

/** A list that was put into the store. */
interface Replacement<T> {
  /** The listeners at that time: a handler that is added later is notified of all objects anyway. */
  readonly listeners: Listeners<T>;
  /** The previous contents of the store. */
  readonly earlier: ReadonlyMap<ObjectKey, T>;
  readonly initial: boolean;
}

/**
 * Applies deltas: updates the store first, then queues the notifications. A list is put into the store at once, but its notifications may
 * be too many for one turn, so `resume` creates them one by one. Until it returns false no other delta may be applied.
 *
 * Source: client-go v0.36 tools/cache/controller.go processDeltas, shared_informer.go OnUpdate; differs: a delete for an object
 * that is not in the store is not delivered to handlers.
 */
export class DeltaProcessor<T extends StoredObject> {
  #options: DeltaProcessorOptions<T>;
  /** Creates the remaining notifications of a list or resync, one per step. */
  #rest: Iterator<void> | undefined;

  constructor(options: DeltaProcessorOptions<T>) {
    this.#options = options;
  }

  /** Whether notifications of the last applied delta are still to be created. */
  get hasPending(): boolean {
    return this.#rest !== undefined;
  }

  /** Creates one of the remaining notifications; false if there are none. Atomic. */
  resume(): boolean {
    if (this.#rest === undefined) return false;
    if (this.#rest.next().done === true) this.#rest = undefined;
    return true;
  }

  /** Applies one delta. `initial`: it belongs to the initial list. Atomic. */
  readonly apply = (delta: Delta<T>, initial: boolean): void => {
    const { indexer, listeners } = this.#options;
    switch (delta.type) {
      case "Added":
      case "Updated":
      case "Replaced":
      case "Sync": {
        const before = indexer.set(delta.key, delta.object);
        const fieldManager = this.#fieldManager(delta, before);
        this.#notify(delta, { before, initial, listeners: listeners(), fieldManager });
        break;
      }
      case "Deleted": {
        const before = indexer.delete(delta.key);
        this.#notify(delta, { before, initial, listeners: listeners(), fieldManager: undefined });
        break;
      }
      case "ReplacedAll":
        this.#rest = this.#notifyReplaced(delta, {
          listeners: listeners(),
          earlier: indexer.replace(delta.objects),
          initial,
        });
        break;
      case "SyncAll":
        this.#rest = this.#notifySync(delta.receivedAt, listeners());
        break;
      case "Bookmark":
        break;
    }
  };

  /** The field manager of a change from the watch. Keeps the managedFields to compare with the next change. */
  #fieldManager({ type, object, managedFields }: ObjectDelta<T>, before: T | undefined): Applied<T>["fieldManager"] {
    const { transformer, selected } = this.#options;
    if (managedFields === undefined) return undefined;
    const compactAfter = transformer.keep(object, managedFields);
    if (type !== "Added" && type !== "Updated") return undefined;
    if (before !== undefined) {
      const managedBefore = transformer.managedFields(before);
      const change = { before, managedBefore, after: object, managedAfter: managedFields, compactAfter };
      return (changed) => fieldManagerOfChange(change, changed);
    }
    if (selected || type !== "Added") return undefined;
    // Computed at once, so that the objects need not be kept alive.
    return fieldManagerOfChange({ before, managedBefore: undefined, after: object, managedAfter: managedFields });
  }

  /** Notifies of deleted objects first, then of the others, as upstream does. */
  *#notifyReplaced(
    { objects, receivedAt }: ReplacedAll<T>,
    { listeners, earlier, initial }: Replacement<T>,
  ): Generator<void> {
    const { indexer } = this.#options;
    for (const [key, before] of earlier) {
      if (indexer.get(key) !== undefined) continue;
      this.#notify(
        { type: "Deleted", key, object: before, receivedAt, tombstone: true, managedFields: undefined },
        { before, initial, listeners, fieldManager: undefined },
      );
      yield;
    }
    const wantsUnchanged = listeners.some(({ syncing }) => syncing);
    for (const object of objects) {
      const key = keyOf(object);
      const before = earlier.get(key);
      if (before === object && !wantsUnchanged) continue;
      this.#notify(
        { type: "Replaced", key, object, receivedAt, tombstone: false, managedFields: undefined },
        { before, initial, listeners, fieldManager: undefined },
      );
      yield;
    }
  }

  *#notifySync(receivedAt: number, listeners: Listeners<T>): Generator<void> {
    for (const [key, object] of this.#options.indexer.entries()) {
      this.#notify(
        { type: "Sync", key, object, receivedAt, tombstone: false, managedFields: undefined },
        { before: object, initial: false, listeners, fieldManager: undefined },
      );
      yield;
    }
  }

  /** Reports an applied delta, and adds one shared notification to all listeners. */
  #notify(applied: ObjectDelta<T>, how: Applied<T>): void {
    const { bus, now, of } = this.#options;
    const { type, key, object, tombstone } = applied;
    const { before, initial, listeners } = how;
    const seq = bus.on ? this.#report(applied, how) : 0;
    const { resourceVersion } = object.metadata;
    const delta: DeltaRef = { cause: "delta", kind: of.kind, type, key, resourceVersion, delta: seq };
    const queuedAt = bus.hears("notify") ? now() : 0;
    if (type === "Deleted") {
      if (before !== undefined) deliver({ type: "deleted", object, tombstone, delta, queuedAt }, listeners);
    } else if (before === undefined) {
      deliver({ type: "added", object, initial, delta, queuedAt }, listeners);
    } else {
      const isUnchanged = before.metadata.resourceVersion === resourceVersion;
      const updated = { type: "updated", before, object, delta, queuedAt } as const;
      for (const listener of listeners) if (!isUnchanged || listener.syncing) listener.add(updated);
    }
  }

  /** Emits the `delta` and `store` events; returns the `seq` of the `delta` event. */
  #report(delta: ObjectDelta<T>, { before, initial, fieldManager }: Applied<T>): number {
    const { bus, of } = this.#options;
    const { type, key, object, receivedAt, tombstone } = delta;
    const { uid, resourceVersion } = object.metadata;
    const detail = new DeltaDetail(of, before, type === "Deleted" ? undefined : object, fieldManager);
    const event: DeltaEvent = { stage: "delta", of, type, key, uid, resourceVersion, receivedAt, detail };
    const relist = tombstone || (type === "Replaced" && !initial);
    const seq = bus.emit(relist ? { ...event, ...(tombstone && { tombstone: true }), relist: true } : event);
    if (bus.hears("store"))
      bus.emit({
        stage: "store",
        of,
        key,
        replaced: before?.metadata.resourceVersion ?? "",
        resourceVersion: type === "Deleted" ? "" : resourceVersion,
      });
    return seq;
  }
}

function deliver<T>(notification: QueuedNotification<T>, listeners: Listeners<T>): void {
  for (const listener of listeners) listener.add(notification);
}
