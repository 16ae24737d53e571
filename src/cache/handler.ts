/** What an informer tells its handlers. */
import type { ObjectKey } from "../api/key.ts";
import type { DeltaType } from "../trace/events.ts";

/** The delta behind a notification: ids and versions, so that it may be kept. */
export interface DeltaRef {
  /** The kind of the object. */
  readonly kind: string;
  readonly type: DeltaType;
  readonly key: ObjectKey;
  readonly resourceVersion: string;
  /** The `seq` of the delta event; 0 if nobody listened, and for an object told to a handler that came late. */
  readonly seq: number;
}

/**
 * The handlers of one consumer. They are synchronous and quick: enqueue a key and return. What one throws is reported and harms
 * nobody else. For each object they are called in the order `added`, any number of `updated`, `deleted`; they may read the cache,
 * which is at least as new as the notification, and usually newer.
 */
export interface EventHandler<T> {
  /** A controller's name: it stands in events. */
  readonly name: string;
  /** `initial`: the object was there before the informer, or before the handler. */
  added?(object: T, initial: boolean, delta: DeltaRef): void;
  /** A resync comes with both objects the same. The two may even have different uids, if a deletion was missed. */
  updated?(before: T, object: T, delta: DeltaRef): void;
  /** `tombstone`: the deletion itself was missed, `object` is the last state known. */
  deleted?(object: T, tombstone: boolean, delta: DeltaRef): void;
}

/** How one handler is notified, where it differs from its informer. */
export interface HandlerOptions {
  /** Every object is told again so often; 0 for never. Default: the informer's. */
  readonly resyncMs?: number;
}

/** A handler that was added to an informer. Source: client-go v0.36 ResourceEventHandlerRegistration. */
export interface HandlerRegistration {
  /** Whether the handler has been called for every object of the first list. */
  hasSynced(): boolean;
  /** Notifications that wait. */
  readonly backlog: number;
  /** No call comes after this. */
  remove(): void;
}

/** One notification, shared by all listeners that get it. */
export interface Notification<T> {
  readonly type: "added" | "updated" | "deleted";
  readonly object: T;
  /** Of `updated`. */
  readonly before: T | undefined;
  readonly initial: boolean;
  readonly tombstone: boolean;
  readonly delta: DeltaRef;
  /** 0 if nobody listened. */
  readonly queuedAt: number;
}
