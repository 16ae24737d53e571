/**
 * The status that a Deployment should have, derived from the status of its ReplicaSets.
 * Source: kubernetes v1.36 pkg/controller/deployment/sync.go calculateStatus, syncDeploymentStatus.
 */
import { deepEqual, fieldChanges } from "../../api/field-changes.ts";
import type { Deployment, ReplicaSet } from "../../api/types.ts";
import { findCondition } from "../../controller/workload/conditions.ts";
import { countsTerminatingReplicas } from "../../controller/workload/server-features.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { conditionAt, type DeploymentCondition, type DeploymentStatus, setCondition } from "./conditions.ts";
import { totalInStatus, totalSize, terminating } from "./replica-sets.ts";
import { type Rollout, writeStatus } from "./rollout.ts";
import { status as statusRule } from "./status-rules.ts";
import { desiredReplicas, maxUnavailable } from "./strategy.ts";

/** All ReplicaSets of a Deployment, and which of them is the new one. */
export interface Members {
  readonly all: readonly ReplicaSet[];
  readonly newReplicaSet: ReplicaSet | undefined;
}

/**
 * The counts and the condition Available; Progressing and ReplicaFailure are kept as they are.
 */
export function calculateStatus(
  deployment: Deployment,
  { all, newReplicaSet }: Members,
  context: Pick<SyncContext, "now" | "serverVersion">,
): DeploymentStatus {
  const { status } = deployment;
  const available = totalInStatus(all, "availableReplicas");
  const terminatingReplicas = countsTerminatingReplicas(context.serverVersion) ? terminating(all) : undefined;
  const { collisionCount } = status ?? {};
  return statusOf({
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: totalInStatus(all, "replicas"),
    updatedReplicas: totalInStatus(newReplicaSet === undefined ? [] : [newReplicaSet], "replicas"),
    readyReplicas: totalInStatus(all, "readyReplicas"),
    availableReplicas: available,
    unavailableReplicas: Math.max(totalSize(all) - available, 0),
    ...(terminatingReplicas !== undefined && { terminatingReplicas }),
    ...(collisionCount !== undefined && { collisionCount }),
    conditions: setCondition(status?.conditions, availability(deployment, available, context.now())),
  });
}

function availability(deployment: Deployment, available: number, now: number): DeploymentCondition {
  const isEnough = available >= desiredReplicas(deployment) - maxUnavailable(deployment);
  return conditionAt(
    now,
    isEnough
      ? {
          type: "Available",
          status: "True",
          reason: "MinimumReplicasAvailable",
          message: "Deployment has minimum availability.",
        }
      : {
          type: "Available",
          status: "False",
          reason: "MinimumReplicasUnavailable",
          message: "Deployment does not have minimum availability.",
        },
  );
}

/** The same status in Go's field order, omitting the zeros and empty lists that Go omits. */
export function statusOf(status: DeploymentStatus): DeploymentStatus {
  const { observedGeneration, replicas, updatedReplicas, readyReplicas, availableReplicas } = status;
  const { unavailableReplicas, terminatingReplicas, conditions = [], collisionCount } = status;
  return {
    ...(observedGeneration && { observedGeneration }),
    ...(replicas && { replicas }),
    ...(updatedReplicas && { updatedReplicas }),
    ...(readyReplicas && { readyReplicas }),
    ...(availableReplicas && { availableReplicas }),
    ...(unavailableReplicas && { unavailableReplicas }),
    // Pointers in Go: 0 and absent differ.
    ...(terminatingReplicas !== undefined && { terminatingReplicas }),
    ...(conditions.length > 0 && { conditions }),
    ...(collisionCount !== undefined && { collisionCount }),
  };
}

/** Whether the Deployment has this status already. */
export function isStatusCurrent(deployment: Deployment, wanted: DeploymentStatus): boolean {
  return deepEqual(statusOf(deployment.status ?? {}), wanted);
}

/** Updates the status of a Deployment that is not rolling out: being deleted, paused or scaled. @throws the refusal */
export async function syncStatus(rollout: Rollout, members: Members): Promise<void> {
  const wanted = calculateStatus(rollout.deployment, members, rollout.context);
  if (!isStatusCurrent(rollout.deployment, wanted)) await replaceStatus(rollout, wanted);
}

/** Decides on the wanted status and writes it. @throws the refusal */
export async function replaceStatus(rollout: Rollout, wanted: DeploymentStatus): Promise<void> {
  const because = decideStatus(rollout.context, rollout.deployment.status ?? {}, wanted);
  rollout.deployment = { ...rollout.deployment, status: wanted };
  await writeStatus(rollout, because);
}

function decideStatus(context: SyncContext, before: DeploymentStatus, wanted: DeploymentStatus): Decision {
  const changes = fieldChanges(statusOf(before), wanted).filter(({ path }) => !path.startsWith(".conditions"));
  const notable = changes.filter(({ path, after }) => path !== ".terminatingReplicas" || after !== 0);
  return context.decide(statusRule, {
    changes: notable.length > 0 ? notable : changes,
    conditions: conditionChanges(before.conditions ?? [], wanted.conditions ?? []),
  });
}

function conditionChanges(before: readonly DeploymentCondition[], wanted: readonly DeploymentCondition[]): string[] {
  const gone = before
    .filter(({ type }) => findCondition(wanted, type) === undefined)
    .map(({ type }) => `${type} removed`);
  const other = wanted.flatMap((condition) => {
    const { type, status, reason } = condition;
    const was = findCondition(before, type);
    return was?.status === status && was.reason === reason ? [] : [`${type} ${status} (${reason ?? ""})`];
  });
  return [...other, ...gone];
}
