/**
 * Scaling a Deployment, even during a rollout: ReplicaSets are scaled proportionally, so that scaling does not advance the rollout.
 * Source: kubernetes v1.36 pkg/controller/deployment/sync.go scale, isScalingEvent.
 */
import type { Deployment, ReplicaSet } from "../../api/types.ts";
import { parseInt64 } from "../../controller/workload/revision-history.ts";
import { desiredReplicasAnnotation, maxReplicasAnnotation, sizeAnnotation } from "./annotations.ts";
import {
  filterActive,
  findActiveOrLatest,
  bySizeNewer,
  bySizeOlder,
  type ReplicaSetPartition,
  sizeOf,
  totalSize,
} from "./replica-sets.ts";
import { type Rollout, scaleReplicaSet } from "./rollout.ts";
import { proportional, saturated, scaleActive, staleSize } from "./scaling-rules.ts";
import { desiredReplicas, isRollingUpdate, maxSurge } from "./strategy.ts";

/** Whether the annotation of an active ReplicaSet records a Deployment size other than that of the current spec. */
export function isScalingEvent(deployment: Deployment, { newReplicaSet, old }: ReplicaSetPartition): boolean {
  const all = newReplicaSet === undefined ? old : [...old, newReplicaSet];
  return filterActive(all).some((replicaSet) => {
    const annotated = sizeAnnotation(replicaSet, desiredReplicasAnnotation);
    return annotated !== undefined && annotated !== desiredReplicas(deployment);
  });
}

/** Scales the ReplicaSets so that together they match the size of the Deployment. @throws the first refusal */
export async function scale(rollout: Rollout, partitioned: ReplicaSetPartition): Promise<void> {
  const { context, deployment } = rollout;
  const desired = desiredReplicas(deployment);
  const { newReplicaSet, old } = partitioned;
  const single = findActiveOrLatest(partitioned);
  if (single !== undefined) {
    const from = sizeOf(single);
    if (from === desired) return decideIfStale(rollout, single);
    const facts = { replicaSet: single.metadata.name, from, to: desired, active: from > 0 };
    await scaleReplicaSet(rollout, single, { to: desired, because: context.decide(scaleActive, facts) });
    return;
  }
  if (old.length === 0) return;
  const newerFirst = [...old].reverse();
  if (isSaturated(deployment, newReplicaSet)) {
    for (const one of filterActive(newerFirst)) {
      const facts = { replicaSet: one.metadata.name, from: sizeOf(one), to: 0 };
      await scaleReplicaSet(rollout, one, { to: 0, because: context.decide(saturated, facts) });
    }
    return;
  }
  if (isRollingUpdate(deployment)) {
    await scaleProportionally(rollout, newReplicaSet === undefined ? newerFirst : [...newerFirst, newReplicaSet]);
  }
}

/**
 * Upstream never corrects the annotation of a ReplicaSet that has its size: a Deployment scaled to that size just after its rollout had
 * shrunk the ReplicaSet is stuck. Reports it; unless the Deployment is paused, it is scaled only because of the annotation.
 */
function decideIfStale({ context, deployment }: Rollout, replicaSet: ReplicaSet): void {
  if (deployment.spec?.paused === true) return;
  const annotated = Number(replicaSet.metadata.annotations?.[desiredReplicasAnnotation]);
  context.decide(staleSize, { replicaSet: replicaSet.metadata.name, size: sizeOf(replicaSet), annotated });
}

/** Whether the new ReplicaSet has all pods, by its size and by its annotation, and all of them are available. */
function isSaturated(deployment: Deployment, newReplicaSet: ReplicaSet | undefined): boolean {
  if (newReplicaSet === undefined) return false;
  const desired = desiredReplicas(deployment);
  const annotated = newReplicaSet.metadata.annotations?.[desiredReplicasAnnotation] ?? "";
  return (
    parseInt64(annotated) === BigInt(desired) &&
    sizeOf(newReplicaSet) === desired &&
    (newReplicaSet.status?.availableReplicas ?? 0) === desired
  );
}

async function scaleProportionally(rollout: Rollout, all: readonly ReplicaSet[]): Promise<void> {
  const { context, deployment } = rollout;
  const shares = proportions(deployment, all);
  const because = context.decide(proportional, {
    desired: desiredReplicas(deployment),
    surge: maxSurge(deployment),
    sizes: shares.map(({ replicaSet, size }) => ({
      replicaSet: replicaSet.metadata.name,
      from: sizeOf(replicaSet),
      to: size,
    })),
  });
  for (const { replicaSet, size } of shares) {
    await scaleReplicaSet(rollout, replicaSet, { to: size, because, alsoAnnotations: true });
  }
}

/** The size that a ReplicaSet should have. */
export interface Share {
  readonly replicaSet: ReplicaSet;
  readonly size: number;
}

/**
 * The size of each active ReplicaSet, largest first, when `replicas + maxSurge` is distributed. Among equals, newer
 * ones grow first and older ones shrink first; the remainder of rounding goes to the largest.
 */
export function proportions(deployment: Deployment, all: readonly ReplicaSet[]): Share[] {
  const desired = desiredReplicas(deployment);
  const replicaSets = filterActive(all);
  const toAdd = (desired > 0 ? desired + maxSurge(deployment) : 0) - totalSize(replicaSets);
  if (toAdd !== 0) replicaSets.sort(toAdd > 0 ? bySizeNewer : bySizeOlder);
  let added = 0;
  const shares = replicaSets.map((replicaSet) => {
    const share = proportionFor(replicaSet, deployment, { toAdd, added });
    added += share;
    return { replicaSet, size: sizeOf(replicaSet) + share };
  });
  const leftOver = toAdd - added;
  return shares.map((share, index) => (index > 0 ? share : { ...share, size: Math.max(share.size + leftOver, 0) }));
}

/** How many pods this ReplicaSet gains (loses, if negative); never more than remain to be distributed. */
function proportionFor(
  replicaSet: ReplicaSet,
  deployment: Deployment,
  { toAdd, added }: { readonly toAdd: number; readonly added: number },
): number {
  if (toAdd === added) return 0;
  const share = replicaSetProportion(replicaSet, deployment);
  return toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);
}

/** How many pods it gains by keeping its share of the total: with 5 of 10 growing to 16, it gains 3. */
function replicaSetProportion(replicaSet: ReplicaSet, deployment: Deployment): number {
  const size = sizeOf(replicaSet);
  const desired = desiredReplicas(deployment);
  if (desired === 0) return -size;
  // If the annotation was tampered with, the current number of pods is used; the bounds above still hold.
  const before = sizeAnnotation(replicaSet, maxReplicasAnnotation) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  // In 32 bits, as upstream: beyond 2³¹ the product wraps around there, and so it does here.
  return rounded(Math.imul(size, desired + maxSurge(deployment)) / before) - size;
}

/** To the nearest whole number, halves away from zero. */
function rounded(value: number): number {
  return Math.trunc(value + Math.sign(value) * 0.5);
}
