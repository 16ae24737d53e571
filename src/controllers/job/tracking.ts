/**
 * Which pods a sync counts, and which lose their finalizers, so that each pod is counted once even if it is deleted meanwhile: the status
 * lists a pod before its finalizer is removed, and counts it afterwards.
 * Source: kubernetes v1.36 pkg/controller/job/job_controller.go trackJobStatusAndRemoveFinalizers, canRemoveFinalizer,
 * cleanUncountedPodsWithoutFinalizers.
 */
import type { Pod } from "../../api/types.ts";
import { completionIndexOf, validIndexOf } from "./completion-index.ts";
import type { ConditionParts } from "./conditions.ts";
import { hasIndex } from "./intervals.ts";
import { failureOf, hasValidIndex, isUntouched, type JobIndexes, type JobPods } from "./job-pods.ts";
import { defaultOptions, type JobOptions } from "./options.ts";
import { completionsOf, hasFailed, hasSucceeded, isIndexed, type JobStatus, limitsEachIndex } from "./spec.ts";

type Uncounted = NonNullable<JobStatus["uncountedTerminatedPods"]>;

/** What a sync counts. */
export interface Tracking {
  /** Pods that lose their finalizers once the status is written. */
  readonly released: readonly Pod[];
  /** Uids that the status lists then, in order. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  /** Whether pods are left for the next sync. */
  readonly isFull: boolean;
}

/** What the plan is based on. */
export interface TrackingInput {
  readonly known: JobPods;
  /** Undefined for a Job that is not Indexed. */
  readonly indexes: JobIndexes | undefined;
  /** How the Job ends; set only if all its pods are known and deleted by now. */
  readonly end: ConditionParts | undefined;
  /** What the status lists by now. */
  readonly uncounted: Uncounted;
  readonly options?: Pick<JobOptions, "maxUncounted">;
}

/** Plans the counting. Stops once the status lists `maxUncounted` pods. */
export function planTracking(input: TrackingInput): Tracking {
  const { known, uncounted, options: { maxUncounted } = defaultOptions } = input;
  const released: Pod[] = [];
  // Indexes count towards the limit like uids: their pods lose finalizers, too.
  let indexes = 0;
  const [succeeded, failed] = [[...(uncounted.succeeded ?? [])], [...(uncounted.failed ?? [])]];
  for (const pod of inOrder(known)) {
    if (!isUntouched(known, pod) || !mayBeReleased(input, pod)) continue;
    released.push(pod);
    const { uid } = pod.metadata;
    const counted = countAs(input, pod);
    if (counted === "index") indexes++;
    else if (counted === "succeeded") succeeded.push(uid);
    else if (counted === "failed") failed.push(uid);
    if (indexes + succeeded.length + failed.length >= maxUncounted) {
      return { released, uncounted: { succeeded, failed }, isFull: true };
    }
  }
  return { released, uncounted: { succeeded, failed }, isFull: false };
}

/** Indexed pods are processed in index order. */
function inOrder({ job, pods }: JobPods): readonly Pod[] {
  if (!isIndexed(job)) return pods;
  return pods.toSorted((a, b) => (completionIndexOf(a) ?? -1) - (completionIndexOf(b) ?? -1));
}

/** A pod that has not terminated is released only when the whole Job ends. */
function mayBeReleased({ known, indexes, end }: TrackingInput, pod: Pod): boolean {
  const { job } = known;
  if (job.metadata.deletionTimestamp !== undefined || end !== undefined || hasSucceeded(pod)) return true;
  if (!hasFailed(pod, job)) return false;
  if (!limitsEachIndex(job)) return true;
  const replaced = indexes?.replaced.get(completionIndexOf(pod) ?? -1);
  return replaced?.metadata.uid !== pod.metadata.uid;
}

/** What the pod is counted as; undefined if it is already counted, or must not be. */
function countAs(input: TrackingInput, pod: Pod): "index" | "succeeded" | "failed" | undefined {
  const { known, indexes, end } = input;
  const { job, uncounted } = known;
  const { uid } = pod.metadata;
  if (hasSucceeded(pod) && !uncounted.failed.has(uid)) {
    if (!isIndexed(job)) return uncounted.succeeded.has(uid) ? undefined : "succeeded";
    // The index alone keeps the pod from being counted twice; its uid need not be recorded.
    const index = validIndexOf(pod, completionsOf(job) ?? 0);
    return index !== undefined && !hasIndex(indexes?.succeededBefore ?? [], index) ? "index" : undefined;
  }
  // A pod that has not terminated when the Job fails counts as failed.
  const jobFails = end !== undefined && end.type !== "SuccessCriteriaMet";
  if (!hasFailed(pod, job) && !jobFails) return undefined;
  if (uncounted.failed.has(uid) || !hasValidIndex(job, pod)) return undefined;
  return failureOf(job, pod).isCounted ? "failed" : undefined;
}

/**
 * The status with those pods counted that it lists and whose finalizers are gone; the same object if there are none. `tracked`: uids of the
 * pods that still have their finalizers.
 */
export function countUntracked(status: JobStatus, tracked: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const left = {
    succeeded: succeeded.filter((uid) => tracked.has(uid)),
    failed: failed.filter((uid) => tracked.has(uid)),
  };
  const counted = {
    succeeded: succeeded.length - left.succeeded.length,
    failed: failed.length - left.failed.length,
  };
  if (counted.succeeded + counted.failed === 0) return status;
  return {
    ...status,
    succeeded: (status.succeeded ?? 0) + counted.succeeded,
    failed: (status.failed ?? 0) + counted.failed,
    uncountedTerminatedPods: left,
  };
}
