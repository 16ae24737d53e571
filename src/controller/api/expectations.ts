/**
 * Writes of a sync that its cache does not show yet. Until it does, or for five minutes, the key's sync should not create or delete again:
 * it would decide on stale objects.
 *
 * Source: kubernetes v1.36 pkg/controller/controller_utils.go ControllerExpectations, UIDTrackingControllerExpectations;
 * pkg/controller/job/tracking_utils.go uidTrackingExpectations.
 */
import type { ObjectKey } from "../../api/key.ts";

/** What a key is still waiting to see. */
export interface ExpectationState {
  /** Creations that have not been seen yet. May be below zero when more was seen than expected. */
  readonly creations: number;
  /** Deletions that have not been seen yet, by key of the object. */
  readonly deletions: ReadonlySet<ObjectKey>;
  /** When they were set, in ms since 1970. */
  readonly since: number;
}

/** Writes that a sync is about to send. */
export interface ExpectedWrites {
  readonly creations: number;
  /** By key of the objects to be deleted. */
  readonly deletions: readonly ObjectKey[];
}

/**
 * Creates, deletes and updates that a sync has sent and its cache has not shown yet. Set them before the writes are sent; handlers
 * count them down. A sync of a key that is not `satisfied` should not create or delete.
 */
export interface Expectations {
  /** Whether nothing is expected any more, the expectations have expired, or none were ever set. */
  satisfied(key: ObjectKey): boolean;
  /** Replaces what was expected for the key. */
  expectCreations(key: ObjectKey, count: number): void;
  /** Replaces what was expected for the key with deletions, by key of the deleted objects. */
  expectDeletions(key: ObjectKey, deleted: readonly ObjectKey[]): void;
  /** Replaces what was expected for the key with creations and deletions at once. */
  expect(key: ObjectKey, writes: ExpectedWrites): void;
  /** A creation was seen, or will never be, since the write was refused. */
  creationObserved(key: ObjectKey): void;
  /** A deletion was seen, or will never come; one that was not expected is ignored. */
  deletionObserved(key: ObjectKey, deleted: ObjectKey): void;
  /**
   * Adds updates, by uid of the updated objects. They hold nothing back and do not expire: a sync passes over those of
   * its objects that are among `updatesOf` the key, since it has dealt with them.
   */
  expectUpdates(key: ObjectKey, uids: readonly string[]): void;
  /** An update was seen, or will never be; one that was not expected is ignored. */
  updateObserved(key: ObjectKey, uid: string): void;
  /** The updates that have not been seen yet, by uid: a copy, which later observations leave as it is. */
  updatesOf(key: ObjectKey): ReadonlySet<string>;
  /** The object itself is gone. */
  forget(key: ObjectKey): void;
  /** For views: what is still expected. */
  of(key: ObjectKey): ExpectationState | undefined;
}

/** Expectations older than this no longer hold a key back: 5 minutes. */
export const expectationsTimeoutMs = 300_000;

interface Expected {
  creations: number;
  readonly deletions: Set<ObjectKey>;
  readonly since: number;
}

/**
 * Expectations that outlive the sync that set them. Creations are counted, deletions are kept by key, so that one deletion
 * seen twice (first its deletionTimestamp, then its end) counts once. Nothing enqueues a key when its expectations expire.
 * All methods are atomic. `now` returns milliseconds since 1970.
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
