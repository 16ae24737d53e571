/**
 * Recreate: all old pods terminate before new ones are created.
 * Source: kubernetes v1.36 pkg/controller/deployment/recreate.go.
 */
import { Pods, ReplicaSets } from "../../api/kinds.ts";
import type { ReplicaSet } from "../../api/types.ts";
import { ownedBy } from "../../controller/api/owned.ts";
import { isPodTerminal } from "../../controller/workload/pod-status.ts";
import { deploymentComplete } from "./complete.ts";
import { cleanupDeployment } from "./history.ts";
import { getReplicaSetsAndSyncRevision, getReplicaSetsWithNew } from "./new-replica-set.ts";
import { filterActive, totalInStatus, type ReplicaSetPartition, sizeOf } from "./replica-sets.ts";
import { type Rollout, scaleReplicaSet } from "./rollout.ts";
import { syncRolloutStatus } from "./rollout-status.ts";
import { startNew, stopOld, waitForOld } from "./rollout-rules.ts";
import { desiredReplicas } from "./strategy.ts";

/**
 * One step, then the status. The steps: scale down old ReplicaSets, wait for their pods, create the new ReplicaSet,
 * scale it up. @throws the first refusal
 */
export async function recreate(rollout: Rollout): Promise<void> {
  const { newReplicaSet, old } = await getReplicaSetsAndSyncRevision(rollout);
  const all = newReplicaSet === undefined ? old : [...old, newReplicaSet];
  if (
    (await scaleDownOldReplicaSetsForRecreate(rollout, old)) ||
    (await oldPodsRunning(rollout, { newReplicaSet, old }))
  ) {
    return syncRolloutStatus(rollout, all, newReplicaSet);
  }
  const present = newReplicaSet ?? (await getReplicaSetsWithNew(rollout)).newReplicaSet;
  await scaleUpNewReplicaSetForRecreate(rollout, present);
  if (deploymentComplete(rollout.deployment, rollout.deployment.status)) await cleanupDeployment(rollout, old);
  return syncRolloutStatus(rollout, [...old, present], present);
}

/** Returns whether any old ReplicaSet was scaled down. */
async function scaleDownOldReplicaSetsForRecreate(rollout: Rollout, old: readonly ReplicaSet[]): Promise<boolean> {
  let stopped = false;
  for (const one of filterActive(old)) {
    const facts = { replicaSet: one.metadata.name, from: sizeOf(one), to: 0 };
    const because = rollout.context.decide(stopOld, facts);
    stopped = (await scaleReplicaSet(rollout, one, { to: 0, because })).scaled || stopped;
  }
  return stopped;
}

/** Whether an old ReplicaSet still counts pods, or has pods that are not terminal; a pod being deleted is not terminal yet. */
async function oldPodsRunning({ context }: Rollout, { newReplicaSet, old }: ReplicaSetPartition): Promise<boolean> {
  const count = totalInStatus(old, "replicas");
  const others = old.filter(({ metadata }) => metadata.uid !== newReplicaSet?.metadata.uid);
  await context.waitForCacheSync(Pods);
  const pods = others.flatMap((one) => ownedBy(context.cache(Pods), one, ReplicaSets));
  const running = pods.filter((pod) => !isPodTerminal(pod)).length;
  if (count === 0 && running === 0) return false;
  context.decide(waitForOld, { counted: count, running });
  return true;
}

async function scaleUpNewReplicaSetForRecreate(rollout: Rollout, newReplicaSet: ReplicaSet): Promise<void> {
  const [from, to] = [sizeOf(newReplicaSet), desiredReplicas(rollout.deployment)];
  if (from === to) return;
  const because = rollout.context.decide(startNew, { replicaSet: newReplicaSet.metadata.name, from, to });
  await scaleReplicaSet(rollout, newReplicaSet, { to, because });
}
