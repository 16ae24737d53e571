/**
 * How many pods of a budget are healthy, and which evictions are still pending. Pure.
 * Source: kubernetes v1.36 pkg/controller/disruption/disruption.go countHealthyPods, buildDisruptedPodMap.
 */
import { parseTime } from "../../api/time.ts";
import type { Pod } from "../../api/types.ts";
import { isPodReady } from "../../controller/workload/pod-status.ts";

/** A pod must begin to terminate within this time after its eviction was granted; otherwise it counts as healthy again. */
const deletionTimeoutMs: number = 2 * 60_000;

/** When evictions were granted, by the pod's name: `status.disruptedPods`. */
export type DisruptedPods = Readonly<Record<string, string>>;

/** What granted evictions are checked against. */
export interface Granted {
  /** When evictions were granted. */
  readonly granted: DisruptedPods;
  /** ms since 1970. */
  readonly now: number;
}

/** What is left of `status.disruptedPods`. */
export interface PendingEvictions {
  /** The entries that still count: of pods that exist and are not being deleted, within the timeout. */
  readonly pods: DisruptedPods;
  /** Pods whose eviction was granted longer ago than the timeout but which were not deleted. */
  readonly expired: readonly Pod[];
  /** In how many milliseconds the first of them expires; undefined if there is none. */
  readonly recheckInMs?: number;
}

/** Drops the entries of pods that are gone or being deleted, and those that have expired. */
export function pendingEvictions(pods: readonly Pod[], { granted, now }: Granted): PendingEvictions {
  const pending: Record<string, string> = {};
  const expired: Pod[] = [];
  let first: number | undefined;
  for (const pod of pods) {
    const time = granted[pod.metadata.name];
    if (time === undefined || pod.metadata.deletionTimestamp !== undefined) continue;
    const deadline = parseTime(time) + deletionTimeoutMs;
    if (deadline < now) {
      expired.push(pod);
      continue;
    }
    pending[pod.metadata.name] = time;
    first = Math.min(first ?? deadline, deadline);
  }
  return { pods: pending, expired, ...(first !== undefined && { recheckInMs: first - now }) };
}

/** Ready pods that are neither being deleted nor about to be evicted. */
export function countHealthy(pods: readonly Pod[], { granted, now }: Granted): number {
  const isLeaving = ({ metadata: { name, deletionTimestamp } }: Pod): boolean => {
    const time = granted[name];
    return deletionTimestamp !== undefined || (time !== undefined && parseTime(time) + deletionTimeoutMs > now);
  };
  return pods.filter((pod) => !isLeaving(pod) && isPodReady(pod)).length;
}
