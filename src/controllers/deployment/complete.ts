/**
 * How far a rollout has progressed, judged by the Deployment's status.
 * Source: kubernetes v1.36 pkg/controller/deployment/util/deployment_util.go.
 */
import { parseTime } from "../../api/time.ts";
import type { Deployment } from "../../api/types.ts";
import { type DeploymentCondition, type DeploymentStatus, progressing } from "./conditions.ts";
import { desiredReplicas } from "./strategy.ts";

/** Whether all pods are updated and available, no old pod is left, and the status reflects the current spec. */
export function deploymentComplete(deployment: Deployment, status: DeploymentStatus | undefined): boolean {
  const desired = desiredReplicas(deployment);
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status ?? {};
  return (
    updatedReplicas === desired &&
    replicas === desired &&
    availableReplicas === desired &&
    observedGeneration >= (deployment.metadata.generation ?? 0)
  );
}

/** Whether the next status is better than the current one: more updated, ready or available pods, or fewer old ones. */
export function deploymentProgressing({ status: before = {} }: Deployment, next: DeploymentStatus): boolean {
  const updated = ({ updatedReplicas = 0 }: DeploymentStatus): number => updatedReplicas;
  const old = (status: DeploymentStatus): number => (status.replicas ?? 0) - updated(status);
  return (
    updated(next) > updated(before) ||
    old(next) < old(before) ||
    (next.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (next.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

/** Milliseconds left until the progress deadline, counted from the condition's last update; negative once it has passed. */
export function leftOfDeadline(deployment: Deployment, condition: DeploymentCondition, now: number): number {
  // Unset times arrive as null, which the types do not mention; they sort before all others.
  const time: string | null | undefined = condition.lastUpdateTime;
  const since = time === undefined || time === null ? -Infinity : parseTime(time);
  return since + (deployment.spec?.progressDeadlineSeconds ?? 0) * 1000 - now;
}

/**
 * Whether the progress deadline has passed, now or earlier. A rollout that was complete never times out: its condition
 * may be older than the deadline although the next rollout has only just begun.
 */
export function deploymentTimedOut(deployment: Deployment, status: DeploymentStatus, now: number): boolean {
  const condition = progressing(status);
  if (condition === undefined || condition.reason === "NewReplicaSetAvailable") return false;
  return condition.reason === "ProgressDeadlineExceeded" || leftOfDeadline(deployment, condition, now) < 0;
}
