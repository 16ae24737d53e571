/**
 * What a pod's state means for a StatefulSet.
 * Source: kubernetes v1.36 pkg/controller/statefulset/stateful_set_utils.go.
 */
import type { Pod } from "../../api/types.ts";
import { isPodAvailable, isPodReady } from "../../controller/workload/pod-status.ts";

/** What availability depends on. */
export interface AvailabilityTime {
  readonly minReadySeconds: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** It exists on the API server: it has a phase. */
export function isCreated(pod: Pod): boolean {
  return (pod.status?.phase ?? "") !== "";
}

/** Running, with the condition Ready. */
export function isRunningAndReady(pod: Pod): boolean {
  return pod.status?.phase === "Running" && isPodReady(pod);
}

/** It has a deletionTimestamp. */
export function isTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

/** Ready for long enough, whatever its phase. */
export function isAvailable(pod: Pod, { minReadySeconds, now }: AvailabilityTime): boolean {
  return isPodAvailable(pod, minReadySeconds, now);
}

/** Not available, or being deleted. */
export function isUnavailable(pod: Pod, time: AvailabilityTime): boolean {
  return !isAvailable(pod, time) || isTerminating(pod);
}
