/**
 * The annotations that store the revisions and sizes of a Deployment and its ReplicaSets.
 * Source: kubernetes v1.36 pkg/controller/deployment/util/deployment_util.go.
 */
import type { Deployment, ReplicaSet } from "../../api/types.ts";
import {
  parseInt64,
  revisionAnnotation,
  revisionHistoryAnnotation,
  withNewerRevision,
} from "../../controller/workload/revision-history.ts";
import { desiredReplicas, maxSurge } from "./strategy.ts";

/** `metadata.annotations`. */
export type Annotations = Readonly<Record<string, string>>;

/**
 * On a ReplicaSet: `spec.replicas` of the Deployment when it last scaled this ReplicaSet. A different number there
 * means that the Deployment has been scaled since.
 */
export const desiredReplicasAnnotation = "deployment.kubernetes.io/desired-replicas";
/** On a ReplicaSet: the same plus maxSurge; proportional scaling computes the ReplicaSet's share from it. */
export const maxReplicasAnnotation = "deployment.kubernetes.io/max-replicas";
/** On a Deployment: the revision to roll back to, as requested through `extensions/v1beta1`; 0 means the last one. */
export const rollbackAnnotation = "deprecated.deployment.rollback.to";

/** Not copied from a Deployment to its ReplicaSets, nor back. */
const ownAnnotations: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  rollbackAnnotation,
]);

function carriedOver(annotations: Annotations | undefined): Annotations {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => !ownAnnotations.has(name)));
}

/** The size annotations that this Deployment's ReplicaSets should have. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const desired = desiredReplicas(deployment);
  return {
    [desiredReplicasAnnotation]: String(desired),
    [maxReplicasAnnotation]: String(desired + maxSurge(deployment)),
  };
}

/** Whether the ReplicaSet's size annotations differ from the Deployment's current sizes. */
export function hasOtherSizes(replicaSet: ReplicaSet, deployment: Deployment): boolean {
  const { annotations } = replicaSet.metadata;
  return Object.entries(sizeAnnotations(deployment)).some(([name, value]) => annotations?.[name] !== value);
}

/** A size of up to 31 bits; undefined if the annotation is absent or not such a number. */
export function sizeAnnotation(replicaSet: ReplicaSet, name: string): number | undefined {
  const text = replicaSet.metadata.annotations?.[name];
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value > 2_147_483_647 ? undefined : value;
}

/** The annotations that the new ReplicaSet should have. */
export interface NewAnnotations {
  readonly annotations: Annotations;
  /** Whether the ReplicaSet must be written for them. */
  readonly changed: boolean;
}

/**
 * The annotations of the new ReplicaSet: the Deployment's, and a revision above those of all old ReplicaSets. A
 * revision that is not a number is kept, and then a change of annotations alone causes no write.
 */
export function newReplicaSetAnnotations(
  deployment: Deployment,
  current: Annotations | undefined,
  newRevision: bigint,
): NewAnnotations {
  const copied = carriedOver(deployment.metadata.annotations);
  const annotations = { ...current, ...copied };
  const isCopied = Object.entries(copied).some(([name, value]) => current?.[name] !== value);
  const revision = current?.[revisionAnnotation] ?? "";
  if (revision !== "" && parseInt64(revision) === undefined) return { annotations, changed: false };
  const newer = withNewerRevision(annotations, newRevision);
  return { annotations: newer ?? annotations, changed: isCopied || newer !== undefined };
}

/** The annotations of a Deployment rolled back to this ReplicaSet: those it had at that revision. */
export function annotationsAfterRollback(deployment: Deployment, replicaSet: ReplicaSet): Annotations {
  const own = Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => ownAnnotations.has(name));
  return { ...Object.fromEntries(own), ...carriedOver(replicaSet.metadata.annotations) };
}
