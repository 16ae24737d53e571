import { Deployments, ReplicaSets } from "../../api/kinds.ts";
import { matchesEverything, type Selector, selectorOf } from "../../api/labels.ts";
import { isNamespaceTerminating } from "../../api/status-error.ts";
import type { Deployment, ReplicaSet } from "../../api/types.ts";
import { ownedAndOrphaned } from "../../controller/api/owned.ts";
import { claim } from "../../controller/workload/ref-manager.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { progressing } from "./conditions.ts";
import { cleanupDeployment } from "./history.ts";
import { getReplicaSetsAndSyncRevision } from "./new-replica-set.ts";
import { recreate } from "./recreate.ts";
import { rollback, rollbackTo } from "./rollback.ts";
import { rolloutRolling } from "./rolling.ts";
import { type Rollout, setOwnCondition, setStatus, writeStatus } from "./rollout.ts";
import { beingDeleted, namespaceEnding, pause, selectsEverything } from "./rules.ts";
import { isScalingEvent, scale } from "./scaling.ts";
import { syncStatus } from "./status.ts";
import { hasProgressDeadline } from "./strategy.ts";

/**
 * Brings the ReplicaSets of one Deployment one step closer to its template and size. The deltas of each step's writes enqueue the key
 * again, until nothing is left to do.
 *
 * Source: kubernetes v1.36 pkg/controller/deployment/deployment_controller.go syncDeployment, handleErr.
 */
export async function syncDeployment(context: SyncContext): Promise<void> {
  const cached = context.cache(Deployments).get(context.key);
  if (cached === undefined) return;
  // Throws for an invalid selector, which the API server never stores.
  const selector = selectorOf(cached.spec?.selector);
  try {
    if (matchesEverything(selector)) return await refuseToSelectAll(context, cached);
    const replicaSets = await claimReplicaSets(context, cached, selector);
    await syncByState({ context, cached, deployment: cached, replicaSets, sent: false });
  } catch (error) {
    if (!isNamespaceTerminating(error)) throw error;
    context.decide(namespaceEnding, {});
  }
}

async function refuseToSelectAll(context: SyncContext, cached: Deployment): Promise<void> {
  const message = "This deployment is selecting all pods. A non-empty selector is required.";
  context.event(Deployments, cached, { type: "Warning", reason: "SelectingAll", message });
  const because = context.decide(selectsEverything, {});
  const generation = cached.metadata.generation ?? 0;
  if ((cached.status?.observedGeneration ?? 0) >= generation) return;
  const rollout: Rollout = { context, cached, deployment: cached, replicaSets: [], sent: false };
  setStatus(rollout, { observedGeneration: generation });
  // Nothing depends on this write, so a refusal is no reason to retry.
  await writeStatus(rollout, because).catch(() => undefined);
}

function claimReplicaSets(context: SyncContext, owner: Deployment, selector: Selector): Promise<ReplicaSet[]> {
  return claim(context, ownedAndOrphaned(context.cache(ReplicaSets), owner, Deployments), {
    owner,
    ownerKind: Deployments,
    kind: ReplicaSets,
    selector,
  });
}

/** Dispatches to one of: status only, scaling, rollback, Recreate, RollingUpdate. */
async function syncByState(rollout: Rollout): Promise<void> {
  const { context, cached } = rollout;
  if (cached.metadata.deletionTimestamp !== undefined) {
    context.decide(beingDeleted, {});
    return syncStatusOnly(rollout);
  }
  await checkPausedConditions(rollout);
  if (cached.spec?.paused === true) return scaleAndSyncStatus(rollout);
  const revision = rollbackTo(cached);
  if (revision !== undefined) return rollback(rollout, revision);
  if (isScalingEvent(cached, await getReplicaSetsAndSyncRevision(rollout))) return scaleAndSyncStatus(rollout);
  const type = cached.spec?.strategy?.type;
  switch (type) {
    case "Recreate":
      return recreate(rollout);
    case "RollingUpdate":
      return rolloutRolling(rollout);
    case undefined:
    default:
      throw new RangeError(`unexpected deployment strategy type: ${type}`);
  }
}

async function syncStatusOnly(rollout: Rollout): Promise<void> {
  const { newReplicaSet, old } = await getReplicaSetsAndSyncRevision(rollout);
  await syncStatus(rollout, { all: newReplicaSet === undefined ? old : [...old, newReplicaSet], newReplicaSet });
}

/** For a Deployment that is paused or being scaled: sizes and status, no rollout. */
async function scaleAndSyncStatus(rollout: Rollout): Promise<void> {
  const partitioned = await getReplicaSetsAndSyncRevision(rollout);
  const { newReplicaSet, old } = partitioned;
  await scale(rollout, partitioned);
  const { deployment } = rollout;
  if (deployment.spec?.paused === true && rollbackTo(deployment) === undefined) await cleanupDeployment(rollout, old);
  await syncStatus(rollout, { all: newReplicaSet === undefined ? old : [...old, newReplicaSet], newReplicaSet });
}

/** Sets the condition Progressing when it is paused or resumed, unless the deadline has already passed. */
async function checkPausedConditions(rollout: Rollout): Promise<void> {
  const { context, cached } = rollout;
  const reason = progressing(cached.status)?.reason;
  if (!hasProgressDeadline(cached) || reason === "ProgressDeadlineExceeded") return;
  const paused = cached.spec?.paused === true;
  if (paused === (reason === "DeploymentPaused")) return;
  setOwnCondition(
    rollout,
    paused
      ? { type: "Progressing", status: "Unknown", reason: "DeploymentPaused", message: "Deployment is paused" }
      : { type: "Progressing", status: "Unknown", reason: "DeploymentResumed", message: "Deployment is resumed" },
  );
  await writeStatus(rollout, context.decide(pause, { paused }));
}
