/**
 * The completion indexes of pods: which index a pod has, which indexes lack a pod, and which pods are surplus.
 * Source: kubernetes v1.36 pkg/controller/job/indexed_job_utils.go.
 */
import type { Pod } from "../../api/types.ts";
import { inDeletionOrder } from "../../controller/workload/pod-ranking.ts";
import { parseInt64 } from "../../controller/workload/revision-history.ts";
import { type Intervals, union, withIndexes } from "./intervals.ts";

/** The annotation, and the label, with a pod's completion index. */
export const completionIndexName = "batch.kubernetes.io/job-completion-index";
/** The annotation of a replacement pod: how many pods of its index have failed before. */
export const failureCountAnnotation = "batch.kubernetes.io/job-index-failure-count";
/** The same for failures that the pod failure policy ignores. */
export const ignoredFailureCountAnnotation = "batch.kubernetes.io/job-index-ignored-failure-count";

const int32Max = 2 ** 31 - 1;

/** The pod's index; undefined without one, or if it is not a non-negative integer. */
export function completionIndexOf({ metadata }: Pod): number | undefined {
  return readCount(metadata.annotations?.[completionIndexName], Number.MAX_SAFE_INTEGER);
}

/** The pod's index if it is valid for the Job: below `completions`. */
export function validIndexOf(pod: Pod, completions: number): number | undefined {
  const index = completionIndexOf(pod);
  return index === undefined || index >= completions ? undefined : index;
}

/** How many pods of this index failed before it, by its annotations; an unreadable value counts as 0. */
export function failuresBefore({ metadata: { annotations = {} } }: Pod): {
  readonly counted: number;
  readonly ignored: number;
} {
  return {
    counted: readCount(annotations[failureCountAnnotation], int32Max) ?? 0,
    ignored: readCount(annotations[ignoredFailureCountAnnotation], int32Max) ?? 0,
  };
}

function readCount(text: string | undefined, most: number): number | undefined {
  const value = text === undefined ? undefined : parseInt64(text);
  return value === undefined || value < 0n || value > BigInt(most) ? undefined : Number(value);
}

/** The distinct indexes of these pods. */
export function indexesOf(pods: readonly Pod[]): ReadonlySet<number> {
  return new Set(pods.flatMap((pod) => completionIndexOf(pod) ?? []));
}

/** Which indexes need no pod. */
export interface Settled {
  readonly succeeded: Intervals;
  readonly failed: Intervals;
  /** Pods that occupy their indexes: active ones, and those being deleted that are replaced only once terminated. */
  readonly pods: readonly Pod[];
}

/** The first `count` indexes below `completions` that need a pod, ascending. */
export function firstPendingIndexes(
  settled: Settled,
  { count, completions }: { readonly count: number; readonly completions: number },
): number[] {
  const pending: number[] = [];
  const taken = union(withIndexes(settled.succeeded, indexesOf(settled.pods)), settled.failed);
  let candidate = 0;
  // The end of the last gap is `completions`.
  for (const { first, last } of [...taken, { first: completions, last: completions }]) {
    for (; candidate < first && candidate < completions && pending.length < count; candidate++) pending.push(candidate);
    candidate = Math.max(candidate, last + 1);
  }
  return pending;
}

/** The active pods of an Indexed Job, split. */
export interface Surplus {
  /** Pods without a valid index, or with one that another pod has, too. */
  readonly surplus: readonly Pod[];
  /** One pod for each index. */
  readonly rest: readonly Pod[];
}

/** Splits the pods: of several with the same index, the one that would be deleted last stays. */
export function surplusOfIndexes(pods: readonly Pod[], completions: number): Surplus {
  const surplus: Pod[] = [];
  const byIndex = new Map<number, Pod[]>();
  for (const pod of pods) {
    const index = validIndexOf(pod, completions);
    if (index === undefined) surplus.push(pod);
    else byIndex.set(index, [...(byIndex.get(index) ?? []), pod]);
  }
  const rest: Pod[] = [];
  for (const same of byIndex.values()) {
    const ranked = inDeletionOrder(same);
    surplus.push(...ranked.slice(0, -1));
    rest.push(...ranked.slice(-1));
  }
  return { surplus, rest };
}
