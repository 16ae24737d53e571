/** What the status of a DaemonSet counts. Source: kubernetes v1.36 pkg/controller/daemon/daemon_controller.go updateDaemonSetStatus. */
import type { DaemonSet } from "../../api/types.ts";
import { isPodAvailable, isPodReady } from "../../controller/workload/pod-status.ts";
import { oldestFirst } from "./daemon-pods.ts";
import { isUpToDate } from "./new-pod.ts";
import type { NodesInput } from "./plan-nodes.ts";
import { minReadySeconds } from "./spec.ts";

/** `status` of a DaemonSet. */
export type DaemonSetStatus = NonNullable<DaemonSet["status"]>;

/** The counts of a status: of nodes, and of the oldest pod on each. */
export interface Counts {
  readonly desiredNumberScheduled: number;
  readonly currentNumberScheduled: number;
  readonly numberMisscheduled: number;
  readonly numberReady: number;
  readonly updatedNumberScheduled: number;
  readonly numberAvailable: number;
  readonly numberUnavailable: number;
}

/** Counts existing nodes; pods on other nodes do not count. */
export function countNodes({ set, nodes, pods, fitOf, hash, now }: NodesInput): Counts {
  let [desired, current, misscheduled, ready, updated, available] = [0, 0, 0, 0, 0, 0];
  for (const node of nodes) {
    const { shouldRun } = fitOf(node);
    const [pod] = oldestFirst(pods.get(node.metadata.name) ?? []);
    if (shouldRun) desired++;
    if (pod === undefined) continue;
    if (!shouldRun) {
      misscheduled++;
      continue;
    }
    current++;
    if (isPodReady(pod)) ready++;
    if (isPodAvailable(pod, minReadySeconds(set), now)) available++;
    if (isUpToDate(pod, { set, hash })) updated++;
  }
  return {
    desiredNumberScheduled: desired,
    currentNumberScheduled: current,
    numberMisscheduled: misscheduled,
    numberReady: ready,
    updatedNumberScheduled: updated,
    numberAvailable: available,
    numberUnavailable: desired - available,
  };
}

/** Whether the status already has these counts and the current observed generation. */
export function isCurrent({ status, metadata }: DaemonSet, counts: Counts): boolean {
  const before: Partial<DaemonSetStatus> = status ?? {};
  // Built above from exactly these fields.
  const fields = Object.keys(counts) as (keyof Counts)[];
  return (
    (before.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
    fields.every((field) => (before[field] ?? 0) === counts[field])
  );
}

/** The status with these counts; fields that this controller does not count stay. In Go's field order, without the zeros that Go omits. */
export function withCounts(
  before: DaemonSetStatus | undefined,
  { counts, observedGeneration }: { readonly counts: Counts; readonly observedGeneration: number },
): DaemonSetStatus {
  const { collisionCount, conditions } = before ?? {};
  const { updatedNumberScheduled, numberAvailable, numberUnavailable, ...always } = counts;
  return {
    currentNumberScheduled: always.currentNumberScheduled,
    numberMisscheduled: always.numberMisscheduled,
    desiredNumberScheduled: always.desiredNumberScheduled,
    numberReady: always.numberReady,
    ...(observedGeneration !== 0 && { observedGeneration }),
    ...(updatedNumberScheduled !== 0 && { updatedNumberScheduled }),
    ...(numberAvailable !== 0 && { numberAvailable }),
    ...(numberUnavailable !== 0 && { numberUnavailable }),
    ...(collisionCount !== undefined && { collisionCount }),
    ...(conditions !== undefined && { conditions }),
  };
}
