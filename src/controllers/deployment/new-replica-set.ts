/**
 * The ReplicaSet that has the Deployment's template: brought up to date, or made.
 * Source: kubernetes v1.36 pkg/controller/deployment/sync.go getAllReplicaSetsAndSyncRevision, getNewReplicaSet.
 */
import { ReplicaSets } from "../../api/kind.ts";
import type { ReplicaSet } from "../../api/types.ts";
import { maxRevision, revisionAnnotation } from "../../controller/workload/revision-history.ts";
import { annotationsOfNew, type NewAnnotations } from "./annotations.ts";
import { progressing } from "./conditions.ts";
import { createReplicaSet } from "./create-replica-set.ts";
import { divide, type Divided } from "./replica-sets.ts";
import { type Rollout, setOwnCondition, setRevision, writeStatus } from "./rollout.ts";
import { deploymentRevision, revision as revisionRule } from "./rules.ts";
import { hasProgressDeadline } from "./strategy.ts";

/**
 * Tells the new ReplicaSet from the old ones, with what it must carry: a revision above theirs, the Deployment's annotations and its
 * minReadySeconds. Undefined if there is none.
 *
 * @throws the refusal of a write
 */
export async function replicaSetsOf(rollout: Rollout): Promise<Divided> {
  const { newest, old } = divide(rollout.deployment, rollout.replicaSets);
  return { newest: newest && (await bringUpToDate(rollout, newest, newRevision(old))), old };
}

/**
 * The same, where the new ReplicaSet is made if there is none.
 * @throws the refusal of a write; that of a name which another ReplicaSet has.
 */
export async function replicaSetsWithNew(rollout: Rollout): Promise<Sides> {
  const { newest, old } = divide(rollout.deployment, rollout.replicaSets);
  const revision = newRevision(old);
  return {
    newest: await (newest === undefined
      ? createReplicaSet(rollout, old, revision)
      : bringUpToDate(rollout, newest, revision)),
    old,
  };
}

/** The new ReplicaSet and the old ones, oldest first. */
export interface Sides extends Divided {
  readonly newest: ReplicaSet;
}

function newRevision(old: readonly ReplicaSet[]): bigint {
  return maxRevision(old) + 1n;
}

async function bringUpToDate(rollout: Rollout, newest: ReplicaSet, revision: bigint): Promise<ReplicaSet> {
  const { deployment } = rollout;
  const made = annotationsOfNew(deployment, newest.metadata.annotations, revision);
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  if (made.changed || (newest.spec?.minReadySeconds ?? 0) !== minReadySeconds) {
    return writeNewest(rollout, newest, { ...made, minReadySeconds });
  }
  await tellRevision(rollout, newest, made.annotations[revisionAnnotation] ?? "");
  return { ...newest, metadata: { ...newest.metadata, annotations: made.annotations } };
}

async function writeNewest(
  { context }: Rollout,
  newest: ReplicaSet,
  { annotations, minReadySeconds }: NewAnnotations & { readonly minReadySeconds: number },
): Promise<ReplicaSet> {
  const { metadata, spec } = newest;
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
    ...newest,
    metadata: { ...metadata, annotations },
    ...(spec !== undefined && { spec: { ...spec, minReadySeconds } }),
  };
  return context.client.update(ReplicaSets, changed, { because, basedOn: newest, signal: context.signal });
}

/** The Deployment's own annotation follows its ReplicaSet's; a Deployment that told of no progress yet says that it found one. */
async function tellRevision(rollout: Rollout, newest: ReplicaSet, told: string): Promise<void> {
  const before = rollout.deployment.metadata.annotations?.[revisionAnnotation];
  const isOther = setRevision(rollout, told);
  const firstFound = hasProgressDeadline(rollout.deployment) && progressing(rollout.deployment.status) === undefined;
  if (!isOther && !firstFound) return;
  const { name } = newest.metadata;
  if (firstFound) {
    setOwnCondition(rollout, {
      type: "Progressing",
      status: "True",
      reason: "FoundNewReplicaSet",
      message: `Found new replica set "${name}"`,
    });
  }
  const because = rollout.context.decide(deploymentRevision, { replicaSet: name, before, revision: told, firstFound });
  await writeStatus(rollout, because);
}
