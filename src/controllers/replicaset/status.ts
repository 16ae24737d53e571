/**
 * The status that an object should have.
 * Source: kubernetes v1.36 pkg/controller/replicaset/replica_set_utils.go calculateStatus.
 */
import { deepEqual } from "../../api/field-changes.ts";
import { matches, selectorOfLabels } from "../../api/labels.ts";
import { formatTime } from "../../api/time.ts";
import type { Pod } from "../../api/types.ts";
import { findCondition, withCondition, withoutCondition } from "../../controller/workload/conditions.ts";
import { isPodAvailable, isPodReady } from "../../controller/workload/pod-status.ts";
import { desiredReplicas, type ReplicaCondition, type ReplicaOwner, type ReplicaStatus } from "./replica-owner.ts";

/** The only condition that this controller sets. */
export const replicaFailureCondition = "ReplicaFailure";

/** What the status is calculated from. */
export interface Observed {
  /** As listed before this sync created or deleted any. */
  readonly active: readonly Pod[];
  /** Undefined if the kind's status does not count terminating pods. */
  readonly terminating: readonly Pod[] | undefined;
  /** Why creating or deleting pods failed in this sync. */
  readonly failure: Error | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * The status to be written, with the observed generation of the current one. Counts are of active pods. The condition
 * ReplicaFailure keeps the time and message of the first failure until a sync succeeds.
 */
export function calculateStatus(object: ReplicaOwner, observed: Observed): ReplicaStatus {
  const { active, terminating } = observed;
  const minReadySeconds = object.spec?.minReadySeconds ?? 0;
  const templateLabels = selectorOfLabels(object.spec?.template?.metadata?.labels);
  let [fullyLabeled, ready, available] = [0, 0, 0];
  for (const pod of active) {
    if (matches(templateLabels, pod.metadata.labels)) fullyLabeled++;
    if (!isPodReady(pod)) continue;
    ready++;
    if (isPodAvailable(pod, minReadySeconds, observed.now)) available++;
  }
  return statusOf({
    replicas: active.length,
    fullyLabeledReplicas: fullyLabeled,
    readyReplicas: ready,
    availableReplicas: available,
    ...(terminating !== undefined && { terminatingReplicas: terminating.length }),
    observedGeneration: object.status?.observedGeneration ?? 0,
    conditions: conditionsOf(object, observed),
  });
}

/** The same status in Go's field order, omitting the zeros and empty lists that Go omits. */
export function statusOf(status: ReplicaStatus): ReplicaStatus {
  const { replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, terminatingReplicas } = status;
  const { observedGeneration, conditions = [] } = status;
  return {
    replicas,
    ...(fullyLabeledReplicas && { fullyLabeledReplicas }),
    ...(readyReplicas && { readyReplicas }),
    ...(availableReplicas && { availableReplicas }),
    // A pointer in Go: 0 and absent differ.
    ...(terminatingReplicas !== undefined && { terminatingReplicas }),
    ...(observedGeneration && { observedGeneration }),
    ...(conditions.length > 0 && { conditions }),
  };
}

function conditionsOf(object: ReplicaOwner, { active, failure, now }: Observed): readonly ReplicaCondition[] {
  const conditions = object.status?.conditions ?? [];
  const current = findCondition(conditions, replicaFailureCondition);
  if (failure === undefined) return withoutCondition(conditions, replicaFailureCondition);
  if (current !== undefined) return conditions;
  const missing = desiredReplicas(object) - active.length;
  const reason = missing > 0 ? "FailedCreate" : missing < 0 ? "FailedDelete" : "";
  return withCondition(conditions, {
    type: replicaFailureCondition,
    status: "True",
    lastTransitionTime: formatTime(now),
    ...(reason !== "" && { reason }),
    ...(failure.message !== "" && { message: failure.message }),
  });
}

/** Whether the object has this status already, and its observed generation is the current one. */
export function isStatusCurrent(object: ReplicaOwner, wanted: ReplicaStatus): boolean {
  const { replicas = 0, ...rest } = object.status ?? {};
  return (
    (object.metadata.generation ?? 0) === (object.status?.observedGeneration ?? 0) &&
    deepEqual(statusOf({ replicas, ...rest }), wanted)
  );
}
