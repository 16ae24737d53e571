/**
 * The ReplicaSet that has the Deployment's template: brought up to date, or created.
 * Source: kubernetes v1.36 pkg/controller/deployment/sync.go getAllReplicaSetsAndSyncRevision, getNewReplicaSet.
 */
import { ReplicaSets } from "../../api/kinds.ts";
import type { ReplicaSet } from "../../api/types.ts";
import { maxRevision, revisionAnnotation } from "../../controller/workload/revision-history.ts";
import { newReplicaSetAnnotations, type NewAnnotations } from "./annotations.ts";
import { progressing } from "./conditions.ts";
import { createReplicaSet } from "./create-replica-set.ts";
import { partition, type ReplicaSetPartition } from "./replica-sets.ts";
import { type Rollout, setOwnCondition, setRevision, writeStatus } from "./rollout.ts";
import { deploymentRevision, revision as revisionRule } from "./revision-rules.ts";
import { hasProgressDeadline } from "./strategy.ts";

/**
 * Separates the new ReplicaSet from the old ones and brings it up to date: a revision above theirs, the Deployment's
 * annotations and its minReadySeconds. The new ReplicaSet is undefined if none has the template.
 *
 * @throws the refusal of a write
 */
export async function getReplicaSetsAndSyncRevision(rollout: Rollout): Promise<ReplicaSetPartition> {
  const { newReplicaSet, old } = partition(rollout.deployment, rollout.replicaSets);
  return { newReplicaSet: newReplicaSet && (await bringUpToDate(rollout, newReplicaSet, newRevision(old))), old };
}

/**
 * The same, but creates the new ReplicaSet if none has the template.
 * @throws the refusal of a write; AlreadyExists if the name belongs to another ReplicaSet.
 */
export async function getReplicaSetsWithNew(rollout: Rollout): Promise<PartitionWithNew> {
  const { newReplicaSet, old } = partition(rollout.deployment, rollout.replicaSets);
  const revision = newRevision(old);
  return {
    newReplicaSet: await (newReplicaSet === undefined
      ? createReplicaSet(rollout, old, revision)
      : bringUpToDate(rollout, newReplicaSet, revision)),
    old,
  };
}

/** The new ReplicaSet, which exists, and the old ones, oldest first. */
export interface PartitionWithNew extends ReplicaSetPartition {
  readonly newReplicaSet: ReplicaSet;
}

function newRevision(old: readonly ReplicaSet[]): bigint {
  return maxRevision(old) + 1n;
}

async function bringUpToDate(rollout: Rollout, newReplicaSet: ReplicaSet, revision: bigint): Promise<ReplicaSet> {
  const { deployment } = rollout;
  const made = newReplicaSetAnnotations(deployment, newReplicaSet.metadata.annotations, revision);
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  if (made.changed || (newReplicaSet.spec?.minReadySeconds ?? 0) !== minReadySeconds) {
    return writeNewReplicaSet(rollout, newReplicaSet, { ...made, minReadySeconds });
  }
  await syncRevision(rollout, newReplicaSet, made.annotations[revisionAnnotation] ?? "");
  return { ...newReplicaSet, metadata: { ...newReplicaSet.metadata, annotations: made.annotations } };
}

async function writeNewReplicaSet(
  { context }: Rollout,
  newReplicaSet: ReplicaSet,
  { annotations, minReadySeconds }: NewAnnotations & { readonly minReadySeconds: number },
): Promise<ReplicaSet> {
  const { metadata, spec } = newReplicaSet;
  const before = metadata.annotations ?? {};
  const because = context.decide(revisionRule, {
    replicaSet: metadata.name,
    before: before[revisionAnnotation],
    revision: annotations[revisionAnnotation],
    annotations: Object.keys(annotations).filter(
      (name) => annotations[name] !== before[name] && !name.startsWith(revisionAnnotation),
    ),
    minReadySeconds: (spec?.minReadySeconds ?? 0) === minReadySeconds ? undefined : minReadySeconds,
  });
  const changed: ReplicaSet = {
    ...newReplicaSet,
    metadata: { ...metadata, annotations },
    ...(spec !== undefined && { spec: { ...spec, minReadySeconds } }),
  };
  return context.client.update(ReplicaSets, changed, { because, basedOn: newReplicaSet, signal: context.signal });
}

/** Copies the revision to the Deployment; one without a condition Progressing yet reports that it found its ReplicaSet. */
async function syncRevision(rollout: Rollout, newReplicaSet: ReplicaSet, revision: string): Promise<void> {
  const before = rollout.deployment.metadata.annotations?.[revisionAnnotation];
  const isOther = setRevision(rollout, revision);
  const firstFound = hasProgressDeadline(rollout.deployment) && progressing(rollout.deployment.status) === undefined;
  if (!isOther && !firstFound) return;
  const { name } = newReplicaSet.metadata;
  if (firstFound) {
    setOwnCondition(rollout, {
      type: "Progressing",
      status: "True",
      reason: "FoundNewReplicaSet",
      message: `Found new replica set "${name}"`,
    });
  }
  const because = rollout.context.decide(deploymentRevision, { replicaSet: name, before, revision, firstFound });
  await writeStatus(rollout, because);
}
