/**
 * How long a Job waits before it replaces failed pods: 10 s · 2ⁿ after the n-th failure in a row, counted from 0, at most 10 minutes.
 * Source: kubernetes v1.36 pkg/controller/job/backoff_utils.go; DefaultJobPodFailureBackOff, MaxJobPodFailureBackOff.
 */
import type { ObjectKey } from "../../api/key.ts";
import type { Pod } from "../../api/types.ts";
import { type RunState, runState } from "../../controller/api/run-state.ts";
import { failuresBefore } from "./completion-index.ts";
import { finishTime } from "./finish-time.ts";
import { defaultOptions, type JobOptions } from "./options.ts";

/** What a delay depends on besides the failures. */
interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly options?: Pick<JobOptions, "failureDelayMs" | "maxFailureDelayMs">;
}

/** A Job's failures since one of its pods last succeeded. */
export interface Backoff {
  readonly failures: number;
  /** When the latest of those pods ended, in ms since 1970; undefined without failures. */
  readonly lastFailureAt: number | undefined;
}

/** The failures of Jobs so far. Kept in memory: a restart of the controller resets them. */
export const backoffs: RunState<Map<ObjectKey, Backoff>> = runState(() => new Map());

const noFailures: Backoff = { failures: 0, lastFailureAt: undefined };

/** The record updated with pods that have ended since: a success resets the count to the failures after it. */
export function nextBackoff(
  known: Backoff | undefined,
  { succeeded, failed }: { readonly succeeded: readonly Pod[]; readonly failed: readonly Pod[] },
): Backoff {
  const failures = failed.map(finishTime);
  if (succeeded.length === 0) {
    const { failures: before, lastFailureAt } = known ?? noFailures;
    return failures.length === 0
      ? { failures: before, lastFailureAt }
      : { failures: before + failures.length, lastFailureAt: Math.max(...failures) };
  }
  const lastSuccessAt = Math.max(...succeeded.map(finishTime));
  const since = failures.filter((at) => at > lastSuccessAt);
  return since.length === 0 ? noFailures : { failures: since.length, lastFailureAt: Math.max(...since) };
}

/** How long to wait before the Job's next pod, in ms; 0 if there is no need to. */
export function remainingMs({ failures, lastFailureAt }: Backoff, { now, options = defaultOptions }: Moment): number {
  if (failures === 0 || lastFailureAt === undefined) return 0;
  const delayMs = Math.min(options.failureDelayMs * 2 ** (failures - 1), options.maxFailureDelayMs);
  return Math.max(0, delayMs - (now - lastFailureAt));
}

/** The same for the replacement of an index's last failed pod, whose annotations record how often the index had failed before. */
export function remainingMsOfIndex(lastFailed: Pod | undefined, moment: Moment): number {
  if (lastFailed === undefined) return 0;
  const { counted, ignored } = failuresBefore(lastFailed);
  return remainingMs({ failures: counted + ignored + 1, lastFailureAt: finishTime(lastFailed) }, moment);
}
