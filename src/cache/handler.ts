/** What an informer's handlers are called with, and how they are added. */
import type { DeltaRef } from "../trace/triggers.ts";

/**
 * One change of one object, as the cache holds it now. All handlers of an informer share the value: never change it or the objects.
 * For each object a handler is notified in the order `added`, any number of `updated`, `deleted`.
 *
 * Source: client-go v0.36 tools/cache/controller.go ResourceEventHandler: OnAdd, OnUpdate, OnDelete.
 */
export type Notification<T> =
  | {
      /** The cache holds the object now and did not before. */
      readonly type: "added";
      readonly object: T;
      /** The object was there before the informer, or before the handler: client-go's isInInitialList. */
      readonly initial: boolean;
      readonly delta: DeltaRef;
    }
  | {
      /**
       * Another version of the object, or a resync: then `before` and `object` are the same. The two may have different uids: the
       * object was deleted and made again, and neither was seen.
       */
      readonly type: "updated";
      readonly before: T;
      readonly object: T;
      readonly delta: DeltaRef;
    }
  | {
      /** The cache no longer holds the object. */
      readonly type: "deleted";
      /** Its last state: as the server sent it, or, of a tombstone, as it was last cached. */
      readonly object: T;
      /** The deletion itself was missed, and found out by a list: client-go's DeletedFinalStateUnknown. */
      readonly tombstone: boolean;
      readonly delta: DeltaRef;
    };

/**
 * One consumer of an informer. `on` is synchronous and quick: map the object to keys, enqueue them, return. It may read the cache,
 * which is at least as new as the notification and usually newer. An error that it throws is reported; neither its next
 * notification nor another handler is affected.
 */
export interface EventHandler<T> {
  /** The name that stage events give it: a controller's. */
  readonly name: string;
  on(notification: Notification<T>): void;
}

/** How one handler is notified, where it differs from its informer. */
export interface HandlerOptions {
  /** How often it is notified of every object again, in milliseconds; 0 for never. Default: the informer's. */
  readonly resyncMs?: number;
}

/** A handler that was added to an informer. Source: client-go v0.36 ResourceEventHandlerRegistration. */
export interface HandlerRegistration {
  /** Whether the handler has been notified of every object of the first list. */
  hasSynced(): boolean;
  /** How many notifications wait for the handler. */
  readonly backlog: number;
  /** Removes the handler: it is not called again, and what waits for it is dropped. */
  remove(): void;
}
