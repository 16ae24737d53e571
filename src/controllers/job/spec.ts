/**
 * What a Job's spec requests, with the API server's defaults, and what the states of its pods mean for it.
 * Source: kubernetes v1.36 pkg/controller/job/job_controller.go; feature gates at their defaults.
 */
import type { Job, Pod } from "../../api/types.ts";
import { isPodTerminal } from "../../controller/workload/pod-status.ts";

/** `status` of a Job. */
export type JobStatus = NonNullable<Job["status"]>;
/** A condition of that status. */
export type JobCondition = NonNullable<JobStatus["conditions"]>[number];

/** Keeps a pod until its Job has counted it. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking";
/** `spec.managedBy` of Jobs that this controller manages; it also manages those without one. */
const ownManager = "kubernetes.io/job-controller";

/** How many pods run at the same time. */
export function parallelismOf({ spec }: Job): number {
  return spec?.parallelism ?? 1;
}

/** How many pods must succeed; undefined for a work queue, which is complete when its pods have ended and one of them succeeded. */
export function completionsOf({ spec }: Job): number | undefined {
  return spec?.completions;
}

/** How many pods may fail. */
export function backoffLimitOf({ spec }: Job): number {
  return spec?.backoffLimit ?? 6;
}

/** Whether each pod has its own completion index. */
export function isIndexed({ spec }: Job): boolean {
  return spec?.completionMode === "Indexed";
}

/** Whether failures are limited and delayed per index, not for the Job as a whole. */
export function limitsEachIndex({ spec }: Job): boolean {
  return spec?.backoffLimitPerIndex !== undefined;
}

/** Whether the Job should run no pods for now. */
export function isSuspended({ spec }: Job): boolean {
  return spec?.suspend === true;
}

/** Whether a pod being deleted is replaced only once it has terminated; otherwise at once. */
export function replacesOnlyFailed({ spec }: Job): boolean {
  return spec?.podReplacementPolicy === "Failed" || spec?.podFailurePolicy !== undefined;
}

/** The other controller that manages the Job; undefined if this one does. */
export function otherManager({ spec }: Job): string | undefined {
  const manager = spec?.managedBy;
  return manager === ownManager ? undefined : manager;
}

/** Whether the pod has not been counted yet. */
export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(trackingFinalizer) === true;
}

/** Whether the pod has succeeded. */
export function hasSucceeded({ status }: Pod): boolean {
  return status?.phase === "Succeeded";
}

/** Whether the pod counts as failed. So does a pod being deleted, unless the Job waits to see how it ends. */
export function hasFailed(pod: Pod, job: Job): boolean {
  if (pod.status?.phase === "Failed") return true;
  if (replacesOnlyFailed(job)) return false;
  // It may never reach phase Failed: if its node is gone, nothing reports that the pod has terminated.
  return pod.metadata.deletionTimestamp !== undefined && !isPodTerminal(pod);
}
