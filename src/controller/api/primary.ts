import { keyOf } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import { type Watch, watch, type WatchContext } from "./definition.ts";

/**
 * Creates a watch of a controller's primary kind: every change and every resync enqueues the object's own key. If an object is deleted, or
 * was recreated unseen, its expectations are forgotten.
 *
 * Source: kubernetes v1.36 pkg/controller/replicaset/replica_set.go addRS, updateRS, deleteRS.
 *
 * @example
 * ```ts
 * import { kinds, watchPrimary } from "kubectl-reconcile";
 *
 * const watches = [watchPrimary(kinds.Services)];
 * console.log(watches.length);
 * ```
 */
export function watchPrimary<T extends StoredObject>(
  kind: Kind<T>,
  options: { readonly indexes?: NonNullable<Watch<T>["indexes"]> } = {},
): Watch {
  const forget = (object: T, context: WatchContext): void => {
    context.consistency.forget(keyOf(object), object.metadata.uid);
    context.expectations.forget(keyOf(object));
  };
  return watch<T>({
    kind,
    ...options,
    on(notification, context) {
      const { object } = notification;
      if (notification.type === "deleted") forget(object, context);
      else if (notification.type === "updated" && notification.before.metadata.uid !== object.metadata.uid) {
        forget(notification.before, context);
      }
      context.enqueue(keyOf(object));
    },
  });
}

/** Whether the object's status is older than its spec: observedGeneration is less than generation. False for kinds without a generation. */
export function isBehindItsSpec(
  object: StoredObject & { readonly status?: { readonly observedGeneration?: number } },
): boolean {
  return (object.metadata.generation ?? 0) > (object.status?.observedGeneration ?? 0);
}
