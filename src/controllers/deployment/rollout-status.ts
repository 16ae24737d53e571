/**
 * The status of a Deployment that is rolling out: whether it progresses, is complete, or is stuck.
 * Source: kubernetes v1.36 pkg/controller/deployment/progress.go.
 */
import type { Deployment, ReplicaSet } from "../../api/types.ts";
import { withoutCondition } from "../../controller/workload/conditions.ts";
import { deploymentTimedOut, deploymentComplete, deploymentProgressing, leftOfDeadline } from "./complete.ts";
import {
  conditionAt,
  type DeploymentCondition,
  type DeploymentStatus,
  progressing,
  replicaFailureOf,
  setCondition,
} from "./conditions.ts";
import type { Rollout } from "./rollout.ts";
import { calculateStatus, isStatusCurrent, type Members, replaceStatus, statusOf } from "./status.ts";
import { progress, progressCheck } from "./status-rules.ts";
import { desiredReplicas, hasProgressDeadline } from "./strategy.ts";

/**
 * Writes the status if it has changed; otherwise, if the rollout is stuck, requeues the key for its deadline.
 * @throws the refusal
 */
export async function syncRolloutStatus(
  rollout: Rollout,
  all: readonly ReplicaSet[],
  newReplicaSet?: ReplicaSet,
): Promise<void> {
  const { context, deployment } = rollout;
  const members = { all, newReplicaSet };
  const counted = calculateStatus(deployment, members, context);
  const conditions = withFailure(progressConditions(rollout, counted, members), members);
  const wanted = statusOf({ ...counted, conditions });
  if (isStatusCurrent(deployment, wanted)) requeueStuckDeployment(rollout, wanted);
  else await replaceStatus(rollout, wanted);
}

/** The conditions with Progressing derived from the counts; without a progress deadline that condition is removed. */
function progressConditions(
  rollout: Rollout,
  next: DeploymentStatus,
  { newReplicaSet }: Members,
): readonly DeploymentCondition[] {
  const { context, deployment } = rollout;
  const conditions = next.conditions ?? [];
  if (!hasProgressDeadline(deployment)) return withoutCondition(conditions, "Progressing");
  const current = progressing(deployment.status);
  // Once complete, it stays so until the template changes; with a single ReplicaSet there is nothing to roll out.
  const wasComplete = current?.reason === "NewReplicaSetAvailable";
  if (wasComplete && (next.replicas ?? 0) === (next.updatedReplicas ?? 0)) return conditions;
  const verdict = verdictOf(deployment, next, context.now());
  if (verdict === undefined) return conditions;
  const condition = conditionAt(context.now(), conditionOf(verdict, deployment, newReplicaSet));
  const changed =
    verdict === "progressing" ? withProgressTime(conditions, current, condition) : setCondition(conditions, condition);
  if (changed !== conditions) {
    context.decide(progress, {
      verdict,
      replicaSet: newReplicaSet?.metadata.name,
      desired: desiredReplicas(deployment),
      updated: next.updatedReplicas ?? 0,
      available: next.availableReplicas ?? 0,
      deadlineSeconds: deployment.spec?.progressDeadlineSeconds ?? 0,
    });
  }
  return changed;
}

type Verdict = "complete" | "progressing" | "timed out";

function verdictOf(deployment: Deployment, next: DeploymentStatus, now: number): Verdict | undefined {
  if (deploymentComplete(deployment, next)) return "complete";
  if (deploymentProgressing(deployment, next)) return "progressing";
  return deploymentTimedOut(deployment, next, now) ? "timed out" : undefined;
}

const progressReasons = {
  complete: { status: "True", reason: "NewReplicaSetAvailable", message: "has successfully progressed." },
  progressing: { status: "True", reason: "ReplicaSetUpdated", message: "is progressing." },
  "timed out": { status: "False", reason: "ProgressDeadlineExceeded", message: "has timed out progressing." },
} as const;

function conditionOf(
  verdict: Verdict,
  { metadata }: Deployment,
  newReplicaSet: ReplicaSet | undefined,
): Parameters<typeof conditionAt>[1] {
  const { message, ...telling } = progressReasons[verdict];
  const who =
    newReplicaSet === undefined ? `Deployment "${metadata.name}"` : `ReplicaSet "${newReplicaSet.metadata.name}"`;
  return { type: "Progressing", ...telling, message: `${who} ${message}` };
}

/** Any progress updates lastUpdateTime, even if status and reason stay the same: the deadline counts from that time. */
function withProgressTime(
  conditions: readonly DeploymentCondition[],
  current: DeploymentCondition | undefined,
  condition: DeploymentCondition,
): readonly DeploymentCondition[] {
  const since = current?.status === "True" ? current.lastTransitionTime : undefined;
  const one = since === undefined ? condition : { ...condition, lastTransitionTime: since };
  return [...withoutCondition(conditions, "Progressing"), one];
}

/** The failure of the new ReplicaSet, or else of the oldest old one that has one. */
function withFailure(
  conditions: readonly DeploymentCondition[],
  { all, newReplicaSet }: Members,
): readonly DeploymentCondition[] {
  const failures = [...(newReplicaSet === undefined ? [] : [newReplicaSet]), ...all].map(replicaFailureOf);
  const failure = failures.find((one) => one !== undefined);
  return failure === undefined ? withoutCondition(conditions, "ReplicaFailure") : setCondition(conditions, failure);
}

/** No delta arrives when a deadline passes: the key is requeued for a second after it, or at once if it is less than a second away. */
function requeueStuckDeployment({ context, deployment }: Rollout, status: DeploymentStatus): void {
  const current = progressing(deployment.status);
  if (!hasProgressDeadline(deployment) || current === undefined) return;
  if (deploymentComplete(deployment, status) || current.reason === "ProgressDeadlineExceeded") return;
  const leftMs = leftOfDeadline(deployment, current, context.now());
  const deadlineSeconds = deployment.spec?.progressDeadlineSeconds ?? 0;
  const wasComplete = current.reason === "NewReplicaSetAvailable";
  // A condition without a time counts as set at the epoch.
  const until = leftMs >= 0 ? { leftMs } : { passedMs: Math.min(-leftMs, context.now()) };
  const { sentence } = context.decide(progressCheck, { deadlineSeconds, ...until, wasComplete });
  if (leftMs < 1000) context.enqueueRateLimited(sentence);
  else context.enqueueAfter(leftMs + 1000, sentence);
}
