/**
 * A Job and its pods as one sync sees them: which pods count, and as what.
 * Source: kubernetes v1.36 pkg/controller/job/job_controller.go getNewFinishedPods, getValidPodsWithFilter;
 * indexed_job_utils.go calculateSucceededIndexes, calculateFailedIndexes, getPodsWithDelayedDeletionPerIndex.
 */
import type { Job, Pod } from "../../api/types.ts";
import { isPodActive } from "../../controller/workload/pod-status.ts";
import { completionIndexOf, failuresBefore, indexesOf, validIndexOf } from "./completion-index.ts";
import { finishTime } from "./finish-time.ts";
import { hasIndex, type Intervals, parseIntervals, withIndexes } from "./intervals.ts";
import { type FailureMatch, matchFailure } from "./pod-failure-policy.ts";
import { completionsOf, hasFailed, hasSucceeded, isIndexed, isTracked, limitsEachIndex } from "./spec.ts";

/** What is known about a Job when its sync begins. */
export interface JobPods {
  readonly job: Job;
  /** All pods that it controls, including those just adopted. */
  readonly pods: readonly Pod[];
  /** Neither terminated nor being deleted. */
  readonly active: readonly Pod[];
  /** Uids of pods that the status lists; they are counted once their finalizers are gone. */
  readonly uncounted: { readonly succeeded: ReadonlySet<string>; readonly failed: ReadonlySet<string> };
  /** Uids of pods whose finalizers are removed, which the cache does not show yet. */
  readonly unseenRemovals: ReadonlySet<string>;
}

/** The pods, with what the status records about them. */
export function jobPods(job: Job, { pods, unseenRemovals }: Pick<JobPods, "pods" | "unseenRemovals">): JobPods {
  const { succeeded = [], failed = [] } = job.status?.uncountedTerminatedPods ?? {};
  return {
    job,
    pods,
    active: pods.filter(isPodActive),
    uncounted: { succeeded: new Set(succeeded), failed: new Set(failed) },
    unseenRemovals,
  };
}

/** Whether the pod's index is valid for the Job; true if the Job's pods have none. */
export function hasValidIndex(job: Job, pod: Pod): boolean {
  return !isIndexed(job) || validIndexOf(pod, completionsOf(job) ?? 0) !== undefined;
}

/** Whether the pod has yet to be counted: it has its finalizer, and this controller has not removed it. */
export function isUntouched({ unseenRemovals }: JobPods, pod: Pod): boolean {
  return isTracked(pod) && !unseenRemovals.has(pod.metadata.uid);
}

/** What the Job's pod failure policy requires for a failed pod. */
export function failureOf(job: Job, pod: Pod): FailureMatch {
  return matchFailure(job.spec?.podFailurePolicy, pod);
}

/** Terminated pods that the status does not include yet. */
export function newlyEnded(known: JobPods): { readonly succeeded: readonly Pod[]; readonly failed: readonly Pod[] } {
  const { job, uncounted } = known;
  const countable = known.pods.filter((pod) => isUntouched(known, pod) && hasValidIndex(job, pod));
  return {
    succeeded: countable.filter((pod) => !uncounted.succeeded.has(pod.metadata.uid) && hasSucceeded(pod)),
    failed: countable.filter((pod) => !uncounted.failed.has(pod.metadata.uid) && hasFailed(pod, job)),
  };
}

/** How many pods have failed: those the status counts, those it lists, and new ones that the failure policy does not ignore. */
export function failedCount({ job, uncounted }: JobPods, newlyFailed: readonly Pod[]): number {
  const counted = newlyFailed.filter((pod) => failureOf(job, pod).isCounted);
  return (job.status?.failed ?? 0) + counted.length + uncounted.failed.size;
}

/** The indexes of an Indexed Job. */
export interface JobIndexes {
  /** By the status alone. */
  readonly succeededBefore: Intervals;
  /** Plus those of pods that have succeeded since. */
  readonly succeeded: Intervals;
  /** Undefined for a Job that does not limit failures per index. */
  readonly failed: Intervals | undefined;
  /** The last failed pod of each index that needs a new one. It is kept until then: its annotations record how often its index failed. */
  readonly replaced: ReadonlyMap<number, Pod>;
}

/** The indexes that have succeeded, and those that have failed for good. */
export function jobIndexes(known: JobPods): JobIndexes {
  const { job, pods } = known;
  const completions = completionsOf(job) ?? 0;
  const indexesWhere = (is: (pod: Pod) => boolean): readonly number[] =>
    pods.filter((pod) => isTracked(pod) && is(pod)).flatMap((pod) => validIndexOf(pod, completions) ?? []);
  const succeededBefore = parseIntervals(job.status?.completedIndexes, completions);
  const succeeded = withIndexes(succeededBefore, indexesWhere(hasSucceeded));
  if (!limitsEachIndex(job)) return { succeededBefore, succeeded, failed: undefined, replaced: new Map() };
  const failedBefore = parseIntervals(job.status?.failedIndexes, completions);
  const failed = withIndexes(
    failedBefore,
    indexesWhere((pod) => failsItsIndex(job, pod)),
  );
  return { succeededBefore, succeeded, failed, replaced: replacedPods(known, { succeeded, failed }) };
}

/** Whether the pod's failure makes its index fail. */
function failsItsIndex(job: Job, pod: Pod): boolean {
  if (!hasFailed(pod, job)) return false;
  const { action, isCounted } = failureOf(job, pod);
  if (action === "FailIndex") return true;
  return isCounted && failuresBefore(pod).counted >= (job.spec?.backoffLimitPerIndex ?? 0);
}

function replacedPods(
  known: JobPods,
  { succeeded, failed }: { readonly succeeded: Intervals; readonly failed: Intervals },
): ReadonlyMap<number, Pod> {
  const { job } = known;
  const active = indexesOf(known.active);
  const last = new Map<number, Pod>();
  for (const pod of known.pods) {
    const index = completionIndexOf(pod);
    if (index === undefined || !isUntouched(known, pod) || !hasValidIndex(job, pod) || !hasFailed(pod, job)) continue;
    if (hasIndex(succeeded, index) || hasIndex(failed, index) || active.has(index)) continue;
    const other = last.get(index);
    if (other === undefined || isLater(pod, other)) last.set(index, pod);
  }
  return last;
}

function isLater(pod: Pod, other: Pod): boolean {
  const total = (of: Pod): number => failuresBefore(of).counted + failuresBefore(of).ignored;
  return total(other) <= total(pod) && finishTime(pod) >= finishTime(other);
}
