/**
 * RollingUpdate: the new ReplicaSet is scaled up and the old ones down, one step per sync, within maxSurge and
 * maxUnavailable.
 * Source: kubernetes v1.36 pkg/controller/deployment/rolling.go.
 */
import { StatusError } from "../../api/status-error.ts";
import { TransportError } from "../../api/transport.ts";
import type { ReplicaSet } from "../../api/types.ts";
import { deploymentComplete } from "./complete.ts";
import { cleanupDeployment } from "./history.ts";
import { getReplicaSetsWithNew, type PartitionWithNew } from "./new-replica-set.ts";
import { newReplicaSetReplicas } from "./new-replica-set-replicas.ts";
import { filterActive, totalInStatus, sizeOf, totalSize, unavailable } from "./replica-sets.ts";
import { type Rollout, scaleReplicaSet } from "./rollout.ts";
import { syncRolloutStatus } from "./rollout-status.ts";
import { cleanupUnhealthy, hold, scaleDownNew, scaleDownOld, scaleUpNew } from "./rollout-rules.ts";
import { boundInWords, desiredReplicas, maxUnavailable } from "./strategy.ts";

/**
 * One step of a rolling update, then the status. If the API server refuses to scale an old ReplicaSet down, the status is still written,
 * and the refusal is thrown at the end, so that the key is retried. Upstream drops the error; if no delta follows, as after a server error,
 * the old pods stay until the progress deadline.
 *
 * @throws the first refusal
 */
export async function rolloutRolling(rollout: Rollout): Promise<void> {
  const { newReplicaSet, old } = await getReplicaSetsWithNew(rollout);
  const all = [...old, newReplicaSet];
  const step = (await reconcileNewReplicaSet(rollout, all, newReplicaSet))
    ? "taken"
    : await reconcileOldReplicaSets(rollout, all, { newReplicaSet, old });
  if (step !== "taken" && deploymentComplete(rollout.deployment, rollout.deployment.status))
    await cleanupDeployment(rollout, old);
  await syncRolloutStatus(rollout, all, newReplicaSet);
  if (step instanceof Error) throw step;
}

/** Whether a ReplicaSet was scaled; an Error if the API server refused a write or did not respond. */
type Step = "taken" | "none" | Error;

/** Returns whether the new ReplicaSet was scaled. */
async function reconcileNewReplicaSet(
  rollout: Rollout,
  all: readonly ReplicaSet[],
  newReplicaSet: ReplicaSet,
): Promise<boolean> {
  const { context, deployment } = rollout;
  const desired = desiredReplicas(deployment);
  const from = sizeOf(newReplicaSet);
  const replicaSet = newReplicaSet.metadata.name;
  if (from === desired) return false;
  if (from > desired) {
    const because = context.decide(scaleDownNew, { replicaSet, from, to: desired });
    return (await scaleReplicaSet(rollout, newReplicaSet, { to: desired, because })).scaled;
  }
  const to = newReplicaSetReplicas(deployment, { all, current: from });
  if (to === from) return false;
  const surge = boundInWords(deployment, "maxSurge");
  const because = context.decide(scaleUpNew, { replicaSet, from, to, desired, total: totalSize(all), surge });
  return (await scaleReplicaSet(rollout, newReplicaSet, { to, because })).scaled;
}

/**
 * Scales old ReplicaSets down: first by their unavailable pods, then by available ones as long as enough stay available. Unavailable pods
 * of the new ReplicaSet count as missing, so a template whose pods never become available costs no old pod: with 10 desired, 8 that must
 * stay available, and 13 in total of which 5 are new and broken, none of the 8 old pods may be removed.
 */
async function reconcileOldReplicaSets(
  rollout: Rollout,
  all: readonly ReplicaSet[],
  { newReplicaSet, old }: PartitionWithNew,
): Promise<Step> {
  const { context, deployment } = rollout;
  const shrinking = filterActive(old);
  if (shrinking.length === 0) return "none";
  const minAvailable = desiredReplicas(deployment) - maxUnavailable(deployment);
  const most = totalSize(all) - minAvailable - unavailable(newReplicaSet);
  let scaledDown = 0;
  if (most > 0) {
    try {
      const cleaned = await cleanupUnhealthyReplicas(rollout, shrinking, most);
      if (cleaned === undefined) return "none";
      scaledDown =
        cleaned.scaledDown + (await scaleDownOldReplicaSets(rollout, cleaned.old, { newReplicaSet, minAvailable }));
    } catch (error) {
      if (error instanceof StatusError || error instanceof TransportError) return error;
      throw error;
    }
  }
  if (scaledDown > 0) return "taken";
  context.decide(hold, {
    replicaSet: newReplicaSet.metadata.name,
    old: totalSize(shrinking),
    available: totalInStatus(all, "availableReplicas"),
    minAvailable,
    unavailable: unavailable(newReplicaSet),
  });
  return "none";
}

interface CleanedUp {
  /** The old ReplicaSets after the clean-up. */
  readonly old: readonly ReplicaSet[];
  /** By how many pods they were scaled down in total. */
  readonly scaledDown: number;
}

/** Undefined if a status counts more available pods than desired: then nothing is scaled down, as in upstream. */
async function cleanupUnhealthyReplicas(
  rollout: Rollout,
  old: readonly ReplicaSet[],
  most: number,
): Promise<CleanedUp | undefined> {
  let scaledDown = 0;
  const after: ReplicaSet[] = [];
  for (const one of old) {
    const from = sizeOf(one);
    const fewer = scaledDown === most ? 0 : Math.min(most - scaledDown, unavailable(one));
    if (fewer < 0) return undefined;
    if (fewer === 0) {
      after.push(one);
      continue;
    }
    const facts = { replicaSet: one.metadata.name, from, to: from - fewer, unavailable: unavailable(one), most };
    const because = rollout.context.decide(cleanupUnhealthy, facts);
    after.push((await scaleReplicaSet(rollout, one, { to: from - fewer, because })).replicaSet);
    scaledDown += fewer;
  }
  return { old: after, scaledDown };
}

async function scaleDownOldReplicaSets(
  rollout: Rollout,
  old: readonly ReplicaSet[],
  { newReplicaSet, minAvailable }: { readonly newReplicaSet: ReplicaSet; readonly minAvailable: number },
): Promise<number> {
  const { context, deployment } = rollout;
  const available = totalInStatus([...old, newReplicaSet], "availableReplicas");
  let scaledDown = 0;
  for (const one of old) {
    const from = sizeOf(one);
    const fewer = Math.min(from, available - minAvailable - scaledDown);
    if (fewer <= 0) continue;
    const because = context.decide(scaleDownOld, {
      replicaSet: one.metadata.name,
      from,
      to: from - fewer,
      available,
      minAvailable,
      bound: boundInWords(deployment, "maxUnavailable"),
    });
    await scaleReplicaSet(rollout, one, { to: from - fewer, because });
    scaledDown += fewer;
  }
  return scaledDown;
}
