/**
 * Tracks writes of a sync that the caches do not show yet. Until they do, or for five minutes, syncs of the key should not create or delete
 * again, because they would decide on stale objects.
 *
 * Source: kubernetes v1.36 pkg/controller/controller_utils.go ControllerExpectations, UIDTrackingControllerExpectations;
 * pkg/controller/job/tracking_utils.go uidTrackingExpectations.
 */
import type { ObjectKey } from "../../api/key.ts";

/** The unobserved writes of a key. */
export interface ExpectationState {
  /** Unobserved creations. Negative if more were observed than expected. */
  readonly creations: number;
  /** The keys of objects whose deletion was not observed yet. */
  readonly deletions: ReadonlySet<ObjectKey>;
  /** When they were set, in ms since 1970. */
  readonly since: number;
}

/** Writes that a sync is about to send. */
export interface ExpectedWrites {
  readonly creations: number;
  /** The keys of the objects to be deleted. */
  readonly deletions: readonly ObjectKey[];
}

/**
 * Creates, deletes and updates that a sync has sent and the caches do not show yet. Set expectations before sending the writes; handlers
 * count them down. A sync of a key that is not `satisfied` should not create or delete.
 */
export interface Expectations {
  /** Whether all expectations are fulfilled or have expired, or none were set. */
  satisfied(key: ObjectKey): boolean;
  /** Replaces the key's expectations with a number of creations. */
  expectCreations(key: ObjectKey, count: number): void;
  /** Replaces the key's expectations with deletions of the objects with these keys. */
  expectDeletions(key: ObjectKey, deleted: readonly ObjectKey[]): void;
  /** Replaces the key's expectations with creations and deletions. */
  expect(key: ObjectKey, writes: ExpectedWrites): void;
  /** Call when a creation was observed, or was refused and will never be. */
  creationObserved(key: ObjectKey): void;
  /** Call when a deletion was observed, or will never be. Unexpected deletions are ignored. */
  deletionObserved(key: ObjectKey, deleted: ObjectKey): void;
  /**
   * Adds expected updates of the objects with these uids. They do not affect `satisfied` and do not expire: a sync skips those of its objects
   * that are in `updatesOf`, because it has already handled them.
   */
  expectUpdates(key: ObjectKey, uids: readonly string[]): void;
  /** Call when an update was observed, or will never be. Unexpected updates are ignored. */
  updateObserved(key: ObjectKey, uid: string): void;
  /** The uids of objects whose update was not observed yet, as a copy. */
  updatesOf(key: ObjectKey): ReadonlySet<string>;
  /** Removes all expectations of a deleted object. */
  forget(key: ObjectKey): void;
  /** For views: the unobserved writes. */
  of(key: ObjectKey): ExpectationState | undefined;
}

/** Expectations expire after this time: 5 minutes. */
export const expectationsTimeoutMs = 300_000;

interface Expected {
  creations: number;
  readonly deletions: Set<ObjectKey>;
  readonly since: number;
}

/**
 * Expectations that outlive the sync that set them. Creations are counted. Deletions are kept by key, so that one that is observed twice
 * (first its deletionTimestamp, then the removal) counts once. A key is not enqueued when its expectations expire. All methods are atomic.
 * `now` returns ms since 1970.
 */
export function controllerExpectations(now: () => number): Expectations {
  const expected = new Map<ObjectKey, Expected>();
  const updates = new Map<ObjectKey, Set<string>>();
  const expect = (key: ObjectKey, { creations, deletions }: ExpectedWrites): void =>
    void expected.set(key, { creations, deletions: new Set(deletions), since: now() });
  return {
    satisfied(key) {
      const of = expected.get(key);
      if (of === undefined) return true;
      return (of.creations <= 0 && of.deletions.size === 0) || now() - of.since > expectationsTimeoutMs;
    },
    expectCreations: (key, creations) => expect(key, { creations, deletions: [] }),
    expectDeletions: (key, deletions) => expect(key, { creations: 0, deletions }),
    expect,
    creationObserved(key) {
      const of = expected.get(key);
      if (of !== undefined) of.creations--;
    },
    deletionObserved(key, deleted) {
      expected.get(key)?.deletions.delete(deleted);
    },
    expectUpdates(key, uids) {
      updates.set(key, new Set([...(updates.get(key) ?? []), ...uids]));
    },
    updateObserved(key, uid) {
      updates.get(key)?.delete(uid);
    },
    updatesOf: (key) => new Set(updates.get(key)),
    forget(key) {
      expected.delete(key);
      updates.delete(key);
    },
    of(key) {
      return expected.get(key);
    },
  };
}
