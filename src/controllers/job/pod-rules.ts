/** The rules of the Job controller about pods, in the order in which a sync evaluates them. */
import { pluralize } from "../../api/pluralize.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import { type UnobservedFacts, waitRule } from "../../controller/workload/pod-rules.ts";
import { batchSizes } from "../../controller/workload/slow-start.ts";
import { formatIntervals, withIndexes } from "./intervals.ts";

interface Counts extends Facts {
  readonly active: number;
  /** How many pods should be active. */
  readonly desired: number;
}

const counted = ["spec.parallelism, spec.completions", "active and succeeded pods"];
const activePods = (count: number): string => pluralize(count, "active pod");

interface EndPodsFacts extends Facts {
  readonly active: number;
}

/** The active pods of a Job that ends are deleted. */
export const endPods: Rule<EndPodsFacts> = rule<EndPodsFacts>({
  id: "end-pods",
  looksAt: ["the end of the Job", "active pods"],
  chooses: "When a Job ends, its active pods are deleted; they keep their finalizers until they are counted.",
  sentence: ({ active }) => (active === 0 ? "it ends, no pod is active" : `it ends → delete its ${activePods(active)}`),
  example: { active: 2 },
  source: "job_controller.go deleteActivePods",
});

/** No pod is created or deleted while expectations are unsatisfied. */
export const wait: Rule<UnobservedFacts> = waitRule({
  chooses:
    "No pod is created or deleted, and the Job does not end, until all previous creations and deletions have been observed; expectations expire after 5 minutes.",
  example: { creations: 3, deletions: 0 },
  source: "job_controller.go syncJob, controller_utils.go SatisfiedExpectations",
});

/** A Job that is being deleted neither creates nor deletes pods. */
export const beingDeleted: Rule<EndPodsFacts> = rule<EndPodsFacts>({
  id: "being-deleted",
  looksAt: ["metadata.deletionTimestamp"],
  chooses: "A Job that is being deleted creates and deletes no pods; their finalizers are removed.",
  sentence: ({ active }) => `it is being deleted, with ${activePods(active)} → no pod is created or deleted`,
  example: { active: 2 },
  source: "job_controller.go syncJob, canRemoveFinalizer",
});

/** The active pods of a suspended Job are deleted. */
export const suspendPods: Rule<EndPodsFacts> = rule<EndPodsFacts>({
  id: "suspend-pods",
  looksAt: ["spec.suspend", "active pods"],
  chooses: "A suspended Job has no active pods: they are deleted, and not counted as failed.",
  sentence: ({ active }) =>
    active === 0 ? "it is suspended, no pod is active" : `it is suspended → delete its ${activePods(active)}`,
  example: { active: 2 },
  source: "job_controller.go manageJob",
});

interface ScaleDownFacts extends Counts {
  readonly delete: number;
  /** The names of the first few. */
  readonly chosen: readonly string[];
}

/** Excess pods are deleted. */
export const scaleDown: Rule<ScaleDownFacts> = rule<ScaleDownFacts>({
  id: "scale-down",
  looksAt: [...counted, "completion indexes of active pods", "each pod's node, phase, readiness, restarts and age"],
  chooses:
    "Excess pods are deleted, at most 500 per sync: in an Indexed Job first those without a valid or unique index, then those that have progressed least.",
  sentence: ({ active, desired, delete: count }) =>
    active > desired
      ? `${activePods(active)}, ${desired} wanted → delete ${count}`
      : `${pluralize(count, "pod")} without an index of ${count === 1 ? "its" : "their"} own → delete ${count}`,
  example: { active: 3, desired: 2, delete: 1, chosen: ["data-x7k2p"] },
  source: "job_controller.go manageJob, activePodsForRemoval; indexed_job_utils.go appendDuplicatedIndexPodsForRemoval",
});

interface BackOffFacts extends Counts {
  readonly missing: number;
  readonly ms: number;
}

/** Failed pods are replaced only after a delay. */
export const backOff: Rule<BackOffFacts> = rule<BackOffFacts>({
  id: "back-off",
  looksAt: ["when pods have failed since the last success", "with spec.backoffLimitPerIndex: the same of each index"],
  chooses: "After consecutive failures, the next pod is created 10 s · 2ⁿ after the last failure, at most 10 minutes.",
  sentence: ({ missing, ms }) =>
    `${pluralize(missing, "pod")} missing, after failures → wait ${Math.ceil(ms / 1000)} s more`,
  example: { active: 0, desired: 1, missing: 1, ms: 20_000 },
  source: "job_controller.go manageJob; backoff_utils.go getRemainingTime, getRemainingTimePerIndex",
});

interface ScaleUpFacts extends Counts {
  readonly create: number;
  /** The indexes of the new pods: `0,3-5`; absent if they have none. */
  readonly indexes?: string;
}

/** Missing pods are created. */
export const scaleUp: Rule<ScaleUpFacts> = rule<ScaleUpFacts>({
  id: "scale-up",
  looksAt: [...counted, "completed and failed indexes", "pods being deleted, if only failed pods are replaced"],
  chooses:
    "Missing pods are created, at most 500 per sync, in batches of 1, 2, 4, …; the first error stops further batches. An Indexed Job creates those of the lowest indexes that need one.",
  sentence: ({ active, desired, create, indexes }) => {
    const batches = batchSizes(create).length;
    const how = batches > 1 ? `, in ${batches} batches` : "";
    const which = indexes === undefined ? "" : ` of ${create === 1 ? "index" : "indexes"} ${indexes}`;
    return `${activePods(active)}, ${desired} wanted → create ${create}${which}${how}`;
  },
  example: { active: 1, desired: 3, create: 2, indexes: "1,4" },
  source: "job_controller.go manageJob; indexed_job_utils.go firstPendingIndexes",
});

/** The indexes as text: `0,3-5`. */
export function indexesInWords(indexes: readonly number[]): string {
  return formatIntervals(withIndexes([], indexes));
}

/** The number of pods is right. */
export const steady: Rule<Counts> = rule<Counts>({
  id: "steady",
  looksAt: counted,
  chooses: "There are as many active pods as wanted: none is created or deleted.",
  sentence: ({ active, desired }) =>
    active === desired
      ? `${activePods(active)}, as many as wanted → nothing to do`
      : `${activePods(active)}, ${desired} wanted → nothing to do until pods have ended`,
  example: { active: 2, desired: 2 },
  source: "job_controller.go manageJob",
});
