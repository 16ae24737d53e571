/** From deltas to the store, and from there to notifications. */
import type { Difference } from "../api/difference.ts";
import { keyOf, type ObjectKey } from "../api/key.ts";
import type { StoredObject } from "../api/object.ts";
import { writerOfChange } from "../api/writer.ts";
import type { TraceBus } from "../trace/bus.ts";
import { DeltaDetail } from "../trace/delta-detail.ts";
import type { DeltaEvent, DeltaType, KindName } from "../trace/events.ts";
import type { Delta, ObjectDelta, ReplacedAll } from "./delta-queue.ts";
import type { Notification } from "./handler.ts";
import type { Indexer } from "./indexer.ts";
import type { Intake } from "./intake.ts";

/** What a store writer is created with. */
export interface StoreWriterOptions<T extends StoredObject> {
  readonly of: KindName;
  readonly indexer: Indexer<T>;
  readonly intake: Intake<T>;
  readonly bus: TraceBus;
  readonly now: () => number;
  /** Those that are to be told of the delta at hand. */
  readonly listeners: () => Listeners<T>;
  /** The cache holds objects that match a selector only: one may appear because it was changed. */
  readonly selected: boolean;
}

/** What a listener is to the store: it takes notifications, those that tell nothing new only while it is syncing. */
export interface NotificationSink<T> {
  readonly syncing: boolean;
  add(notification: Notification<T>): void;
}

type Listeners<T> = readonly NotificationSink<T>[];

/** What is told of one object. */
interface Told<T> {
  readonly type: DeltaType;
  readonly key: ObjectKey;
  readonly before: T | undefined;
  /** Of a deletion the last state. */
  readonly object: T;
  readonly tombstone: boolean;
  readonly relist: boolean;
  readonly receivedAt: number;
  readonly writer: string | ((difference: Difference | undefined) => string | undefined) | undefined;
}

/** A list that was put into the store. */
interface Replacement<T> {
  /** Those that were there then: a handler that is added later is given all there is. */
  readonly listeners: Listeners<T>;
  /** What the store held before. */
  readonly earlier: ReadonlyMap<ObjectKey, T>;
  readonly initial: boolean;
}

/** What listeners are told of an object that is there. */
interface Notified<T> extends Pick<Told<T>, "type" | "key" | "before" | "object"> {
  readonly initial: boolean;
  readonly seq: number;
}

/**
 * Applies deltas: the store first, then the notifications, which only wait for their listeners here. A list is put into the store
 * in one piece; what it has to tell may be more than one turn should hold, and is told piece by piece by `continue`. Until that
 * answers false no other delta may be applied.
 *
 * Source: client-go v0.36 tools/cache/controller.go processDeltas, shared_informer.go OnUpdate; differs: a deletion of what is not
 * known tells nobody.
 */
export class StoreWriter<T extends StoredObject> {
  #options: StoreWriterOptions<T>;
  /** What is left to be told of a list or a resync. */
  #rest: Iterator<void> | undefined;

  constructor(options: StoreWriterOptions<T>) {
    this.#options = options;
  }

  /** Whether something is left to be told. */
  get busy(): boolean {
    return this.#rest !== undefined;
  }

  /** Tells one piece of what is left; false when nothing was. */
  continue(): boolean {
    if (this.#rest === undefined) return false;
    if (this.#rest.next().done === true) this.#rest = undefined;
    return true;
  }

  /** Atomic. */
  readonly apply = (delta: Delta<T>, initial: boolean): void => {
    const { indexer, listeners } = this.#options;
    switch (delta.type) {
      case "Added":
      case "Updated":
      case "Replaced":
      case "Sync":
        this.#set(delta, initial);
        break;
      case "Deleted":
        this.#delete(delta);
        break;
      case "ReplacedAll":
        this.#rest = this.#tellReplaced(delta, {
          listeners: listeners(),
          earlier: indexer.replace(delta.objects),
          initial,
        });
        break;
      case "SyncAll":
        this.#rest = this.#tellSync(delta.receivedAt, listeners());
        break;
      case "Bookmark":
        break;
    }
  };

  #set(delta: ObjectDelta<T>, initial: boolean): void {
    const { indexer, listeners } = this.#options;
    const { type, key, object, receivedAt } = delta;
    const before = indexer.set(key, object);
    const writer = this.#writer(delta, before);
    const relist = type === "Replaced" && !initial;
    const seq = this.#emit({ type, key, before, object, tombstone: false, relist, receivedAt, writer });
    this.#notify(listeners(), { type, key, before, object, initial, seq });
  }

  /** Who made a watched change; keeps what the next one is compared with. */
  #writer({ type, object, managedFields }: ObjectDelta<T>, before: T | undefined): Told<T>["writer"] {
    const { intake, selected } = this.#options;
    if (managedFields === undefined) return undefined;
    const compactAfter = intake.keep(object, managedFields);
    if (type !== "Added" && type !== "Updated") return undefined;
    if (before !== undefined) {
      const managedBefore = intake.managedFields(before);
      const change = { before, managedBefore, after: object, managedAfter: managedFields, compactAfter };
      return (difference) => writerOfChange(change, difference);
    }
    if (selected || type !== "Added") return undefined;
    // Known at once; what holds the objects need not be kept.
    return writerOfChange({ before, managedBefore: undefined, after: object, managedAfter: managedFields });
  }

  #delete({ type, key, object, tombstone, receivedAt }: ObjectDelta<T>): void {
    const { indexer, listeners } = this.#options;
    const before = indexer.delete(key);
    const seq = this.#emit({ type, key, before, object, tombstone, relist: false, receivedAt, writer: undefined });
    if (before !== undefined) this.#notifyDeleted(listeners(), { key, object, tombstone, seq });
  }

  /** First what is gone, then what there is, as upstream tells it. */
  *#tellReplaced(
    { objects, receivedAt }: ReplacedAll<T>,
    { listeners, earlier, initial }: Replacement<T>,
  ): Generator<void> {
    const { indexer } = this.#options;
    const rest = { receivedAt, writer: undefined };
    for (const [key, object] of earlier) {
      if (indexer.get(key) !== undefined) continue;
      const seq = this.#emit({ type: "Deleted", key, before: object, object, tombstone: true, relist: true, ...rest });
      this.#notifyDeleted(listeners, { key, object, tombstone: true, seq });
      yield;
    }
    const tellsUnchanged = listeners.some(({ syncing }) => syncing);
    for (const object of objects) {
      const key = keyOf(object);
      const before = earlier.get(key);
      if (before === object && !tellsUnchanged) continue;
      const seq = this.#emit({ type: "Replaced", key, before, object, tombstone: false, relist: !initial, ...rest });
      this.#notify(listeners, { type: "Replaced", key, before, object, initial, seq });
      yield;
    }
  }

  *#tellSync(receivedAt: number, listeners: Listeners<T>): Generator<void> {
    const rest = { receivedAt, writer: undefined };
    for (const [key, object] of this.#options.indexer.entries()) {
      const seq = this.#emit({ type: "Sync", key, before: object, object, tombstone: false, relist: false, ...rest });
      this.#notify(listeners, { type: "Sync", key, before: object, object, initial: false, seq });
      yield;
    }
  }

  /** The delta event and the store's; answers the `seq` of the first, 0 while nobody listens. */
  #emit(told: Told<T>): number {
    const { bus, of } = this.#options;
    if (!bus.on) return 0;
    const { type, key, before, object, receivedAt, writer } = told;
    const { uid, resourceVersion } = object.metadata;
    const detail = new DeltaDetail(of, before, type === "Deleted" ? undefined : object, writer);
    const event: DeltaEvent = { stage: "delta", of, type, key, uid, resourceVersion, receivedAt, detail };
    const rare = told.tombstone || told.relist;
    const seq = bus.emit(
      rare ? { ...event, ...(told.tombstone && { tombstone: true }), ...(told.relist && { relist: true }) } : event,
    );
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

  #notify(listeners: Listeners<T>, told: Notified<T>): void {
    const { bus, now, of } = this.#options;
    const { type, key, before, object, seq } = told;
    const { resourceVersion } = object.metadata;
    const unchanged = before !== undefined && before.metadata.resourceVersion === resourceVersion;
    const notification: Notification<T> = {
      type: before === undefined ? "added" : "updated",
      object,
      before,
      initial: before === undefined && told.initial,
      tombstone: false,
      delta: { kind: of.kind, type, key, resourceVersion, seq },
      queuedAt: bus.hears("notify") ? now() : 0,
    };
    for (const listener of listeners) if (!unchanged || listener.syncing) listener.add(notification);
  }

  #notifyDeleted(
    listeners: Listeners<T>,
    { key, object, tombstone, seq }: Pick<Told<T>, "key" | "object" | "tombstone"> & { readonly seq: number },
  ): void {
    const { bus, now, of } = this.#options;
    const { resourceVersion } = object.metadata;
    const notification: Notification<T> = {
      type: "deleted",
      object,
      before: undefined,
      initial: false,
      tombstone,
      delta: { kind: of.kind, type: "Deleted", key, resourceVersion, seq },
      queuedAt: bus.hears("notify") ? now() : 0,
    };
    for (const listener of listeners) listener.add(notification);
  }
}
