/**
 * Maps a change of a pod to the Services whose endpoints may change.
 * Source: endpointslice v0.36 util/controller_utils.go GetPodUpdateProjectionKey, GetServicesToUpdate; differs: pods have no queue of
 * their own, so that the trigger of a Service's key is the pod's delta, and an index finds the Services.
 */
import { deepEqual } from "../../../api/field-changes.ts";
import { keyOf, type ObjectKey } from "../../../api/key.ts";
import { Pods, Services } from "../../../api/kinds.ts";
import { type Labels, matches, selectorOfLabels } from "../../../api/labels.ts";
import type { Pod, Service } from "../../../api/types.ts";
import type { Lister } from "../../../cache/lister.ts";
import { type Notification, type Watch, watch, type WatchContext } from "../../api/definition.ts";
import { isPodReady } from "../pod-status.ts";

/** The index of Services by one label of their selector. */
export const selectorIndex = "selector";

/** The values of a Service in `selectorIndex`; none without a selector. */
export function indexBySelector({ metadata, spec }: Service): readonly string[] {
  const [first] = Object.entries(spec?.selector ?? {});
  return first === undefined ? [] : [labelValue(metadata.namespace, first)];
}

function labelValue(namespace: string | undefined, [key, value]: readonly [string, string]): string {
  return `${namespace ?? ""}/${key}=${value}`;
}

/** A watch of pods: a change enqueues the Services that select, or selected, the pod, if their endpoints may change. */
export function watchPodsOfServices(): Watch {
  return watch<Pod>({ kind: Pods, on: onPod });
}

function onPod(notification: Notification<Pod>, context: WatchContext): void {
  for (const key of servicesToSync(notification, context.cache(Services))) context.enqueue(key);
}

function servicesToSync(notification: Notification<Pod>, services: Lister<Service>): Iterable<ObjectKey> {
  const { object: pod } = notification;
  const now = servicesOf(pod, services);
  if (notification.type !== "updated") return now;
  const { before } = notification;
  if (before.metadata.resourceVersion === pod.metadata.resourceVersion) return [];
  const changed = haveEndpointsChanged(before, pod);
  if (!isSelectedOtherwise(before, pod)) return changed ? now : [];
  const earlier = servicesOf(before, services);
  if (changed) return new Set([...now, ...earlier]);
  return [...[...now].filter((key) => !earlier.has(key)), ...[...earlier].filter((key) => !now.has(key))];
}

/** Keys of the Services that select a pod. */
function servicesOf({ metadata: { namespace, labels = {} } }: Pod, services: Lister<Service>): Set<ObjectKey> {
  const found = new Set<ObjectKey>();
  for (const label of Object.entries(labels)) {
    for (const service of services.byIndex(selectorIndex, labelValue(namespace, label)))
      if (selects(service, labels)) found.add(keyOf(service));
  }
  return found;
}

function selects({ spec }: Service, labels: Labels): boolean {
  return matches(selectorOfLabels(spec?.selector), labels);
}

/** Whether the labels or the hostname have changed, so that other Services may select the pod or its DNS name may change. */
function isSelectedOtherwise(before: Pod, after: Pod): boolean {
  return (
    !deepEqual(before.metadata.labels ?? {}, after.metadata.labels ?? {}) ||
    before.spec?.hostname !== after.spec?.hostname ||
    before.spec?.subdomain !== after.spec?.subdomain
  );
}

/** Whether endpoints may change. Any change of a pod that is being deleted counts, because upstream compares deletion times by pointer. */
function haveEndpointsChanged(before: Pod, after: Pod): boolean {
  if (before.metadata.deletionTimestamp !== undefined || after.metadata.deletionTimestamp !== undefined) return true;
  if (isPodReady(before) !== isPodReady(after)) return true;
  return !deepEqual(before.status?.podIPs ?? [], after.status?.podIPs ?? []);
}
