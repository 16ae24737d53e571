/**
 * The status that a StatefulSet should have.
 * Source: kubernetes v1.36 pkg/controller/statefulset/stateful_set_control.go updateStatus; stateful_set_utils.go
 * completeRollingUpdate, inconsistentStatus.
 */
import type { Pod, StatefulSet } from "../../api/types.ts";
import { revisionOf } from "./identity.ts";
import { isAvailable, isCreated, isRunningAndReady, isTerminating, type AvailabilityTime } from "./pod-state.ts";
import type { Revisions } from "./members.ts";
import type { FoundRevisions } from "./revisions.ts";
import { desiredReplicas, rollsOut } from "./spec.ts";

/** `status` of a StatefulSet. */
export type StatefulSetStatus = NonNullable<StatefulSet["status"]>;

/** How many pods are in each state. */
export interface PodCounts {
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly currentReplicas: number;
  readonly updatedReplicas: number;
}

/** Counts the pods as they were before the sync. */
export function countPods(
  pods: readonly Pod[],
  { current, update, time }: Revisions & { readonly time: AvailabilityTime },
): PodCounts {
  const created = pods.filter(isCreated);
  const ready = pods.filter(isRunningAndReady);
  const remaining = created.filter((pod) => !isTerminating(pod));
  const of = (name: string): number => remaining.filter((pod) => revisionOf(pod) === name).length;
  return {
    replicas: created.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, time)).length,
    currentReplicas: of(current.metadata.name),
    updatedReplicas: of(update.metadata.name),
  };
}

/**
 * The status with these counts. When all pods are updated and ready, the update revision becomes the current one. Conditions are dropped:
 * this controller sets none.
 */
export function statusOf(
  set: StatefulSet,
  { counts, revisions }: { readonly counts: PodCounts; readonly revisions: FoundRevisions },
): StatefulSetStatus {
  const { replicas, readyReplicas, updatedReplicas, availableReplicas } = counts;
  const desired = desiredReplicas(set);
  const isComplete = rollsOut(set) && updatedReplicas === desired && readyReplicas === desired && replicas === desired;
  const currentReplicas = isComplete ? updatedReplicas : counts.currentReplicas;
  const update = revisions.update.metadata.name;
  const observedGeneration = set.metadata.generation ?? 0;
  // In Go's field order, without the zeros that Go omits.
  return {
    ...(observedGeneration !== 0 && { observedGeneration }),
    replicas,
    ...(readyReplicas !== 0 && { readyReplicas }),
    ...(currentReplicas !== 0 && { currentReplicas }),
    ...(updatedReplicas !== 0 && { updatedReplicas }),
    currentRevision: isComplete ? update : revisions.current.metadata.name,
    updateRevision: update,
    collisionCount: revisions.collisionCount,
    availableReplicas,
  };
}

const compared = [
  "replicas",
  "currentReplicas",
  "readyReplicas",
  "updatedReplicas",
  "availableReplicas",
  "currentRevision",
  "updateRevision",
] as const;

/** Whether the status must be written. A change of only the collision count or conditions causes no write. */
export function isInconsistent({ status: before }: StatefulSet, wanted: StatefulSetStatus): boolean {
  if ((wanted.observedGeneration ?? 0) > (before?.observedGeneration ?? 0)) return true;
  return compared.some((field) => (before?.[field] || undefined) !== (wanted[field] || undefined));
}
