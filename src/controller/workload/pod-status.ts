/**
 * What a pod's status means to its controller.
 * Source: kubernetes v1.36 pkg/api/v1/pod/util.go, pkg/controller/controller_utils.go.
 */
import { parseTime } from "../../api/time.ts";
import type { Pod, PodCondition } from "../../api/types.ts";

/** Succeeded or Failed: its containers have ended and never come back. */
export function isPodTerminal(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return phase === "Succeeded" || phase === "Failed";
}

/**
 * Whether nothing of the pod runs: it has ended, or it is being deleted and each of its containers has ended or waits.
 * Source: kubernetes v1.36 pkg/volume/util/util.go IsPodTerminated.
 */
export function hasStopped(pod: Pod): boolean {
  if (isPodTerminal(pod)) return true;
  if (pod.metadata.deletionTimestamp === undefined) return false;
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
  return [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses].every(
    ({ state }) => state?.terminated !== undefined || state?.waiting !== undefined,
  );
}

/** Counts as a replica: neither ended nor being deleted. */
export function isPodActive(pod: Pod): boolean {
  return !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** Being deleted, its containers not yet ended. */
export function isPodTerminating(pod: Pod): boolean {
  return !isPodTerminal(pod) && pod.metadata.deletionTimestamp !== undefined;
}

/** The first condition of type Ready. */
export function podReadyCondition(pod: Pod): PodCondition | undefined {
  const conditions = pod.status?.conditions;
  if (conditions === undefined) return undefined;
  for (const condition of conditions) if (condition.type === "Ready") return condition;
  return undefined;
}

/** Whether its condition Ready is True. */
export function isPodReady(pod: Pod): boolean {
  return podReadyCondition(pod)?.status === "True";
}

/** Milliseconds since 1970 of the time when the pod became ready; undefined if it is not, or did not say when. */
export function podReadyTime(pod: Pod): number | undefined {
  const condition = podReadyCondition(pod);
  if (condition?.status !== "True") return undefined;
  // An unknown time is null on the wire, which the types do not say.
  const time: string | null | undefined = condition.lastTransitionTime;
  return time === undefined || time === null ? undefined : parseTime(time);
}

/** Ready for at least `minReadySeconds`, at `now` (ms since 1970). */
export function isPodAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (!isPodReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const readyTime = podReadyTime(pod);
  return readyTime !== undefined && readyTime + minReadySeconds * 1000 <= now;
}

/** In how many ms a ready pod becomes available; undefined if it is so already, or is not on its way there. */
export function availableInMs(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  if (minReadySeconds <= 0) return undefined;
  const readyTime = podReadyTime(pod);
  if (readyTime === undefined) return undefined;
  const ms = readyTime + minReadySeconds * 1000 - now;
  return ms > 0 ? ms : undefined;
}

/** A pod that is ready and not yet available. */
export interface NextAvailability {
  readonly pod: Pod;
  /** In how many milliseconds it becomes available; 0 if that time has passed. */
  readonly inMs: number;
}

/**
 * The pod that becomes available next, seen from `evaluatedAt`, the time at which the status was worked out, so that none is
 * skipped which became available since; the wait is counted from `now`, and is 0 if that moment has passed by.
 *
 * Source: pkg/controller/controller_utils.go FindMinNextPodAvailabilityCheck.
 */
export function nextAvailability(
  pods: readonly Pod[],
  minReadySeconds: number,
  time: { readonly evaluatedAt: number; readonly now: number },
): NextAvailability | undefined {
  let next: NextAvailability | undefined;
  for (const pod of pods) {
    const inMs = availableInMs(pod, minReadySeconds, time.evaluatedAt);
    if (inMs !== undefined && (next === undefined || inMs < next.inMs)) next = { pod, inMs };
  }
  if (next === undefined) return undefined;
  return { pod: next.pod, inMs: availableInMs(next.pod, minReadySeconds, time.now) ?? 0 };
}
