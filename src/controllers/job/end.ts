/**
 * Whether a Job ends, and how: first by what its status already reports, then by its failures, then by its success policy.
 * Source: kubernetes v1.36 pkg/controller/job/job_controller.go syncJob, pastBackoffLimitOnFailure, pastActiveDeadline.
 */
import { readTime } from "../../api/time.ts";
import type { Job, Pod } from "../../api/types.ts";
import { type ConditionParts, trueCondition } from "./conditions.ts";
import { totalOf } from "./intervals.ts";
import { failedCount, failureOf, type JobIndexes, type JobPods } from "./job-pods.ts";
import { backoffLimitOf, completionsOf, hasFailed, isSuspended } from "./spec.ts";
import { matchSuccess } from "./success-policy.ts";

/** How a Job ends. */
export interface JobEnd {
  /** The condition that announces it or, if the status already has that one, the final condition. */
  readonly condition: ConditionParts;
  /** Whether the status has already announced it. */
  readonly isKnown: boolean;
}

/** What the decision is based on. */
export interface EndInput {
  readonly known: JobPods;
  /** Failed pods that the status does not include yet. */
  readonly newlyFailed: readonly Pod[];
  /** Undefined for a Job that is not Indexed. */
  readonly indexes: JobIndexes | undefined;
  /** `status.startTime`, as this sync will write it. */
  readonly startTime: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** How the Job ends; undefined if it continues. */
export function endOf(input: EndInput): JobEnd | undefined {
  return (
    alreadyAnnounced(input.known.job) ??
    endByFailurePolicy(input.known) ??
    (exceedsBackoffLimit(input)
      ? failure("BackoffLimitExceeded", "Job has reached the specified backoff limit")
      : undefined) ??
    (deadlineInMs(input) <= 0
      ? failure("DeadlineExceeded", "Job was active longer than specified deadline")
      : undefined) ??
    endByIndexes(input)
  );
}

function announced(condition: ConditionParts): JobEnd {
  return { condition, isKnown: false };
}

function failure(reason: string, message: string): JobEnd {
  return announced({ type: "FailureTarget", reason, message });
}

/** What an earlier sync decided is final. */
function alreadyAnnounced({ status }: Job): JobEnd | undefined {
  const success = trueCondition(status, "SuccessCriteriaMet");
  const known = success ?? trueCondition(status, "FailureTarget");
  if (known === undefined) return undefined;
  const { reason = "", message = "" } = known;
  return {
    condition: { type: success === undefined ? "Failed" : "SuccessCriteriaMet", reason, message },
    isKnown: true,
  };
}

function endByFailurePolicy({ job, pods }: JobPods): JobEnd | undefined {
  if (job.spec?.podFailurePolicy === undefined) return undefined;
  for (const pod of pods) {
    const message = hasFailed(pod, job) ? failureOf(job, pod).message : undefined;
    if (message !== undefined) return failure("PodFailurePolicy", message);
  }
  return undefined;
}

function exceedsBackoffLimit({ known, newlyFailed }: EndInput): boolean {
  const { job, pods } = known;
  const limit = backoffLimitOf(job);
  if (failedCount(known, newlyFailed) > limit) return true;
  if (job.spec?.template.spec?.restartPolicy !== "OnFailure") return false;
  const restarts = restartsOf(pods);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** Restarts of containers in pods that have not terminated: they are the failures of a Job whose pods restart their containers. */
function restartsOf(pods: readonly Pod[]): number {
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== "Running" && status?.phase !== "Pending") continue;
    const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
    for (const { restartCount } of statuses) restarts += restartCount;
  }
  return restarts;
}

/** How long the Job may still be active, in ms; Infinity without a deadline, or while it is suspended. */
export function deadlineInMs({ known, startTime, now }: Pick<EndInput, "known" | "startTime" | "now">): number {
  const seconds = known.job.spec?.activeDeadlineSeconds;
  const startedAt = readTime(startTime);
  if (seconds === undefined || startedAt === undefined || isSuspended(known.job)) return Infinity;
  return seconds * 1000 - (now - startedAt);
}

function endByIndexes({ known, indexes }: EndInput): JobEnd | undefined {
  if (indexes === undefined) return undefined;
  const { spec } = known.job;
  const completions = completionsOf(known.job) ?? 0;
  const failed = totalOf(indexes.failed ?? []);
  if (failed > (spec?.maxFailedIndexes ?? Infinity)) {
    const message = "Job has exceeded the specified maximal number of failed indexes";
    return failure("MaxFailedIndexesExceeded", message);
  }
  if (failed > 0 && failed + totalOf(indexes.succeeded) >= completions) {
    return failure("FailedIndexes", "Job has failed indexes");
  }
  const met = matchSuccess(spec?.successPolicy, { completions, succeeded: indexes.succeeded });
  if (met === undefined) return undefined;
  return announced({ type: "SuccessCriteriaMet", reason: "SuccessPolicy", message: `Matched rules at index ${met}` });
}

/** The end of a Job with all its completions. */
export const completionsReached: JobEnd = announced({
  type: "SuccessCriteriaMet",
  reason: "CompletionsReached",
  message: "Reached expected number of succeeded pods",
});

/** Whether the Job has all its completions and no active pods. A work queue, which specifies no completions, needs one success. */
export function isComplete(
  job: Job,
  { succeeded, active }: { readonly succeeded: number; readonly active: number },
): boolean {
  return succeeded >= (completionsOf(job) ?? 1) && active === 0;
}
