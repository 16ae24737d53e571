/**
 * Ranks a controller's pods for deletion when there are too many.
 * Source: kubernetes v1.36 pkg/controller/controller_utils.go ActivePodsWithRanks, ActivePods; replicaset/replica_set.go
 * getPodsToDelete.
 */
import { parseTime } from "../../api/time.ts";
import type { Pod } from "../../api/types.ts";
import { isPodActive, isPodReady, podReadyTime } from "./pod-status.ts";

/** The annotation with which users influence the ranking: pods with a lower cost are deleted first. */
export const podDeletionCostAnnotation = "controller.kubernetes.io/pod-deletion-cost";

/** A pod with the values that the criteria compare, computed once. */
export interface RankedPod {
  readonly pod: Pod;
  readonly assigned: boolean;
  /** Pending 0, Unknown 1, Running 2. */
  readonly phase: number;
  readonly ready: boolean;
  readonly deletionCost: number;
  /** Active pods of the same owner's objects on the pod's node. */
  readonly podsOnNode: number;
  /** When a ready pod became ready, in ms since 1970; undefined if unknown. */
  readonly readyTime: number | undefined;
  readonly restarts: number;
  readonly sidecarRestarts: number;
  readonly created: number | undefined;
}

/** One criterion: negative if `a` is deleted first, positive if `b` is, 0 if the next criterion decides. `now` in ms since 1970. */
export interface Criterion {
  /** The text in a decision's sentence, such as `not ready first`. */
  readonly name: string;
  compare(a: RankedPod, b: RankedPod, now: number): number;
}

/** An unknown time counts as the latest. */
function laterFirst(a: number | undefined, b: number | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  return b - a;
}

/** The exponent of the power of two, in nanoseconds, of an age; -1 for a negative age. */
function ageBucket(time: number, now: number): number {
  const nanoseconds = (now - time) * 1e6;
  return nanoseconds > 0 ? Math.trunc(Math.log2(nanoseconds)) : -1;
}

/**
 * The later time first, but ages in the same power-of-two bucket are ordered by uid, so that among pods of nearly the same age not always the
 * youngest is deleted. Equal times leave the decision to the next criterion.
 */
function laterBucketFirst(
  a: RankedPod,
  b: RankedPod,
  timeOf: (pod: RankedPod) => number | undefined,
  now: number,
): number {
  const [timeA, timeB] = [timeOf(a), timeOf(b)];
  if (timeA === timeB) return 0;
  if (timeA === undefined || timeB === undefined) return laterFirst(timeA, timeB);
  const buckets = ageBucket(timeA, now) - ageBucket(timeB, now);
  if (buckets !== 0) return buckets;
  const [uidA, uidB] = [a.pod.metadata.uid, b.pod.metadata.uid];
  return uidA === uidB ? 0 : uidA < uidB ? -1 : 1;
}

const byProgress: readonly Criterion[] = [
  { name: "unassigned first", compare: (a, b) => Number(a.assigned) - Number(b.assigned) },
  { name: "pending before unknown before running", compare: (a, b) => a.phase - b.phase },
  { name: "not ready first", compare: (a, b) => Number(a.ready) - Number(b.ready) },
];
const byRestarts: readonly Criterion[] = [
  { name: "most restarts first", compare: (a, b) => b.restarts - a.restarts },
  { name: "most sidecar restarts first", compare: (a, b) => b.sidecarRestarts - a.sidecarRestarts },
];

/** All criteria in order; the first that does not return 0 decides. */
export const criteria: readonly Criterion[] = [
  ...byProgress,
  { name: "lowest pod-deletion-cost first", compare: (a, b) => a.deletionCost - b.deletionCost },
  { name: "most pods on the node first", compare: (a, b) => b.podsOnNode - a.podsOnNode },
  {
    name: "latest ready first",
    compare: (a, b, now) => (a.ready && b.ready ? laterBucketFirst(a, b, (pod) => pod.readyTime, now) : 0),
  },
  ...byRestarts,
  { name: "newest first", compare: (a, b, now) => laterBucketFirst(a, b, (pod) => pod.created, now) },
];

/** The criteria without costs, nodes and age buckets, as used for Jobs. */
const plainCriteria: readonly Criterion[] = [
  ...byProgress,
  {
    name: "latest ready first",
    compare: (a, b) => (a.ready && b.ready ? laterFirst(a.readyTime, b.readyTime) : 0),
  },
  ...byRestarts,
  { name: "newest first", compare: (a, b) => laterFirst(a.created, b.created) },
];

/** Sorts pods by `plainCriteria`: unassigned, pending, not ready, latest ready, most restarts, newest first. */
export function inDeletionOrder(pods: readonly Pod[]): readonly Pod[] {
  const order = (a: RankedPod, b: RankedPod): number => {
    for (const criterion of plainCriteria) {
      const difference = criterion.compare(a, b, 0);
      if (difference !== 0) return difference;
    }
    return 0;
  };
  return merged(rankPods(pods, []), order).map(({ pod }) => pod);
}

/** The criterion by which two pods differ, and their order by it; undefined if none does. */
export function decidingCriterion(
  a: RankedPod,
  b: RankedPod,
  now: number,
): { readonly criterion: Criterion; readonly order: number } | undefined {
  for (const criterion of criteria) {
    const order = criterion.compare(a, b, now);
    if (order !== 0) return { criterion, order };
  }
  return undefined;
}

/** The value of the annotation, an int32 written plainly (no `+`, no leading zero); 0 for anything else. */
export function podDeletionCost(pod: Pod): number {
  const text = pod.metadata.annotations?.[podDeletionCostAnnotation];
  if (text === undefined || !/^(?:-\d+|0|[1-9]\d*)$/.test(text)) return 0;
  const cost = Number(text);
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0;
}

function phaseOrdinal(pod: Pod): number {
  const phase = pod.status?.phase;
  return phase === "Running" ? 2 : phase === "Unknown" ? 1 : 0;
}

function mostRestarts(statuses: readonly { readonly restartCount: number }[] | undefined): number {
  return (statuses ?? []).reduce((most, { restartCount }) => Math.max(most, restartCount), 0);
}

function rankedPod(pod: Pod, podsOnNode: number): RankedPod {
  const sidecars = new Set(
    (pod.spec?.initContainers ?? []).filter((c) => c.restartPolicy === "Always").map((c) => c.name),
  );
  const created: string | undefined = pod.metadata.creationTimestamp;
  return {
    pod,
    assigned: (pod.spec?.nodeName ?? "") !== "",
    phase: phaseOrdinal(pod),
    ready: isPodReady(pod),
    deletionCost: podDeletionCost(pod),
    podsOnNode,
    readyTime: podReadyTime(pod),
    restarts: mostRestarts(pod.status?.containerStatuses),
    sidecarRestarts: mostRestarts(pod.status?.initContainerStatuses?.filter((status) => sidecars.has(status.name))),
    created: created === undefined ? undefined : parseTime(created),
  };
}

/** Computes the values that the criteria compare. `related`: pods of the same owner, whose active ones are counted per node. */
export function rankPods(pods: readonly Pod[], related: readonly Pod[]): RankedPod[] {
  const onNode = new Map<string, number>();
  for (const pod of related) {
    if (!isPodActive(pod)) continue;
    const node = pod.spec?.nodeName ?? "";
    onNode.set(node, (onNode.get(node) ?? 0) + 1);
  }
  return pods.map((pod) => rankedPod(pod, onNode.get(pod.spec?.nodeName ?? "") ?? 0));
}

/** The pods that a scale-down deletes, and the deciding criterion. */
export interface PodsToDelete {
  readonly pods: readonly Pod[];
  /** The criterion by which the last deleted and the first kept pod differ; undefined if all are deleted or none differs. */
  readonly by: string | undefined;
}

/** The first `count` pods to delete. Does not modify `pods`, whose order decides between pods that rank equally. */
export function podsToDelete(
  pods: readonly Pod[],
  count: number,
  options: { readonly related: readonly Pod[]; readonly now: number },
): PodsToDelete {
  if (count >= pods.length) return { pods, by: undefined };
  const { now } = options;
  const ranked = merged(rankPods(pods, options.related), (a, b) => decidingCriterion(a, b, now)?.order ?? 0);
  const [last, spared] = [ranked[count - 1], ranked[count]];
  const deciding = last === undefined || spared === undefined ? undefined : decidingCriterion(last, spared, now);
  return { pods: ranked.slice(0, count).map(({ pod }) => pod), by: deciding?.criterion.name };
}

/**
 * A stable merge sort. The built-in sort cannot be used, because the criteria are not always transitive: two pods with equal times are ordered
 * by restarts, but each of them against a third pod by uid, which may lie in between. Then the result depends on the comparisons made, which
 * differ between runtimes.
 */
function merged<T>(items: readonly T[], compare: (a: T, b: T) => number): readonly T[] {
  if (items.length < 2) return items;
  const middle = items.length >>> 1;
  const left = merged(items.slice(0, middle), compare);
  const right = merged(items.slice(middle), compare);
  const all: T[] = [];
  let [l, r] = [0, 0];
  while (l < left.length && r < right.length) {
    const [a, b] = [left[l] as T, right[r] as T];
    if (compare(a, b) <= 0) {
      all.push(a);
      l++;
    } else {
      all.push(b);
      r++;
    }
  }
  return [...all, ...left.slice(l), ...right.slice(r)];
}
