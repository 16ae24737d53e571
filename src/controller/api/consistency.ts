/**
 * Checks whether the caches have caught up with a controller's own writes.
 * Source: kubernetes v1.36 pkg/controller/util/consistency/consistency.go.
 */
import type { ObjectKey } from "../../api/key.ts";
import { type Kind, resourceOf } from "../../api/kind.ts";
import { compareResourceVersions } from "../../api/resource-version.ts";

/** A cache does not show a write of the controller yet: the key is retried with backoff. An expected outcome, not a failure. */
export class CacheBehindError extends Error {
  override readonly name = "CacheBehindError";
}

/** The primary object whose sync wrote. Writes for an earlier object with the same name but another uid do not count. */
export interface WrittenFor {
  readonly key: ObjectKey;
  readonly uid: string;
}

/** Keeps a controller from acting on stale caches: a key with writes that a cache has not applied yet is requeued. */
export interface Consistency {
  /** Records the resourceVersion in the response to a write by this object's sync; the newest per kind is kept. */
  wrote(object: WrittenFor, kind: Kind, resourceVersion: string): void;
  /** @throws CacheBehindError while a cache has not yet applied a recorded write of this key. */
  ensureReady(key: ObjectKey): void;
  /** Forgets the writes of a deleted object. With a uid, only if they were recorded for that uid. */
  forget(key: ObjectKey, uid?: string): void;
}

/**
 * Never holds back a key: for controllers that rely on their expectations alone.
 * Source: pkg/controller/util/consistency/noop.go.
 */
export const noConsistencyChecks: Consistency = {
  wrote: () => undefined,
  ensureReady: () => undefined,
  forget: () => undefined,
};

interface Written {
  readonly uid: string;
  /** By resource. */
  readonly versions: Map<string, { readonly kind: Kind; readonly resourceVersion: string }>;
}

/**
 * Remembers the newest written version of each kind for each key until the caches have it. Versions that cannot be compared, and caches
 * without a version, do not hold back a key. `appliedResourceVersion` returns the version up to which a kind's cache has applied all
 * changes. All methods are atomic.
 */
export function consistencyChecks(appliedResourceVersion: (kind: Kind) => string): Consistency {
  const written = new Map<ObjectKey, Written>();
  return {
    wrote({ key, uid }, kind, resourceVersion) {
      let record = written.get(key);
      if (record?.uid !== uid) {
        record = { uid, versions: new Map() };
        written.set(key, record);
      }
      const resource = resourceOf(kind);
      const known = record.versions.get(resource);
      if (known !== undefined && (compareResourceVersions(known.resourceVersion, resourceVersion) ?? -1) >= 0) return;
      record.versions.set(resource, { kind, resourceVersion });
    },
    ensureReady(key) {
      const record = written.get(key);
      if (record === undefined) return;
      for (const { kind, resourceVersion } of record.versions.values()) {
        const applied = appliedResourceVersion(kind);
        if ((compareResourceVersions(resourceVersion, applied) ?? 0) > 0) {
          throw new CacheBehindError(
            `Cannot sync ${key} yet: the cache of ${resourceOf(kind)} is at version ${applied}, a write of this controller made ${resourceVersion}`,
          );
        }
      }
      written.delete(key);
    },
    forget(key, uid) {
      if (uid === undefined || written.get(key)?.uid === uid) written.delete(key);
    },
  };
}
