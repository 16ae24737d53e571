/**
 * Carries out the plan for the number of pods.
 * Source: kubernetes v1.36 pkg/controller/job/job_controller.go manageJob.
 */
import { createPods } from "./create-pods.ts";
import { deleteCountedPods, type Deleted, deleteUncountedPods } from "./delete-pods.ts";
import type { JobPods } from "./job-pods.ts";
import type { JobSync } from "./job-sync.ts";
import { type PlanInput, planPods } from "./plan-pods.ts";
import { backOff, endPods, scaleDown, steady, suspendPods } from "./pod-rules.ts";

/** The pods that a status counts, and the first error if a request failed. */
export interface PodCounts {
  readonly active: number;
  readonly ready: number;
  /** Being deleted but not terminated. */
  readonly terminating: number;
  readonly failure?: { readonly error: unknown };
}

const namedInFacts = 8;

/** Creates or deletes pods, or neither. Returns the counts afterwards. */
export async function managePods(
  sync: JobSync,
  { plan: input, counts }: { readonly plan: PlanInput; readonly counts: PodCounts },
): Promise<PodCounts> {
  const { context } = sync;
  const { active } = counts;
  const plan = planPods(input);
  switch (plan.do) {
    case "suspend": {
      const because = context.decide(suspendPods, { active });
      return without(counts, await deleteUncountedPods(sync, { pods: plan.pods, because }));
    }
    case "delete": {
      const chosen = plan.pods.slice(0, namedInFacts).map(({ metadata }) => metadata.name);
      const facts = { active, desired: plan.desired, delete: plan.pods.length, chosen };
      const because = context.decide(scaleDown, facts);
      return without(counts, await deleteUncountedPods(sync, { pods: plan.pods, because }));
    }
    case "wait": {
      const { sentence } = context.decide(backOff, {
        active,
        desired: plan.desired,
        missing: plan.missing,
        ms: plan.ms,
      });
      // Batches changes caused by failures in quick succession.
      context.enqueueAfter(Math.max(plan.ms, sync.options.batchPeriodMs), sentence);
      return counts;
    }
    case "create": {
      const created = await createPods(sync, { plan, indexes: input.indexes, active });
      return { ...counts, ...created, active: active + created.active };
    }
    case "nothing":
      context.decide(steady, { active, desired: plan.desired });
      return counts;
  }
}

/** Deletes the active pods of a Job that ends. Returns the counts afterwards, and whether all pods are deleted. */
export async function deleteActivePods(
  sync: JobSync,
  { known: { active }, counts }: { readonly known: JobPods; readonly counts: PodCounts },
): Promise<PodCounts & { readonly isAll: boolean }> {
  const because = sync.context.decide(endPods, { active: active.length });
  const deleted = await deleteCountedPods(sync, { pods: active, because });
  return { ...without(counts, deleted), isAll: deleted.pods === active.length };
}

function without({ active, ready, terminating }: PodCounts, { pods, ready: wereReady, failure }: Deleted): PodCounts {
  return {
    active: active - pods,
    ready: ready - wereReady,
    terminating: terminating + pods,
    ...(failure !== undefined && { failure }),
  };
}
