import { isJobFinished } from "../../controller/workload/job-status.ts";
import { Jobs, Pods } from "../../api/kinds.ts";
import { selectorOf } from "../../api/labels.ts";
import { formatTime } from "../../api/time.ts";
import type { Job, Pod } from "../../api/types.ts";
import { ownedAndOrphaned } from "../../controller/api/owned.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { isPodReady, isPodTerminating } from "../../controller/workload/pod-status.ts";
import { podWritten } from "../../controller/workload/pod-control.ts";
import { claim } from "../../controller/workload/ref-manager.ts";
import { backoffs, nextBackoff } from "./backoff.ts";
import { conditionOf, resumed, suspended, withJobCondition } from "./conditions.ts";
import { completionsReached, deadlineInMs, endOf, isComplete, type JobEnd } from "./end.ts";
import { totalOf } from "./intervals.ts";
import { jobIndexes, type JobIndexes, type JobPods, jobPods, newlyEnded } from "./job-pods.ts";
import type { JobSync } from "./job-sync.ts";
import { deleteActivePods, managePods, type PodCounts } from "./manage-pods.ts";
import type { JobOptions } from "./options.ts";
import type { PlanInput } from "./plan-pods.ts";
import { beingDeleted, wait } from "./pod-rules.ts";
import { deadline, end as endRule, finished, managedElsewhere, suspension, unknownMode } from "./rules.ts";
import { isIndexed, isSuspended, isTracked, otherManager, trackingFinalizer } from "./spec.ts";
import { finishedUids, trackPods } from "./track.ts";

/**
 * Brings the pods of one Job closer to its spec, counts those that have terminated, and finishes it when enough have succeeded or too many
 * failed.
 *
 * Source: kubernetes v1.36 pkg/controller/job/job_controller.go syncJob; differs: deletions are expected by name, not by number.
 */
export async function syncJob(context: SyncContext, options: JobOptions): Promise<void> {
  const { key, expectations, consistency } = context;
  consistency.ensureReady(key);
  const job = context.cache(Jobs).get(key);
  if (job === undefined) {
    expectations.forget(key);
    consistency.forget(key);
    context.state(backoffs).delete(key);
    return;
  }
  if (isLeftAlone(context, job)) return;
  // Checked before the pods are listed: a pod observed in between may be missing from the list, but is then still expected.
  const satisfied = expectations.satisfied(key);
  const pods = await claimPods(context, job);
  const known = jobPods(job, { pods, unseenRemovals: expectations.updatesOf(key) });
  await reconcile({ context, options, job, status: job.status ?? {} }, { known, satisfied });
}

/** Whether the Job is finished, or managed by another controller. */
function isLeftAlone(context: SyncContext, job: Job): boolean {
  const { uid } = job.metadata;
  const manager = otherManager(job);
  if (manager !== undefined) {
    context.decide(managedElsewhere, { manager });
    return true;
  }
  if (isJobFinished(job)) {
    context.state(backoffs).delete(context.key);
    context.consistency.forget(context.key, uid);
    context.state(finishedUids).delete(uid);
    context.decide(finished, { isSeen: true });
    return true;
  }
  if (context.state(finishedUids).has(uid)) {
    context.decide(finished, { isSeen: false });
    return true;
  }
  const mode = job.spec?.completionMode ?? "NonIndexed";
  if (mode === "NonIndexed" || mode === "Indexed") return false;
  const message = "Skipped Job sync because completion mode is unknown";
  context.event(Jobs, job, { type: "Warning", reason: "UnknownCompletionMode", message });
  context.decide(unknownMode, { mode });
  return true;
}

/** The Job's pods; adopted ones get the finalizer. */
async function claimPods(context: SyncContext, job: Job): Promise<Pod[]> {
  const pods = await claim<Job, Pod>(context, ownedAndOrphaned(context.cache(Pods), job, Jobs), {
    owner: job,
    ownerKind: Jobs,
    kind: Pods,
    selector: selectorOf(job.spec?.selector),
    finalizers: [trackingFinalizer],
    onWrite: (pod) => podWritten(context.consistency, pod),
  });
  const isAdopted = ({ metadata }: Pod): boolean =>
    metadata.ownerReferences?.some(({ uid }) => uid === job.metadata.uid) !== true;
  return pods.map((pod) => {
    if (isTracked(pod) || !isAdopted(pod)) return pod;
    const finalizers = [...(pod.metadata.finalizers ?? []), trackingFinalizer];
    return { ...pod, metadata: { ...pod.metadata, finalizers } };
  });
}

/** What is known before anything is created or deleted. */
interface Observed {
  readonly known: JobPods;
  readonly indexes: JobIndexes | undefined;
  readonly succeeded: number;
  readonly newlyFailed: readonly Pod[];
  readonly plan: PlanInput;
}

/** @throws the first error of a write; a pod that could not be created or deleted does not keep others from being counted. */
async function reconcile(
  sync: JobSync,
  { known, satisfied }: { readonly known: JobPods; readonly satisfied: boolean },
): Promise<void> {
  const { context, job } = sync;
  const before = sync.status;
  const observed = observe(sync, known);
  if (before.startTime === undefined && !isSuspended(job)) {
    sync.status = { ...sync.status, startTime: formatTime(context.now()) };
  }
  const counts: PodCounts = {
    active: known.active.length,
    ready: known.active.filter(isPodReady).length,
    terminating: known.pods.filter(isPodTerminating).length,
  };
  const outcome = await endOrContinue(sync, { observed, counts, satisfied });
  const { active, ready, terminating, failure } = outcome.counts;
  const areCountsNew = active !== (before.active ?? 0) || ready !== before.ready || terminating !== before.terminating;
  sync.status = { ...sync.status, active, ready, terminating };
  await trackPods(sync, {
    known,
    indexes: observed.indexes,
    end: outcome.end,
    backoff: observed.plan.backoff,
    terminating,
    isChanged: outcome.isSuspensionNew || areCountsNew,
  });
  if (failure !== undefined) throw failure.error;
}

function observe({ context, options, status }: JobSync, known: JobPods): Observed {
  const ended = newlyEnded(known);
  const indexes = isIndexed(known.job) ? jobIndexes(known) : undefined;
  const succeeded =
    indexes === undefined
      ? (status.succeeded ?? 0) + ended.succeeded.length + known.uncounted.succeeded.size
      : totalOf(indexes.succeeded);
  const backoff = nextBackoff(context.state(backoffs).get(context.key), ended);
  const plan = { known, indexes, succeeded, backoff, now: context.now(), options };
  return { known, indexes, succeeded, newlyFailed: ended.failed, plan };
}

interface Outcome {
  readonly counts: PodCounts;
  /** How the Job ends; also undefined while some pods are not known or not deleted yet. */
  readonly end: JobEnd | undefined;
  readonly isSuspensionNew: boolean;
}

async function endOrContinue(
  sync: JobSync,
  input: { readonly observed: Observed; readonly counts: PodCounts; readonly satisfied: boolean },
): Promise<Outcome> {
  const { context, status } = sync;
  const { observed, counts, satisfied } = input;
  const { known, indexes, newlyFailed } = observed;
  const { startTime } = status;
  const end = endOf({ known, newlyFailed, indexes, startTime, now: context.now() });
  if (end === undefined) {
    awaitDeadline(sync, known);
    return continueJob(sync, input);
  }
  context.decide(endRule, { ...end.condition, isKnown: end.isKnown });
  const { isAll, ...left } = await deleteActivePods(sync, { known, counts });
  // Pods that are not cached yet, or could not be deleted, have yet to be counted.
  if (!satisfied) decideToWait(context);
  return { counts: left, end: isAll && satisfied ? end : undefined, isSuspensionNew: false };
}

/** No delta arrives when a deadline passes: the key is requeued for that time. */
function awaitDeadline({ context, status: { startTime } }: JobSync, known: JobPods): void {
  const inMs = deadlineInMs({ known, startTime, now: context.now() });
  if (inMs === Infinity) return;
  context.enqueueAfter(inMs, context.decide(deadline, { inMs }).sentence);
}

async function continueJob(
  sync: JobSync,
  {
    observed,
    counts,
    satisfied,
  }: { readonly observed: Observed; readonly counts: PodCounts; readonly satisfied: boolean },
): Promise<Outcome> {
  const { context, job } = sync;
  const isManaged = satisfied && job.metadata.deletionTimestamp === undefined;
  const changed = isManaged ? await managePods(sync, { plan: observed.plan, counts }) : counts;
  if (!satisfied) decideToWait(context);
  else if (!isManaged) context.decide(beingDeleted, { active: counts.active });
  if (isComplete(job, { succeeded: observed.succeeded, active: changed.active })) {
    context.decide(endRule, { ...completionsReached.condition, isKnown: false });
    return { counts: changed, end: completionsReached, isSuspensionNew: false };
  }
  return { counts: changed, end: undefined, isSuspensionNew: isManaged && followSuspension(sync) };
}

function decideToWait(context: SyncContext): void {
  const expected = context.expectations.of(context.key);
  context.decide(wait, { creations: Math.max(0, expected?.creations ?? 0), deletions: expected?.deletions.size ?? 0 });
}

/** Updates the condition Suspended, and the start time with it. Returns whether it has changed. */
function followSuspension(sync: JobSync): boolean {
  const { context, job } = sync;
  const now = context.now();
  const isNow = isSuspended(job);
  const condition = conditionOf(isNow ? suspended : resumed, now);
  const before = sync.status.conditions ?? [];
  const conditions = withJobCondition(before, condition);
  if (conditions === before) return false;
  context.decide(suspension, { suspended: isNow });
  context.event(Jobs, job, {
    type: "Normal",
    reason: isNow ? "Suspended" : "Resumed",
    message: condition.message ?? "",
  });
  const { startTime: _before, ...rest } = sync.status;
  // When resumed, the deadline counts from here.
  sync.status = { ...rest, conditions, ...(!isNow && { startTime: formatTime(now) }) };
  return true;
}
