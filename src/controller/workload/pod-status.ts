/**
 * Interprets a pod's status for its controller.
 * Source: kubernetes v1.36 pkg/api/v1/pod/util.go, pkg/controller/controller_utils.go.
 */
import { parseTime } from "../../api/time.ts";
import type { Pod, PodCondition } from "../../api/types.ts";

/** Whether the pod is Succeeded or Failed: its containers have ended for good. */
export function isPodTerminal(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return phase === "Succeeded" || phase === "Failed";
}

/**
 * Whether no container of the pod runs: the pod is terminal, or is being deleted with all containers terminated or waiting.
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

/** Whether the pod counts as a replica: it is neither terminal nor being deleted. */
export function isPodActive(pod: Pod): boolean {
  return !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** Whether the pod is being deleted and not terminal yet. */
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

/** When the pod became ready, in ms since 1970; undefined if it is not ready, or the time is unknown. */
export function podReadyTime(pod: Pod): number | undefined {
  const condition = podReadyCondition(pod);
  if (condition?.status !== "True") return undefined;
  // An unknown time is null in JSON, which the types do not show.
  const time: string | null | undefined = condition.lastTransitionTime;
  return time === undefined || time === null ? undefined : parseTime(time);
}

/** Whether the pod has been ready for at least `minReadySeconds` at `now`, in ms since 1970. */
export function isPodAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (!isPodReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const readyTime = podReadyTime(pod);
  return readyTime !== undefined && readyTime + minReadySeconds * 1000 <= now;
}

/** The time until a ready pod becomes available, in ms; undefined if it already is, or is not ready. */
function availableInMs(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  if (minReadySeconds <= 0) return undefined;
  const readyTime = podReadyTime(pod);
  if (readyTime === undefined) return undefined;
  const ms = readyTime + minReadySeconds * 1000 - now;
  return ms > 0 ? ms : undefined;
}

/** A pod that is ready and not yet available. */
export interface NextAvailability {
  readonly pod: Pod;
  /** The time until it becomes available, in ms; 0 if that has passed. */
  readonly inMs: number;
}

/**
 * The pod that becomes available next after `evaluatedAt`, the time for which the status was computed, so that a pod that has become
 * available since is not skipped. The wait is counted from `now`.
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
