/**
 * Writes of a sync that its cache does not show yet. Until they are seen, or five minutes have gone by, the key is not
 * synced again on what would be a stale picture.
 *
 * Source: kubernetes v1.36 pkg/controller/controller_utils.go ControllerExpectations, UIDTrackingControllerExpectations.
 */
import type { ObjectKey } from "../api/key.ts";

export interface ExpectationState {
  /** Creations that have not been seen yet. May be below zero when more was seen than expected. */
  readonly creations: number;
  /** Deletions that have not been seen yet, by key of the object. */
  readonly deletions: ReadonlySet<ObjectKey>;
  /** When they were set, in ms since 1970. */
  readonly since: number;
}

export interface Expectations {
  /** Whether nothing is expected any more, the expectations have expired, or none were ever set. */
  satisfied(key: ObjectKey): boolean;
  /** Replaces what was expected for the key. */
  expectCreations(key: ObjectKey, count: number): void;
  expectDeletions(key: ObjectKey, deleted: readonly ObjectKey[]): void;
  /** A creation was seen, or will never come, since the write was refused. */
  creationObserved(key: ObjectKey): void;
  deletionObserved(key: ObjectKey, deleted: ObjectKey): void;
  /** The object itself is gone. */
  forget(key: ObjectKey): void;
  /** For views: what is still expected. */
  of(key: ObjectKey): ExpectationState | undefined;
}
