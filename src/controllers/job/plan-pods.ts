/**
 * What to do about the number of a Job's pods: a pure comparison of desired and actual.
 * Source: kubernetes v1.36 pkg/controller/job/job_controller.go manageJob, activePodsForRemoval,
 * getPodCreationInfoForIndependentIndexes.
 */
import type { Pod } from "../../api/types.ts";
import { inDeletionOrder } from "../../controller/workload/pod-ranking.ts";
import { isPodTerminating } from "../../controller/workload/pod-status.ts";
import { type Backoff, remainingMs, remainingMsOfIndex } from "./backoff.ts";
import { firstPendingIndexes, surplusOfIndexes } from "./completion-index.ts";
import type { JobIndexes, JobPods } from "./job-pods.ts";
import { defaultOptions, type JobOptions } from "./options.ts";
import { completionsOf, isSuspended, limitsEachIndex, parallelismOf, replacesOnlyFailed } from "./spec.ts";

/** What the plan is based on. */
export interface PlanInput {
  readonly known: JobPods;
  /** Undefined for a Job that is not Indexed. */
  readonly indexes: JobIndexes | undefined;
  /** How many pods, or indexes, have succeeded. */
  readonly succeeded: number;
  readonly backoff: Backoff;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly options?: JobOptions;
}

/** What one sync does about the number of pods. `desired`: how many should be active. */
export type PodPlan =
  | { readonly do: "nothing"; readonly desired: number }
  | { readonly do: "suspend"; readonly desired: 0; readonly pods: readonly Pod[] }
  | { readonly do: "delete"; readonly desired: number; readonly pods: readonly Pod[] }
  | { readonly do: "wait"; readonly desired: number; readonly missing: number; readonly ms: number }
  /** `indexes`: of the new pods; undefined if they have none. */
  | { readonly do: "create"; readonly desired: number; readonly count: number; readonly indexes?: readonly number[] };

/** Compares the pods that a Job wants with those it has. A sync with deletions creates nothing; a later one does. */
export function planPods(input: PlanInput): PodPlan {
  const { known, options: { maxChangesPerSync } = defaultOptions } = input;
  const { job, active } = known;
  if (isSuspended(job)) return { do: "suspend", desired: 0, pods: active };
  const desired = desiredActive(input);
  const pods = podsToDelete(input, Math.max(0, active.length - desired));
  if (pods.length > 0) return { do: "delete", desired, pods: pods.slice(0, maxChangesPerSync) };
  const terminating = replacesOnlyFailed(job) ? known.pods.filter(isPodTerminating).length : 0;
  const missing = desired - terminating - active.length;
  return missing > 0 ? planCreation(input, { desired, missing }) : { do: "nothing", desired };
}

/** How many pods should be active. */
function desiredActive({ known, succeeded }: Pick<PlanInput, "known" | "succeeded">): number {
  const completions = completionsOf(known.job);
  const parallelism = parallelismOf(known.job);
  // A work queue starts no more pods once one has succeeded, and lets the others end.
  if (completions === undefined) return succeeded > 0 ? known.active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

function podsToDelete({ known, indexes }: PlanInput, atLeast: number): readonly Pod[] {
  const { surplus, rest } =
    indexes === undefined
      ? { surplus: [], rest: known.active }
      : surplusOfIndexes(known.active, completionsOf(known.job) ?? 0);
  const more = atLeast - surplus.length;
  return more > 0 ? [...surplus, ...inDeletionOrder(rest).slice(0, more)] : surplus;
}

function planCreation(
  input: PlanInput,
  { desired, missing }: { readonly desired: number; readonly missing: number },
): PodPlan {
  const { known, indexes, backoff, now, options = defaultOptions } = input;
  const eachIndexWaits = limitsEachIndex(known.job);
  const ms = eachIndexWaits ? 0 : remainingMs(backoff, { now, options });
  if (ms > 0) return { do: "wait", desired, missing, ms };
  const count = Math.min(missing, options.maxChangesPerSync);
  if (indexes === undefined) return { do: "create", desired, count };
  const pending = pendingIndexes({ known, indexes }, count);
  if (!eachIndexWaits) return { do: "create", desired, count: pending.length, indexes: pending };
  const waits = pending.map((index) => remainingMsOfIndex(indexes.replaced.get(index), { now, options }));
  const due = pending.filter((_, n) => waits[n] === 0);
  if (due.length === 0 && waits.length > 0) return { do: "wait", desired, missing, ms: Math.min(...waits) };
  return { do: "create", desired, count: due.length, indexes: due };
}

function pendingIndexes(
  { known, indexes }: { readonly known: JobPods; readonly indexes: JobIndexes },
  count: number,
): number[] {
  const { job, pods, active } = known;
  const terminating = replacesOnlyFailed(job) ? pods.filter(isPodTerminating) : [];
  const settled = { succeeded: indexes.succeeded, failed: indexes.failed ?? [], pods: [...active, ...terminating] };
  return firstPendingIndexes(settled, { count, completions: completionsOf(job) ?? 0 });
}
