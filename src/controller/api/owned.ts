/**
 * The watch of objects that a controller's primary objects own: which keys a change of one enqueues, and which expectations
 * it settles.
 * Source: kubernetes v1.36 pkg/controller/replicaset/replica_set.go addPod, updatePod, deletePod; deployment/deployment_controller.go.
 */
import { deepEqual } from "../../api/field-changes.ts";
import { keyOf, objectKey, type ObjectKey } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import { matches, matchesEverything, type Selector } from "../../api/labels.ts";
import type { ObjectMeta, OwnerReference, StoredObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { Lister } from "../../cache/lister.ts";
import { type Notification, type Watch, watch, type WatchContext } from "./definition.ts";

/** The index of objects by their controller, or by their namespace if they have none. */
export const controllerIndex = "controller";

function controllerIndexValue(
  namespace: string,
  controller: Pick<OwnerReference, "kind" | "name" | "uid"> | undefined,
): string {
  return controller === undefined ? namespace : `${namespace}/${controller.kind}/${controller.name}/${controller.uid}`;
}

/** What an object is found by in `controllerIndex`. */
export function indexByController(object: { readonly metadata: ObjectMeta }): readonly string[] {
  return [controllerIndexValue(object.metadata.namespace ?? "", controllerOf(object))];
}

/**
 * The objects that the owner controls, by their owner reference. `lister` is the cache of a kind that is watched with `watchOwned`, which
 * adds the index that this reads.
 *
 * @throws RangeError for a cache without that index.
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

/** The objects that the owner controls, then those of its namespace without a controller: it may adopt some. */
export function ownedAndOrphaned<T extends StoredObject>(lister: Lister<T>, owner: StoredObject, ownerKind: Kind): T[] {
  const orphans = lister.byIndex(controllerIndex, controllerIndexValue(owner.metadata.namespace ?? "", undefined));
  return [...ownedBy(lister, owner, ownerKind), ...orphans];
}

/** The kinds of a watch of owned objects, and how an orphan finds the owners that may adopt it. */
export interface OwnedOptions<O extends StoredObject, T extends StoredObject> {
  /** The kind of the owned objects. */
  readonly kind: Kind<T>;
  /** The kind of their owners: the controller's primary kind. */
  readonly ownerKind: Kind<O>;
  /** A RangeError is taken for a selector that matches nothing. */
  selectorOf(owner: O): Selector;
  /**
   * Whether the controller expects creations and deletions of these objects. A deletion counts as seen as soon as the object has
   * a deletionTimestamp.
   */
  readonly expected: boolean;
  /** After an update: whether to enqueue the owner once more, in how many ms, and why. */
  requeueAfter?(before: T, after: T, owner: O): { readonly ms: number; readonly why: string } | undefined;
}

/**
 * The watch of owned objects. A change of an object enqueues its controller, found by name and checked by uid; an
 * object without a controller enqueues every owner whose selector matches, when it is added or its labels or its controller change. A
 * resync enqueues nothing.
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
  return watch<T>({
    kind: options.kind,
    owned: true,
    indexes: { [controllerIndex]: indexByController },
    on(notification: Notification<T>, context: WatchContext): void {
      switch (notification.type) {
        case "added":
          onAdded(notification.object, options, context);
          return;
        case "updated":
          onUpdated(notification.before, notification.object, options, context);
          return;
        case "deleted":
          onDeleted(notification.object, options, context);
          return;
      }
    },
  });
}

function onAdded<O extends StoredObject, T extends StoredObject>(
  object: T,
  options: OwnedOptions<O, T>,
  context: WatchContext,
): void {
  // After a restart an object may first be seen on its way out: that is no creation.
  if (object.metadata.deletionTimestamp !== undefined) {
    onDeleted(object, options, context);
    return;
  }
  const controller = controllerOf(object);
  if (controller === undefined) {
    enqueueMatchingOwners(object, options, context);
    return;
  }
  const owner = resolve(object.metadata.namespace, controller, options, context);
  if (owner === undefined) return;
  const key = keyOf(owner);
  if (options.expected) context.expectations.creationObserved(key);
  context.enqueue(key);
}

function onUpdated<O extends StoredObject, T extends StoredObject>(
  before: T,
  after: T,
  options: OwnedOptions<O, T>,
  context: WatchContext,
): void {
  if (before.metadata.resourceVersion === after.metadata.resourceVersion) return;
  const labelsChanged = !deepEqual(before.metadata.labels ?? {}, after.metadata.labels ?? {});
  if (options.expected && after.metadata.deletionTimestamp !== undefined) {
    // The controller may make up for the loss at once; it need not wait until the last container has ended.
    onDeleted(after, options, context);
    if (labelsChanged) onDeleted(before, options, context);
    return;
  }
  const [oldController, controller] = [controllerOf(before), controllerOf(after)];
  const controllerChanged = !deepEqual(oldController, controller);
  if (controllerChanged && oldController !== undefined) {
    const oldOwner = resolve(before.metadata.namespace, oldController, options, context);
    if (oldOwner !== undefined) context.enqueue(keyOf(oldOwner));
  }
  if (controller === undefined) {
    if (labelsChanged || controllerChanged) enqueueMatchingOwners(after, options, context);
    return;
  }
  const owner = resolve(after.metadata.namespace, controller, options, context);
  if (owner === undefined) return;
  context.enqueue(keyOf(owner));
  const later = options.requeueAfter?.(before, after, owner);
  if (later !== undefined) context.enqueueAfter(keyOf(owner), later.ms, later.why);
}

function onDeleted<O extends StoredObject, T extends StoredObject>(
  object: T,
  options: OwnedOptions<O, T>,
  context: WatchContext,
): void {
  const controller = controllerOf(object);
  if (controller === undefined) return;
  const owner = resolve(object.metadata.namespace, controller, options, context);
  if (owner === undefined) return;
  const key: ObjectKey = keyOf(owner);
  if (options.expected) context.expectations.deletionObserved(key, keyOf(object));
  context.enqueue(key);
}

/** The owner that a reference means, if it is of our kind and still the same one. */
function resolve<O extends StoredObject, T extends StoredObject>(
  namespace: string | undefined,
  controller: OwnerReference,
  { ownerKind }: OwnedOptions<O, T>,
  context: WatchContext,
): O | undefined {
  if (controller.kind !== ownerKind.kind) return undefined;
  const owner = context.cache(ownerKind).get(objectKey(namespace, controller.name));
  return owner?.metadata.uid === controller.uid ? owner : undefined;
}

function enqueueMatchingOwners<O extends StoredObject, T extends StoredObject>(
  object: T,
  options: OwnedOptions<O, T>,
  context: WatchContext,
): void {
  const { labels, namespace } = object.metadata;
  if (labels === undefined || Object.keys(labels).length === 0) return;
  for (const owner of context.cache(options.ownerKind).list(namespace)) {
    if (selects(owner, labels, options)) context.enqueue(keyOf(owner));
  }
}

function selects<O extends StoredObject, T extends StoredObject>(
  owner: O,
  labels: Readonly<Record<string, string>>,
  options: OwnedOptions<O, T>,
): boolean {
  try {
    const selector = options.selectorOf(owner);
    // An empty selector would select every orphan of the namespace; it selects none.
    return !matchesEverything(selector) && matches(selector, labels);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
