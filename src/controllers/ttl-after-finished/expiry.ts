/**
 * When a finished Job expires.
 * Source: kubernetes v1.36 pkg/controller/ttlafterfinished/ttlafterfinished_controller.go needsCleanup, timeLeft, jobFinishTime.
 */
import { keyOf } from "../../api/key.ts";
import { readTime } from "../../api/time.ts";
import type { Job } from "../../api/types.ts";
import { finishedCondition } from "../../controller/workload/job-status.ts";

/** When a Job finished, and when it expires, in ms since 1970. */
export interface Expiry {
  readonly finishedAt: number;
  readonly expiresAt: number;
}

/** Whether the Job has finished, has a TTL, and is not being deleted yet. */
export function needsCleanup(job: Job): boolean {
  const { metadata, spec } = job;
  return (
    metadata.deletionTimestamp === undefined &&
    spec?.ttlSecondsAfterFinished !== undefined &&
    finishedCondition(job) !== undefined
  );
}

/**
 * Undefined for a Job that needs no cleanup.
 * @throws Error for a finished Job that does not say when it finished.
 */
export function expiryOf(job: Job): Expiry | undefined {
  if (!needsCleanup(job)) return undefined;
  const finishedAt = readTime(finishedCondition(job)?.lastTransitionTime);
  if (finishedAt === undefined)
    throw new Error(`Cannot tell when Job ${keyOf(job)} finished: its condition has no time`);
  return { finishedAt, expiresAt: finishedAt + (job.spec?.ttlSecondsAfterFinished ?? 0) * 1000 };
}
