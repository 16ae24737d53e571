/**
 * The annotations by which a Deployment and its ReplicaSets tell each other of revisions and sizes.
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

export type Annotations = Readonly<Record<string, string>>;

/** On a ReplicaSet: `spec.replicas` of the Deployment when it was last scaled. Another number there means a scaling. */
export const desiredReplicasAnnotation = "deployment.kubernetes.io/desired-replicas";
/** On a ReplicaSet: the same with maxSurge, which its share of a scaling is worked out from. */
export const maxReplicasAnnotation = "deployment.kubernetes.io/max-replicas";
/** On a Deployment: the revision to go back to, as `extensions/v1beta1` asked for it; 0 for the last one. */
export const rollbackAnnotation = "deprecated.deployment.rollback.to";

/** Not carried over from a Deployment to its ReplicaSets, nor back. */
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

/** What the sizes of a Deployment are on its ReplicaSets. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const desired = desiredReplicas(deployment);
  return {
    [desiredReplicasAnnotation]: String(desired),
    [maxReplicasAnnotation]: String(desired + maxSurge(deployment)),
  };
}

/** Whether the ReplicaSet tells other sizes than the Deployment has now. */
export function hasOtherSizes(replicaSet: ReplicaSet, deployment: Deployment): boolean {
  const { annotations } = replicaSet.metadata;
  return Object.entries(sizeAnnotations(deployment)).some(([name, value]) => annotations?.[name] !== value);
}

/** A size of up to 31 bits; undefined where it is absent or anything else. */
export function sizeAnnotation(replicaSet: ReplicaSet, name: string): number | undefined {
  const text = replicaSet.metadata.annotations?.[name];
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value > 2_147_483_647 ? undefined : value;
}

export interface NewAnnotations {
  readonly annotations: Annotations;
  /** Whether the ReplicaSet is to be written because of them. */
  readonly changed: boolean;
}

/**
 * The annotations of the new ReplicaSet: the Deployment's carried over, and a revision above those of all old ones. One that cannot
 * be read as a number is left as it is, and then nothing is written for the sake of annotations.
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

/** The annotations of a Deployment that goes back to this ReplicaSet: those that were the Deployment's at that time. */
export function annotationsAfterRollback(deployment: Deployment, replicaSet: ReplicaSet): Annotations {
  const own = Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => ownAnnotations.has(name));
  return { ...Object.fromEntries(own), ...carriedOver(replicaSet.metadata.annotations) };
}
