/**
 * Watches the dependents of a controller's primary objects: a change enqueues the owner and fulfils its expectations.
 * Source: kubernetes v1.36 pkg/controller/replicaset/replica_set.go addPod, updatePod, deletePod; deployment/deployment_controller.go.
 */
import { deepEqual } from "../../api/field-changes.ts";
import { keyOf, objectKey } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import { matches, matchesEverything, type Selector, selectorOrNothing } from "../../api/labels.ts";
import type { ObjectMeta, OwnerReference, StoredObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { Lister } from "../../cache/lister.ts";
import { type Notification, type Watch, watch, type WatchContext } from "./definition.ts";

/** The index of objects by their controlling owner, or by their namespace if they have none. */
export const controllerIndex = "controller";

function controllerIndexValue(
  namespace: string,
  controller: Pick<OwnerReference, "kind" | "name" | "uid"> | undefined,
): string {
  return controller === undefined ? namespace : `${namespace}/${controller.kind}/${controller.name}/${controller.uid}`;
}

/** The values of an object in `controllerIndex`. */
export function indexByController(object: { readonly metadata: ObjectMeta }): readonly string[] {
  return [controllerIndexValue(object.metadata.namespace ?? "", controllerOf(object))];
}

/**
 * The objects controlled by the owner, according to their owner references. `lister` must be the cache of a kind that is watched with
 * `watchOwned`, which adds the index that this reads.
 *
 * @throws RangeError if the cache does not have that index.
 * @example
 * ```ts
 * import { kinds, ownedBy, type SyncContext } from "kubectl-reconcile";
 *
 * function readyPods(key: string, context: SyncContext): number {
 *   const owner = context.cache(kinds.ReplicaSets).get(key);
 *   if (owner === undefined) return 0;
 *   return ownedBy(context.cache(kinds.Pods), owner, kinds.ReplicaSets).filter(({ status }) => status?.phase === "Running").length;
 * }
 * console.log(readyPods.name);
 * ```
 */
export function ownedBy<T extends StoredObject>(lister: Lister<T>, owner: StoredObject, ownerKind: Kind): readonly T[] {
  const { namespace = "", name, uid } = owner.metadata;
  return lister.byIndex(controllerIndex, controllerIndexValue(namespace, { kind: ownerKind.kind, name, uid }));
}

/** The objects controlled by the owner, then the orphans in its namespace, some of which it may adopt. */
export function ownedAndOrphaned<T extends StoredObject>(lister: Lister<T>, owner: StoredObject, ownerKind: Kind): T[] {
  const orphans = lister.byIndex(controllerIndex, controllerIndexValue(owner.metadata.namespace ?? "", undefined));
  return [...ownedBy(lister, owner, ownerKind), ...orphans];
}

/** Options of `watchOwned`. */
export interface OwnedOptions<O extends StoredObject, T extends StoredObject> {
  /** The kind of the owned objects. */
  readonly kind: Kind<T>;
  /** The kind of their owners: the controller's primary kind. */
  readonly ownerKind: Kind<O>;
  /** The selector of orphans that the owner may adopt. If it throws a RangeError, there are none. */
  selectorOf(owner: O): Selector;
  /**
   * Whether the controller uses expectations for these objects. A deletion counts as observed as soon as the object has a deletionTimestamp.
   */
  readonly expected: boolean;
  /** `false`: an added object does not enqueue its controller. */
  readonly addedEnqueues?: false;
  /** Further indexes of the cache. */
  readonly indexes?: NonNullable<Watch<T>["indexes"]>;
  /** Delays owners by this time, in ms, so that the changes of that time share one sync. Default 0. */
  readonly batchMs?: number;
  /** Called with an object and its owner for each notification, before the owner is enqueued; `isGone` if the object was deleted. */
  observed?(
    observation: { readonly object: T; readonly owner: O; readonly isGone: boolean },
    context: WatchContext,
  ): void;
  /** Called after an update: returns the delay and reason for enqueuing the owner once more; undefined for not doing so. */
  requeueAfter?(before: T, after: T, owner: O): { readonly ms: number; readonly why: string } | undefined;
}

/**
 * Creates a watch of owned objects. A change of an object enqueues its controlling owner, found by name and checked by uid. An orphan
 * enqueues every owner whose selector matches when it is added, or when its labels or its controller change. A resync enqueues nothing.
 *
 * @example
 * ```ts
 * import { kinds, watchOwned } from "kubectl-reconcile";
 *
 * const pods = watchOwned({
 *   kind: kinds.Pods,
 *   ownerKind: kinds.ReplicaSets,
 *   // Pods without an owner enqueue nobody.
 *   selectorOf: () => "nothing",
 *   expected: true,
 * });
 * console.log(pods.owned);
 * ```
 */
export function watchOwned<O extends StoredObject, T extends StoredObject>(options: OwnedOptions<O, T>): Watch {
  const owners = new OwnerEnqueuer(options);
  return watch<T>({
    kind: options.kind,
    owned: true,
    indexes: { ...options.indexes, [controllerIndex]: indexByController },
    on(notification, context) {
      switch (notification.type) {
        case "added":
          owners.added(notification.object, context);
          return;
        case "updated":
          owners.updated(notification, context);
          return;
        case "deleted":
          owners.deleted({ object: notification.object, isGone: true }, context);
          return;
      }
    },
  });
}

interface Observation<T> {
  readonly object: T;
  readonly isGone?: boolean;
}

/** Enqueues the owners affected by a change of an owned object. */
class OwnerEnqueuer<O extends StoredObject, T extends StoredObject> {
  readonly #options: OwnedOptions<O, T>;

  constructor(options: OwnedOptions<O, T>) {
    this.#options = options;
  }

  added(object: T, context: WatchContext): void {
    // After a restart, an object may first be seen while it is being deleted: this is not a creation.
    if (object.metadata.deletionTimestamp !== undefined) {
      this.deleted({ object }, context);
      return;
    }
    if (controllerOf(object) === undefined) {
      this.#enqueueMatching(object, context);
      return;
    }
    const owner = this.#ownerOf(object, context);
    if (owner === undefined) return;
    const key = keyOf(owner);
    if (this.#options.expected) context.expectations.creationObserved(key);
    if (this.#options.addedEnqueues !== false) this.#enqueue(owner, { object, context });
  }

  updated({ before, object: after }: Notification<T> & { readonly type: "updated" }, context: WatchContext): void {
    if (before.metadata.resourceVersion === after.metadata.resourceVersion) return;
    const labelsChanged = !deepEqual(before.metadata.labels ?? {}, after.metadata.labels ?? {});
    if (this.#options.expected && after.metadata.deletionTimestamp !== undefined) {
      // The controller may replace the object at once, without waiting for its containers to end.
      this.deleted({ object: after }, context);
      if (labelsChanged) this.deleted({ object: before }, context);
      return;
    }
    const controller = controllerOf(after);
    const controllerChanged = !deepEqual(controllerOf(before), controller);
    if (controllerChanged) {
      const oldOwner = this.#ownerOf(before, context);
      if (oldOwner !== undefined) this.#enqueue(oldOwner, { object: after, context });
    }
    if (controller === undefined) {
      if (labelsChanged || controllerChanged) this.#enqueueMatching(after, context);
      return;
    }
    const owner = this.#ownerOf(after, context);
    if (owner === undefined) return;
    this.#enqueue(owner, { object: after, context });
    const later = this.#options.requeueAfter?.(before, after, owner);
    if (later !== undefined) context.enqueueAfter(keyOf(owner), later.ms, later.why);
  }

  /** Handles an object that is being deleted or, if `isGone`, was removed. */
  deleted({ object, isGone = false }: Observation<T>, context: WatchContext): void {
    const owner = this.#ownerOf(object, context);
    if (owner === undefined) return;
    if (this.#options.expected) context.expectations.deletionObserved(keyOf(owner), keyOf(object));
    this.#enqueue(owner, { object, isGone, context });
  }

  #enqueue(owner: O, { object, isGone = false, context }: Observation<T> & { readonly context: WatchContext }): void {
    this.#options.observed?.({ object, owner, isGone }, context);
    context.enqueue(keyOf(owner), this.#options.batchMs);
  }

  /** The object's controlling owner, if it is of our kind and has the same uid. */
  #ownerOf(object: T, context: WatchContext): O | undefined {
    const { ownerKind } = this.#options;
    const controller = controllerOf(object);
    if (controller?.kind !== ownerKind.kind) return undefined;
    const owner = context.cache(ownerKind).get(objectKey(object.metadata.namespace, controller.name));
    return owner?.metadata.uid === controller.uid ? owner : undefined;
  }

  /** Enqueues the owners that may adopt an orphan. */
  #enqueueMatching(object: T, context: WatchContext): void {
    const { labels, namespace } = object.metadata;
    if (labels === undefined || Object.keys(labels).length === 0) return;
    for (const owner of context.cache(this.#options.ownerKind).list(namespace)) {
      if (this.#selects(owner, labels)) context.enqueue(keyOf(owner), this.#options.batchMs);
    }
  }

  #selects(owner: O, labels: Readonly<Record<string, string>>): boolean {
    const selector = selectorOrNothing(() => this.#options.selectorOf(owner));
    // An empty selector selects nothing here, instead of every orphan in the namespace.
    return !matchesEverything(selector) && matches(selector, labels);
  }
}
