/**
 * Whether the caches have caught up with a controller's own writes.
 * Source: kubernetes v1.36 pkg/controller/util/consistency/consistency.go.
 */
import type { ObjectKey } from "../../api/key.ts";
import { type Kind, resourceOf } from "../../api/kind.ts";
import { compareResourceVersions } from "../../api/resource-version.ts";

/** The cache is behind a write of the controller's own: the key is tried again with back-off. A normal outcome, not a fault. */
export class CacheBehindError extends Error {
  override readonly name = "CacheBehindError";
}

/** The primary object whose sync wrote. Of one that was deleted and made anew under its name nothing older is owed. */
export interface Writer {
  readonly key: ObjectKey;
  readonly uid: string;
}

/** Keeps a controller from reading its own writes too early: a key whose writes a cache has not applied yet is requeued. */
export interface Consistency {
  /** Records the version that a write of this object's sync was answered with; the newest of each kind is kept. */
  wrote(writer: Writer, kind: Kind, resourceVersion: string): void;
  /** @throws CacheBehindError while a cache has not yet applied a recorded write of this key. */
  ensureReady(key: ObjectKey): void;
  /** The object is gone: nothing is owed for it any more. With a uid, only if what is recorded is of that one. */
  forget(key: ObjectKey, uid?: string): void;
}

/**
 * Holds nobody back: for controllers that rest on their expectations alone.
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
 * Remembers the newest version written of each kind for each key, until the caches have it. Versions that cannot be compared, and
 * caches that tell none, hold nobody back. `appliedResourceVersion` answers the version up to which a kind's cache has applied
 * everything. All methods are atomic.
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
