/**
 * Counts terminated pods: the status lists them, their finalizers are removed, the status counts them; then a Job that ends is finished.
 * Source: kubernetes v1.36 pkg/controller/job/job_controller.go trackJobStatusAndRemoveFinalizers,
 * flushUncountedAndRemoveFinalizers, enactJobFinished, recordJobFinished.
 */
import { Jobs } from "../../api/kinds.ts";
import { formatTime } from "../../api/time.ts";
import type { Pod } from "../../api/types.ts";
import { runState, type RunState } from "../../controller/api/run-state.ts";
import { type Backoff, backoffs } from "./backoff.ts";
import { type ConditionParts, conditionOf, withJobCondition } from "./conditions.ts";
import { removeFinalizers } from "./delete-pods.ts";
import type { JobEnd } from "./end.ts";
import { formatIntervals, totalOf } from "./intervals.ts";
import { isUntouched, type JobIndexes, type JobPods } from "./job-pods.ts";
import { type JobSync, statusChange, writeStatus } from "./job-sync.ts";
import { count, finish, status as statusRule, untrack } from "./rules.ts";
import { completionsOf, type JobCondition, type JobStatus } from "./spec.ts";
import { countUntracked, planTracking, type Tracking } from "./tracking.ts";

/** Uids of Jobs that this controller has finished and whose last status its cache does not show yet. */
export const finishedUids: RunState<Set<string>> = runState(() => new Set(), { remembersWrites: true });

/** What the counting is based on. */
export interface TrackInput {
  readonly known: JobPods;
  /** Undefined for a Job that is not Indexed. */
  readonly indexes: JobIndexes | undefined;
  /** How the Job ends; set only if all its pods are known and deleted by now. */
  readonly end: JobEnd | undefined;
  /** Stored once the status that lists the failed pods is written. */
  readonly backoff: Backoff;
  /** How many pods are terminating: a Job is not finished until they are done. */
  readonly terminating: number;
  /** Whether the status has changed already. */
  readonly isChanged: boolean;
}

/**
 * Counts pods, at most `maxUncounted`, and finishes a Job that ends.
 * @throws the first error; pods whose finalizers were removed are counted even then.
 */
export async function trackPods(sync: JobSync, input: TrackInput): Promise<void> {
  const { context, options } = sync;
  const { known, indexes, end, terminating } = input;
  const tracked = new Set(known.pods.filter((pod) => isUntouched(known, pod)).map(({ metadata }) => metadata.uid));
  const before = sync.status;
  const cleaned = countUntracked(before, tracked);
  const { uncountedTerminatedPods: uncounted = {} } = cleaned;
  const plan = planTracking({ known, indexes, end: end?.condition, uncounted, options });
  const named = withNamed(cleaned, { plan, indexes });
  sync.status =
    end === undefined || end.isKnown ? named : withAnnouncement(named, conditionOf(end.condition, context.now()));
  if (input.isChanged || cleaned !== before || named !== cleaned || sync.status !== named) {
    await writeStatus(sync, context.decide(statusRule, statusChange(sync)));
    context.state(backoffs).set(context.key, input.backoff);
  }
  const isCountChanged = await releasePods(sync, { released: plan.released, tracked });
  if (end !== undefined && !plan.isFull && mayFinish(sync.status, terminating)) await finishJob(sync, end);
  else if (isCountChanged) await writeStatus(sync, context.decide(count, statusChange(sync)));
}

/** The status plus the pods and indexes that this sync counts; the same object if there are none. */
function withNamed(
  status: JobStatus,
  { plan: { uncounted }, indexes }: { readonly plan: Tracking; readonly indexes: JobIndexes | undefined },
): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const isNew = uncounted.succeeded.length > succeeded.length || uncounted.failed.length > failed.length;
  const named = isNew ? { ...status, uncountedTerminatedPods: uncounted } : status;
  if (indexes === undefined) return named;
  const completedIndexes = formatIntervals(indexes.succeeded);
  const failedIndexes = indexes.failed === undefined ? undefined : formatIntervals(indexes.failed);
  const same = completedIndexes === (status.completedIndexes ?? "") && failedIndexes === status.failedIndexes;
  if (same) return named;
  const { failedIndexes: _before, ...rest } = named;
  const counted = { ...rest, succeeded: totalOf(indexes.succeeded), completedIndexes };
  return failedIndexes === undefined ? counted : { ...counted, failedIndexes };
}

/** The status plus the condition that announces the end; written before pods lose the finalizers that keep them. */
function withAnnouncement(status: JobStatus, condition: JobCondition): JobStatus {
  return { ...status, conditions: [...(status.conditions ?? []), condition] };
}

/**
 * Removes the finalizers of the pods that are counted. Returns whether that changed the status to be written.
 * @throws the first error, after writing the status with what was achieved.
 */
async function releasePods(
  sync: JobSync,
  { released, tracked }: { readonly released: readonly Pod[]; readonly tracked: Set<string> },
): Promise<boolean> {
  const { context } = sync;
  let failure: { readonly error: unknown } | undefined;
  if (released.length > 0) {
    const because = context.decide(untrack, { pods: released.length });
    const removal = await removeFinalizers(sync, { pods: released, because });
    for (const uid of removal.removed) tracked.delete(uid);
    ({ failure } = removal);
  }
  const before = sync.status;
  sync.status = countUntracked(before, tracked);
  const isChanged = sync.status !== before;
  if (failure === undefined) return isChanged;
  if (isChanged) await writeStatus(sync, context.decide(count, statusChange(sync)));
  throw failure.error;
}

/** Whether all pods are counted and none is terminating. */
function mayFinish({ uncountedTerminatedPods }: JobStatus, terminating: number): boolean {
  const { succeeded = [], failed = [] } = uncountedTerminatedPods ?? {};
  return succeeded.length + failed.length === 0 && terminating === 0;
}

async function finishJob(sync: JobSync, end: JobEnd): Promise<void> {
  const { context } = sync;
  const { type, reason, message } = finalOf(end.condition);
  const condition = conditionOf({ type, reason, message }, context.now());
  const conditions = withJobCondition(sync.status.conditions, condition);
  const completionTime = type === "Complete" ? { completionTime: formatTime(context.now()) } : {};
  sync.status = { ...sync.status, conditions, ...completionTime };
  await writeStatus(sync, context.decide(finish, { type, reason, ...statusChange(sync) }));
  recordFinish(sync, { type, reason, message });
  context.state(finishedUids).add(sync.job.metadata.uid);
}

/** The final condition for the announced one. */
function finalOf({ type, reason, message }: ConditionParts): ConditionParts {
  return { type: type === "SuccessCriteriaMet" ? "Complete" : "Failed", reason, message };
}

function recordFinish({ context, job }: JobSync, { type, reason, message }: ConditionParts): void {
  if (type === "Failed") {
    context.event(Jobs, job, { type: "Warning", reason, message });
    return;
  }
  const tooMany = (job.status?.succeeded ?? 0) > (completionsOf(job) ?? Infinity);
  if (tooMany) {
    const message = "Too many succeeded pods running after completion count reached";
    context.event(Jobs, job, { type: "Warning", reason: "TooManySucceededPods", message });
  }
  context.event(Jobs, job, { type: "Normal", reason: "Completed", message: "Job completed" });
}
