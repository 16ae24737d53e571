/**
 * Whether the caches have caught up with a controller's own writes.
 * Source: kubernetes v1.36 pkg/controller/util/consistency.
 */
import type { ObjectKey } from "../api/key.ts";
import type { Kind } from "../api/kind.ts";

/** The cache is behind a write of the controller's own: the key is tried again with back-off. A normal outcome, not a fault. */
export class CacheBehindError extends Error {
  override readonly name = "CacheBehindError";
}

export interface Consistency {
  /** Records the version that a write of this key's sync was answered with. */
  wrote(key: ObjectKey, kind: Kind, resourceVersion: string): void;
  /** @throws CacheBehindError while a cache has not yet applied a recorded write of this key. */
  ensureReady(key: ObjectKey): void;
  /** The object with this uid is gone: nothing is owed for it any more. */
  forget(key: ObjectKey): void;
}
