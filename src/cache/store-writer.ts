/** From deltas to the store, and from there to notifications. */
import { keyOf, type ObjectKey } from "../api/key.ts";
import type { StoredObject } from "../api/object.ts";
import { writerOfChange } from "../api/writer.ts";
import type { TraceBus } from "../trace/bus.ts";
import { DeltaDetail } from "../trace/delta-detail.ts";
import type { DeltaType, KindName } from "../trace/events.ts";
import type { Delta, ObjectDelta, ReplacedAll } from "./delta-queue.ts";
import type { Notification } from "./handler.ts";
import type { Indexer } from "./indexer.ts";
import type { Intake } from "./intake.ts";

export interface StoreWriterOptions<T extends StoredObject> {
  readonly of: KindName;
  readonly indexer: Indexer<T>;
  readonly intake: Intake<T>;
  readonly bus: TraceBus;
  readonly now: () => number;
  /** Hands a notification to the listeners: to all, or only to those that are syncing. */
  readonly distribute: (notification: Notification<T>, to: "all" | "syncing") => void;
  /** Whether there is a listener at all, and one that is syncing. */
  readonly has: (listener: "any" | "syncing") => boolean;
  /** The cache holds objects that match a selector only: one may appear because it was changed. */
  readonly selected: boolean;
}

/** What is told of one object. */
interface Told<T> {
  readonly type: DeltaType;
  readonly key: ObjectKey;
  readonly before: T | undefined;
  /** Of a deletion the last state. */
  readonly object: T;
  readonly initial: boolean;
  readonly tombstone: boolean;
  readonly relist: boolean;
  readonly receivedAt: number;
  readonly writer: (() => string | undefined) | undefined;
}

/**
 * Applies deltas: the store first, then the notifications, which only wait for their listeners here. A list is applied in one
 * piece before the first notification of it.
 *
 * Source: client-go v0.36 tools/cache/controller.go processDeltas, shared_informer.go OnUpdate; differs: a deletion of what is not
 * known tells nobody.
 */
export class StoreWriter<T extends StoredObject> {
  #options: StoreWriterOptions<T>;

  constructor(options: StoreWriterOptions<T>) {
    this.#options = options;
  }

  /** Atomic. */
  readonly apply = (delta: Delta<T>, initial: boolean): void => {
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
        this.#replaceAll(delta, initial);
        break;
      case "SyncAll":
        this.#syncAll(delta.receivedAt);
        break;
      case "Bookmark":
        break;
    }
  };

  #set(delta: ObjectDelta<T>, initial: boolean): void {
    const { indexer, bus } = this.#options;
    const before = indexer.set(delta.key, delta.object);
    if (!bus.on) {
      this.#notify(delta.type, delta.key, before, delta.object, initial, 0);
      return;
    }
    const writer = this.#writer(delta, before);
    const { type, key, object, receivedAt } = delta;
    const relist = type === "Replaced" && !initial;
    const seq = this.#emit({ type, key, before, object, initial, tombstone: false, relist, receivedAt, writer });
    this.#notify(type, key, before, object, initial, seq);
  }

  /** Who made a watched change; keeps what the next one is compared with. */
  #writer(
    { type, object, managedFields }: ObjectDelta<T>,
    before: T | undefined,
  ): (() => string | undefined) | undefined {
    const { intake, selected } = this.#options;
    if (managedFields === undefined) return undefined;
    intake.keep(object, managedFields);
    if ((type !== "Added" && type !== "Updated") || (before === undefined && (selected || type !== "Added")))
      return undefined;
    const managedBefore = before === undefined ? undefined : intake.managedFields(before);
    return () => writerOfChange({ before, managedBefore, after: object, managedAfter: managedFields });
  }

  #delete({ type, key, object, tombstone, receivedAt }: ObjectDelta<T>): void {
    const { indexer, bus } = this.#options;
    const before = indexer.delete(key);
    let seq = 0;
    if (bus.on) {
      const writer = undefined;
      seq = this.#emit({ type, key, before, object, initial: false, tombstone, relist: false, receivedAt, writer });
    }
    if (before !== undefined) this.#notifyDeleted(key, object, tombstone, seq);
  }

  #replaceAll({ objects, receivedAt }: ReplacedAll<T>, initial: boolean): void {
    const { indexer, bus, has } = this.#options;
    const earlier = indexer.replace(objects);
    const rest = { initial, receivedAt, writer: undefined };
    for (const [key, object] of earlier) {
      if (indexer.get(key) !== undefined) continue;
      let seq = 0;
      if (bus.on) {
        seq = this.#emit({ type: "Deleted", key, before: object, object, tombstone: true, relist: true, ...rest });
      }
      this.#notifyDeleted(key, object, true, seq);
    }
    const tellsUnchanged = has("syncing");
    for (const object of objects) {
      const key = keyOf(object);
      const before = earlier.get(key);
      if (before === object && !tellsUnchanged) continue;
      let seq = 0;
      if (bus.on) {
        seq = this.#emit({ type: "Replaced", key, before, object, tombstone: false, relist: !initial, ...rest });
      }
      this.#notify("Replaced", key, before, object, initial, seq);
    }
  }

  #syncAll(receivedAt: number): void {
    const { indexer, bus } = this.#options;
    const rest = { initial: false, tombstone: false, relist: false, receivedAt, writer: undefined };
    for (const [key, object] of indexer.entries()) {
      const seq = bus.on ? this.#emit({ type: "Sync", key, before: object, object, ...rest }) : 0;
      this.#notify("Sync", key, object, object, false, seq);
    }
  }

  /** The delta event and the store's; answers the `seq` of the first. */
  #emit(told: Told<T>): number {
    const { bus, of } = this.#options;
    const { type, key, before, object, receivedAt, writer } = told;
    const { uid, resourceVersion } = object.metadata;
    const seq = bus.emit({
      stage: "delta",
      of,
      type,
      key,
      uid,
      resourceVersion,
      receivedAt,
      ...(told.tombstone && { tombstone: true }),
      ...(told.relist && { relist: true }),
      detail: new DeltaDetail(of, before, type === "Deleted" ? undefined : object, writer),
    });
    bus.emit({
      stage: "store",
      of,
      key,
      replaced: before?.metadata.resourceVersion ?? "",
      resourceVersion: type === "Deleted" ? "" : resourceVersion,
    });
    return seq;
  }

  #notify(type: DeltaType, key: ObjectKey, before: T | undefined, object: T, initial: boolean, seq: number): void {
    const { has, distribute, bus, now, of } = this.#options;
    if (!has("any")) return;
    const { resourceVersion } = object.metadata;
    const unchanged = before !== undefined && before.metadata.resourceVersion === resourceVersion;
    const notification: Notification<T> = {
      type: before === undefined ? "added" : "updated",
      object,
      before,
      initial: before === undefined && initial,
      tombstone: false,
      delta: { kind: of.kind, type, key, resourceVersion, seq },
      queuedAt: bus.on ? now() : 0,
    };
    distribute(notification, unchanged ? "syncing" : "all");
  }

  #notifyDeleted(key: ObjectKey, object: T, tombstone: boolean, seq: number): void {
    const { has, distribute, bus, now, of } = this.#options;
    if (!has("any")) return;
    const { resourceVersion } = object.metadata;
    distribute(
      {
        type: "deleted",
        object,
        before: undefined,
        initial: false,
        tombstone,
        delta: { kind: of.kind, type: "Deleted", key, resourceVersion, seq },
        queuedAt: bus.on ? now() : 0,
      },
      "all",
    );
  }
}
