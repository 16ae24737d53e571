/**
 * The ReplicaSets of a Deployment: which is the new one, how they are ordered, how many pods they have.
 * Source: kubernetes v1.36 pkg/controller/deployment/util/deployment_util.go, pkg/controller/controller_utils.go.
 */
import { parseTime } from "../../api/time.ts";
import type { Deployment, ReplicaSet } from "../../api/types.ts";
import { isSamePodTemplate } from "../../controller/workload/pod-template/equal.ts";
import { revisionOf } from "../../controller/workload/revision-history.ts";

/** The desired number of pods of a ReplicaSet; 1, the API server's default, if absent. */
export function sizeOf(replicaSet: ReplicaSet): number {
  return replicaSet.spec?.replicas ?? 1;
}

/** The ReplicaSets with a desired number of pods above 0. */
export function filterActive(replicaSets: readonly ReplicaSet[]): ReplicaSet[] {
  return replicaSets.filter((replicaSet) => sizeOf(replicaSet) > 0);
}

/** Orders oldest first; by name within one second. */
function byCreation(a: ReplicaSet, b: ReplicaSet): number {
  const difference = parseTime(a.metadata.creationTimestamp) - parseTime(b.metadata.creationTimestamp);
  if (difference !== 0) return difference;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

/** Orders largest first; among equals, older first. */
export function bySizeOlder(a: ReplicaSet, b: ReplicaSet): number {
  return sizeOf(b) - sizeOf(a) || byCreation(a, b);
}

/** Orders largest first; among equals, newer first. */
export function bySizeNewer(a: ReplicaSet, b: ReplicaSet): number {
  return sizeOf(b) - sizeOf(a) || byCreation(b, a);
}

/** Orders lowest revision first; by age if a revision is missing or equal. */
export function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const [left, right] = [revisionOf(a), revisionOf(b)];
  if (left === undefined || right === undefined || left === right) return byCreation(a, b);
  return left < right ? -1 : 1;
}

/** A Deployment's ReplicaSets, split by whether they have its current template. */
export interface ReplicaSetPartition {
  /** The oldest one that has the Deployment's template. */
  readonly newReplicaSet: ReplicaSet | undefined;
  /** All others, oldest first. */
  readonly old: readonly ReplicaSet[];
}

/** Finds the ReplicaSet with the Deployment's current template; all others are old. */
export function partition(deployment: Deployment, replicaSets: readonly ReplicaSet[]): ReplicaSetPartition {
  const template = deployment.spec?.template;
  const sorted = [...replicaSets].sort(byCreation);
  const newReplicaSet = sorted.find(({ spec }) => isSamePodTemplate(spec?.template, template));
  return { newReplicaSet, old: sorted.filter((one) => one.metadata.uid !== newReplicaSet?.metadata.uid) };
}

/**
 * The ReplicaSet to be scaled with the Deployment: the only active one or, if none is active, the new one or else the
 * newest. Undefined if several are active or none exists.
 */
export function findActiveOrLatest({ newReplicaSet, old }: ReplicaSetPartition): ReplicaSet | undefined {
  const all = filterActive(newReplicaSet === undefined ? old : [...old, newReplicaSet]);
  if (all.length > 1) return undefined;
  return all[0] ?? newReplicaSet ?? old.at(-1);
}

function sum(replicaSets: readonly ReplicaSet[], count: (replicaSet: ReplicaSet) => number): number {
  return replicaSets.reduce((total, replicaSet) => total + count(replicaSet), 0);
}

/** Desired pods of all these ReplicaSets. */
export function totalSize(replicaSets: readonly ReplicaSet[]): number {
  return sum(replicaSets, sizeOf);
}

/** A count in a ReplicaSet's status. */
export type StatusCount = "replicas" | "readyReplicas" | "availableReplicas";

/** The sum of a count over these ReplicaSets, as last written by the ReplicaSet controller. */
export function totalInStatus(replicaSets: readonly ReplicaSet[], count: StatusCount): number {
  return sum(replicaSets, ({ status }) => status?.[count] ?? 0);
}

/** The number of terminating pods; undefined while a ReplicaSet that has been synced does not report it. */
export function terminating(replicaSets: readonly ReplicaSet[]): number | undefined {
  let total = 0;
  for (const { status } of replicaSets) {
    if (status?.terminatingReplicas !== undefined) total += status.terminatingReplicas;
    else if ((status?.observedGeneration ?? 0) !== 0) return undefined;
  }
  return total;
}

/** How many of the desired pods are not available. */
export function unavailable(replicaSet: ReplicaSet): number {
  return sizeOf(replicaSet) - (replicaSet.status?.availableReplicas ?? 0);
}
