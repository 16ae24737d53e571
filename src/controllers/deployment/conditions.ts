/**
 * The conditions of a Deployment: Available, Progressing, ReplicaFailure.
 * Source: kubernetes v1.36 pkg/controller/deployment/util/deployment_util.go. Reasons and messages are upstream's:
 * users and programs search for them.
 */
import { formatTime } from "../../api/time.ts";
import type { Deployment, ReplicaSet } from "../../api/types.ts";
import { findCondition, withCondition } from "../../controller/workload/conditions.ts";

/** `status` of a Deployment. */
export type DeploymentStatus = NonNullable<Deployment["status"]>;
/** A condition of that status. */
export type DeploymentCondition = NonNullable<DeploymentStatus["conditions"]>[number];
type ReplicaSetCondition = NonNullable<NonNullable<ReplicaSet["status"]>["conditions"]>[number];

/** A condition to be set, without its times. */
export interface NewCondition {
  readonly type: "Available" | "Progressing" | "ReplicaFailure";
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** The condition Progressing, if the status has it. */
export function progressing(status: DeploymentStatus | undefined): DeploymentCondition | undefined {
  return findCondition(status?.conditions, "Progressing");
}

/** A condition set for the first time, at `now` (ms since 1970). */
export function conditionAt(now: number, { type, status, reason, message }: NewCondition): DeploymentCondition {
  const time = formatTime(now);
  return { type, status, lastUpdateTime: time, lastTransitionTime: time, reason, message };
}

/**
 * The conditions with this one added or replaced; unchanged if it has the same status and reason already. A new reason
 * for the same status keeps the last transition time.
 */
export function setCondition(
  conditions: readonly DeploymentCondition[] | undefined,
  condition: DeploymentCondition,
): readonly DeploymentCondition[] {
  const current = findCondition(conditions, condition.type);
  if (current?.status !== condition.status) return withCondition(conditions, condition);
  const { lastTransitionTime } = current;
  return withCondition(conditions, { ...condition, ...(lastTransitionTime !== undefined && { lastTransitionTime }) });
}

/** The ReplicaSet's condition ReplicaFailure, as the Deployment repeats it. */
export function replicaFailureOf(replicaSet: ReplicaSet): DeploymentCondition | undefined {
  const found: ReplicaSetCondition | undefined = findCondition(replicaSet.status?.conditions, "ReplicaFailure");
  if (found === undefined) return undefined;
  const { type, status, lastTransitionTime, reason, message } = found;
  return {
    type,
    status,
    ...(lastTransitionTime !== undefined && { lastUpdateTime: lastTransitionTime, lastTransitionTime }),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
  };
}
