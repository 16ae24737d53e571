/** What a Reflector needs of an API server: lists in pages, and watches. */
import type { Kind } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Status } from "../../api/status-error.ts";

export interface Selectors {
  /** In the API server's text form. */
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** How objects are read. */
interface Reading {
  /** Asked now and then: whether objects may come without their managedFields. Then these need not be parsed. */
  readonly withoutManagedFields?: () => boolean;
}

export interface ListOptions extends Selectors, Reading {
  /** Objects a page; without it the server answers everything at once. */
  readonly limit?: number;
  readonly continueToken?: string;
  /** Unset asks for a consistent list; "0" for whatever the server has at hand, which may be stale. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
}

export interface ListPage<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** Empty on the last page. */
  readonly continueToken: string;
  /** Length of the body, decompressed. */
  readonly bytes: number;
}

export interface WatchOptions extends Selectors, Reading {
  /** Events after this version; with `sendInitialEvents` it may be empty. */
  readonly resourceVersion: string;
  /** The server ends the watch by itself after this time. */
  readonly timeoutSeconds?: number;
  /** First an ADDED for each object there is, then a bookmark with the annotation `k8s.io/initial-events-end` (WatchList). */
  readonly sendInitialEvents?: boolean;
}

export type WatchFrame<T> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK"; readonly object: T }
  | { readonly type: "ERROR"; readonly object: Status };

/**
 * A watch that has been opened. `next` answers the frames that came with one chunk, at least one; undefined when the server has
 * ended the watch properly. It rejects with a TransportError when the connection broke or the watchdog found it silent for too
 * long, and with a SyntaxError for a frame that is not JSON. Cut frames are never delivered.
 */
export interface WatchStream<T> {
  next(): Promise<readonly WatchFrame<T>[] | undefined>;
  /** Bytes read so far. */
  readonly bytes: number;
  cancel(reason?: unknown): void;
}

export interface ListerWatcher<T extends StoredObject> {
  readonly kind: Kind<T>;
  /** @throws StatusError, TransportError, or the signal's reason. */
  list(options: ListOptions, signal: AbortSignal): Promise<ListPage<T>>;
  /** Bookmarks are always asked for. @throws StatusError (410 Expired for a version too old), TransportError, the signal's reason. */
  watch(options: WatchOptions, signal: AbortSignal): Promise<WatchStream<T>>;
}
