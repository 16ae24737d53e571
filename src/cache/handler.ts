/** The interface of an informer's event handlers. */
import type { DeltaRef } from "../trace/triggers.ts";

/**
 * One change of one object in the cache. All handlers of an informer share the value: never modify it or the objects. For each object a
 * handler is notified in the order `added`, any number of `updated`, `deleted`.
 *
 * Source: client-go v0.36 tools/cache/controller.go ResourceEventHandler: OnAdd, OnUpdate, OnDelete.
 */
export type Notification<T> =
  | {
      /** The object was added to the cache. */
      readonly type: "added";
      readonly object: T;
      /** The object existed before the informer or the handler was started: client-go's isInInitialList. */
      readonly initial: boolean;
      readonly delta: DeltaRef;
    }
  | {
      /**
       * The object has a new version; or a resync, with the same object in `before` and `object`. If the two have different uids, the object
       * was deleted and recreated unseen.
       */
      readonly type: "updated";
      readonly before: T;
      readonly object: T;
      readonly delta: DeltaRef;
    }
  | {
      /** The cache no longer holds the object. */
      readonly type: "deleted";
      /** The final state from the server, or for a tombstone the last cached state. */
      readonly object: T;
      /** The deletion was missed and detected by a list: client-go's DeletedFinalStateUnknown. */
      readonly tombstone: boolean;
      readonly delta: DeltaRef;
    };

/**
 * One consumer of an informer. `on` must be synchronous and quick: map the object to keys, enqueue them, return. It may read the cache,
 * which is at least as new as the notification and usually newer. An error that it throws is reported, and affects neither its next
 * notification nor other handlers.
 */
export interface EventHandler<T> {
  /** The name in stage events, such as that of the controller. */
  readonly name: string;
  on(notification: Notification<T>): void;
}

/** Options for one handler. */
export interface HandlerOptions {
  /** The resync period, in ms; 0 for never. Default: the informer's. */
  readonly resyncMs?: number;
}

/** A handler that was added to an informer. Source: client-go v0.36 ResourceEventHandlerRegistration. */
export interface HandlerRegistration {
  /** Whether the handler has been notified of every object of the initial list. */
  hasSynced(): boolean;
  /** The number of notifications waiting for the handler. */
  readonly backlog: number;
  /** Removes the handler: it is not called again, and its waiting notifications are dropped. */
  remove(): void;
}
