/** What a Reflector needs from an API server: paged lists, and watches. */
import type { Kind } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Status } from "../../api/status-error.ts";

/** Restricts a list or watch to matching objects. */
export interface Selectors {
  /** In the API server's text form, as are field selectors. */
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** How objects are parsed. */
interface Reading {
  /** Called repeatedly: whether managedFields may be dropped, which saves parsing them. */
  readonly withoutManagedFields?: () => boolean;
}

/** The query of a list. */
export interface ListOptions extends Selectors, Reading {
  /** Objects per page; without a limit the server returns all at once. */
  readonly limit?: number;
  readonly continueToken?: string;
  /** Unset: a consistent list; "0": any version that the server has cached, possibly stale. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
}

/** One page of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** Events after this version; may be empty with `sendInitialEvents`. */
  readonly resourceVersion: string;
  /** Empty on the last page. */
  readonly continueToken: string;
  /** Length of the body, decompressed. */
  readonly bytes: number;
}

/** The query of a watch. */
export interface WatchOptions extends Selectors, Reading {
  /** Events after this version; with `sendInitialEvents` it may be empty. */
  readonly resourceVersion: string;
  /** The server ends the watch after this time. */
  readonly timeoutSeconds?: number;
  /**
   * Starts with an ADDED for each existing object, then a bookmark with the annotation `k8s.io/initial-events-end`
   * (WatchList).
   */
  readonly sendInitialEvents?: boolean;
}

/** A frame with a change of one object. */
export interface ObjectFrame<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: T;
}

/** One event of a watch, as it is sent: a line of JSON. */
export type WatchFrame<T> =
  | ObjectFrame<T>
  | { readonly type: "BOOKMARK"; readonly object: T }
  | { readonly type: "ERROR"; readonly object: Status };

/**
 * An open watch. `next` resolves with the frames completed by one chunk, at least one; with undefined when the server
 * has ended the watch normally. It rejects with a TransportError when the connection broke or was silent for too long,
 * and with a SyntaxError for a frame that is not JSON. Truncated frames are never delivered.
 */
export interface WatchStream<T> {
  next(): Promise<readonly WatchFrame<T>[] | undefined>;
  /** Bytes read so far. */
  readonly bytes: number;
  cancel(reason?: unknown): void;
}

/** Lists and watches objects of one kind. Source: client-go v0.36 tools/cache/listwatch.go. */
export interface ListerWatcher<T extends StoredObject> {
  readonly kind: Kind<T>;
  /** @throws StatusError, TransportError, or the signal's reason. */
  list(options: ListOptions, signal: AbortSignal): Promise<ListPage<T>>;
  /**
   * Always requests bookmarks. @throws StatusError (410 Expired if the version is too old), TransportError, the
   * signal's reason.
   */
  watch(options: WatchOptions, signal: AbortSignal): Promise<WatchStream<T>>;
}
