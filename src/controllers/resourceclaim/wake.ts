/**
 * What enqueues a pod, and what a claim. Source: kubernetes v1.36 pkg/controller/resourceclaim/controller.go enqueuePod, podNeedsWork,
 * enqueueResourceClaim, enqueueResourceClaimTemplate.
 */
import { keyOf, objectKey } from "../../api/key.ts";
import { Pods, ResourceClaims } from "../../api/kinds.ts";
import type { Pod, ResourceClaim, ResourceClaimTemplate } from "../../api/types.ts";
import type { Notification, WatchContext } from "../../controller/api/definition.ts";
import {
  deviceClaimIndex,
  deviceClaimKeysOf,
  isControlledBy,
  isReservedFor,
  meantBy,
  type PodClaim,
  podClaimsOf,
} from "../../api/device-claims.ts";
import { podKey } from "../../controller/workload/pod-key.ts";
import { gonePods } from "./memory.ts";
import { extendedClaimOf, isPodDone, templateIndex } from "./references.ts";

/** Handles a change of a pod. */
export function onPod({ type, object: pod }: Notification<Pod>, context: WatchContext): void {
  const isGone = type === "deleted";
  if (isGone && usesClaims(pod)) context.state(gonePods).set(pod.metadata.uid, true);
  wakePod(pod, { context, isGone });
}

/** Handles a change of a claim: reservations for deleted pods surface when it is first observed, or changes. */
export function onClaim({ type, object: claim }: Notification<ResourceClaim>, context: WatchContext): void {
  if (type !== "deleted") context.enqueue(keyOf(claim));
  for (const pod of context.cache(Pods).byIndex(deviceClaimIndex, keyOf(claim)))
    wakePod(pod, { context, isGone: false });
}

/** Handles a change of a template: pods may be waiting for it. */
export function onTemplate({ type, object }: Notification<ResourceClaimTemplate>, context: WatchContext): void {
  if (type === "deleted") return;
  for (const pod of context.cache(Pods).byIndex(templateIndex, keyOf(object))) wakePod(pod, { context, isGone: false });
}

function usesClaims(pod: Pod): boolean {
  return podClaimsOf(pod).length > 0 || extendedClaimOf(pod) !== undefined;
}

function wakePod(pod: Pod, { context, isGone }: { readonly context: WatchContext; readonly isGone: boolean }): void {
  if (!usesClaims(pod)) return;
  if (isGone || isPodDone(pod)) {
    for (const key of deviceClaimKeysOf(pod)) context.enqueue(key);
    const extended = extendedClaimOf(pod);
    if (extended !== undefined) context.enqueue(objectKey(pod.metadata.namespace, extended));
  }
  // Includes terminated pods: upstream also creates their claims, and deletes them at once.
  if (
    pod.metadata.deletionTimestamp === undefined &&
    podClaimsOf(pod).some((entry) => needsWork(context, { pod, entry }))
  )
    context.enqueue(podKey(pod));
}

function needsWork(context: WatchContext, { pod, entry }: { readonly pod: Pod; readonly entry: PodClaim }): boolean {
  const meant = meantBy(pod, entry);
  if (meant.is === "not-needed") return false;
  if (meant.is !== "named") return true;
  const claim = context.cache(ResourceClaims).getNamespaced(pod.metadata.namespace ?? "", meant.name);
  // A claim that is not generated must be created by its user.
  if (claim === undefined) return meant.isGenerated;
  // It gets no other claim while that one exists.
  if (meant.isGenerated && !isControlledBy(claim, pod)) return false;
  return needsReservation(pod, claim);
}

/** Whether the pod has a node, so the scheduler is done with it, but the claim's devices are not reserved for it. */
export function needsReservation(pod: Pod, claim: ResourceClaim): boolean {
  return (pod.spec?.nodeName ?? "") !== "" && claim.status?.allocation !== undefined && !isReservedFor(claim, pod);
}
