/**
 * How far a rollout has come, by the Deployment's status.
 * Source: kubernetes v1.36 pkg/controller/deployment/util/deployment_util.go.
 */
import { parseTime } from "../../api/time.ts";
import type { Deployment } from "../../api/types.ts";
import { type DeploymentCondition, type DeploymentStatus, progressing } from "./conditions.ts";
import { desiredReplicas } from "./strategy.ts";

/** All pods are new and available, none is old, and the status is of the present spec. */
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

/** Whether something got better from the status that it has to the next: more new, ready or available pods, or fewer old ones. */
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

/** How many ms are left of the progress deadline since the condition was last updated; negative when it has passed. */
export function leftOfDeadline(deployment: Deployment, condition: DeploymentCondition, now: number): number {
  // Unset times come as null, which the models do not tell; they lie before any other.
  const time: string | null | undefined = condition.lastUpdateTime;
  const since = time === undefined || time === null ? -Infinity : parseTime(time);
  return since + (deployment.spec?.progressDeadlineSeconds ?? 0) * 1000 - now;
}

/**
 * Whether the progress deadline has passed, or had passed before. A rollout that was complete never times out: the condition may be
 * older than the deadline, and the next one may have begun just now.
 */
export function deploymentTimedOut(deployment: Deployment, status: DeploymentStatus, now: number): boolean {
  const condition = progressing(status);
  if (condition === undefined || condition.reason === "NewReplicaSetAvailable") return false;
  return condition.reason === "ProgressDeadlineExceeded" || leftOfDeadline(deployment, condition, now) < 0;
}
