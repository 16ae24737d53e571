/**
 * The ReplicaSets of a Deployment: which is the new one, which come first, how many pods they stand for.
 * Source: kubernetes v1.36 pkg/controller/deployment/util/deployment_util.go, pkg/controller/controller_utils.go.
 */
import { parseTime } from "../../api/time.ts";
import type { Deployment, ReplicaSet } from "../../api/types.ts";
import { isSamePodTemplate } from "../../controller/workload/pod-template/equal.ts";
import { revisionOf } from "../../controller/workload/revision-history.ts";

/** How many pods a ReplicaSet is asked for. The API server sets it. */
export function sizeOf(replicaSet: ReplicaSet): number {
  return replicaSet.spec?.replicas ?? 1;
}

/** Those that are asked for pods. */
export function filterActive(replicaSets: readonly ReplicaSet[]): ReplicaSet[] {
  return replicaSets.filter((replicaSet) => sizeOf(replicaSet) > 0);
}

/** Oldest first; names decide between those of one second. */
export function byCreation(a: ReplicaSet, b: ReplicaSet): number {
  const difference = parseTime(a.metadata.creationTimestamp) - parseTime(b.metadata.creationTimestamp);
  if (difference !== 0) return difference;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

/** Largest first, of one size the older ones. */
export function bySizeOlder(a: ReplicaSet, b: ReplicaSet): number {
  return sizeOf(b) - sizeOf(a) || byCreation(a, b);
}

/** Largest first, of one size the newer ones. */
export function bySizeNewer(a: ReplicaSet, b: ReplicaSet): number {
  return sizeOf(b) - sizeOf(a) || byCreation(b, a);
}

/** Lowest revision first; by age where revisions do not tell. */
export function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const [left, right] = [revisionOf(a), revisionOf(b)];
  if (left === undefined || right === undefined || left === right) return byCreation(a, b);
  return left < right ? -1 : 1;
}

export interface ReplicaSetPartition {
  /** The oldest one that has the Deployment's template. */
  readonly newReplicaSet: ReplicaSet | undefined;
  /** All others, oldest first. */
  readonly old: readonly ReplicaSet[];
}

/** Tells the ReplicaSet that the Deployment wants now from its old ones. */
export function partition(deployment: Deployment, replicaSets: readonly ReplicaSet[]): ReplicaSetPartition {
  const template = deployment.spec?.template;
  const sorted = [...replicaSets].sort(byCreation);
  const newReplicaSet = sorted.find(({ spec }) => isSamePodTemplate(spec?.template, template));
  return { newReplicaSet, old: sorted.filter((one) => one.metadata.uid !== newReplicaSet?.metadata.uid) };
}

/**
 * The one to be scaled with the Deployment: the only active ReplicaSet, or, where none is, the new one or else the newest. Undefined
 * where several are active, and where there is none at all.
 */
export function findActiveOrLatest({ newReplicaSet, old }: ReplicaSetPartition): ReplicaSet | undefined {
  const all = filterActive(newReplicaSet === undefined ? old : [...old, newReplicaSet]);
  if (all.length > 1) return undefined;
  return all[0] ?? newReplicaSet ?? old.at(-1);
}

function sum(replicaSets: readonly ReplicaSet[], count: (replicaSet: ReplicaSet) => number): number {
  return replicaSets.reduce((total, replicaSet) => total + count(replicaSet), 0);
}

/** Pods asked for. */
export function totalSize(replicaSets: readonly ReplicaSet[]): number {
  return sum(replicaSets, sizeOf);
}

export type StatusCount = "replicas" | "readyReplicas" | "availableReplicas";

/** Pods as the ReplicaSets' own controller has last counted them. */
export function totalInStatus(replicaSets: readonly ReplicaSet[], count: StatusCount): number {
  return sum(replicaSets, ({ status }) => status?.[count] ?? 0);
}

/** Pods that are being deleted; undefined while a ReplicaSet that was synced does not tell its number. */
export function terminating(replicaSets: readonly ReplicaSet[]): number | undefined {
  let total = 0;
  for (const { status } of replicaSets) {
    if (status?.terminatingReplicas !== undefined) total += status.terminatingReplicas;
    else if ((status?.observedGeneration ?? 0) !== 0) return undefined;
  }
  return total;
}

/** How many of the pods asked for are not available. */
export function unavailable(replicaSet: ReplicaSet): number {
  return sizeOf(replicaSet) - (replicaSet.status?.availableReplicas ?? 0);
}
