/**
 * Creating a Deployment's new ReplicaSet, and what to do when its name is taken.
 * Source: kubernetes v1.36 pkg/controller/deployment/sync.go getNewReplicaSet.
 */
import { fieldChanges } from "../../api/field-changes.ts";
import { objectKey } from "../../api/key.ts";
import { apiVersionOf } from "../../api/kind.ts";
import { Deployments, ReplicaSets } from "../../api/kinds.ts";
import type { CreateInput } from "../../api/object.ts";
import { controllerOf, controllerReference } from "../../api/owner-references.ts";
import { isAlreadyExists, isNamespaceTerminating } from "../../api/status-error.ts";
import type { Deployment, ReplicaSet } from "../../api/types.ts";
import { CacheBehindError } from "../../controller/api/consistency.ts";
import { isSamePodTemplate, withoutPodTemplateHash } from "../../controller/workload/pod-template/equal.ts";
import { podTemplateHash, podTemplateHashLabel } from "../../controller/workload/pod-template/hash.ts";
import { newReplicaSetAnnotations, sizeAnnotations } from "./annotations.ts";
import { newReplicaSetReplicas } from "./new-replica-set-replicas.ts";
import { type Rollout, setOwnCondition, setRevision, setStatus, recordEvent, writeStatus } from "./rollout.ts";
import { createFailed, hashCollision, newReplicaSet } from "./revision-rules.ts";
import { boundInWords, desiredReplicas, hasProgressDeadline, isRollingUpdate } from "./strategy.ts";

const longestName = 253;

/** `web-6d5f4c9d7b`; a long name is cut to leave room for the hash. */
function replicaSetName(deploymentName: string, hash: string): string {
  return `${deploymentName.slice(0, Math.max(longestName - 1 - hash.length, 0))}-${hash}`;
}

/**
 * Creates the ReplicaSet for the Deployment's template. If a ReplicaSet with that name, this owner and this template exists, it is used:
 * the cache was stale.
 *
 * @throws the refusal, which an Event and the condition Progressing report; AlreadyExists, after counting the collision, if the name
 * belongs to a ReplicaSet with another owner or template.
 */
export async function createReplicaSet(
  rollout: Rollout,
  old: readonly ReplicaSet[],
  revision: bigint,
): Promise<ReplicaSet> {
  const { context, deployment } = rollout;
  const replicaSet = replicaSetOf(rollout, old, revision);
  const name = replicaSet.metadata.name ?? "";
  const replicas = replicaSet.spec?.replicas ?? 0;
  const because = context.decide(newReplicaSet, {
    replicaSet: name,
    revision: String(revision),
    replicas,
    desired: desiredReplicas(deployment),
    surge: isRollingUpdate(deployment) ? boundInWords(deployment, "maxSurge") : undefined,
    changed: changedPaths(deployment, old),
  });
  let created: ReplicaSet;
  let isNew = true;
  try {
    created = await context.client.create(ReplicaSets, replicaSet, { because, signal: context.signal });
  } catch (error) {
    created = await adoptExisting(rollout, name, error);
    isNew = false;
  }
  if (isNew && replicas > 0) {
    const message = `Scaled up replica set ${created.metadata.name} from 0 to ${replicas}`;
    recordEvent(rollout, { type: "Normal", reason: "ScalingReplicaSet", message });
  }
  const isOther = setRevision(rollout, String(revision));
  const reportsProgress = isNew && hasProgressDeadline(deployment);
  if (reportsProgress) {
    setOwnCondition(rollout, {
      type: "Progressing",
      status: "True",
      reason: "NewReplicaSetCreated",
      message: `Created new replica set "${created.metadata.name}"`,
    });
  }
  if (isOther || reportsProgress) await writeStatus(rollout, because);
  return created;
}

/** In Go's field order; the template's labels are the ReplicaSet's too. */
function replicaSetOf(rollout: Rollout, old: readonly ReplicaSet[], revision: bigint): CreateInput<ReplicaSet> {
  const { deployment, sent } = rollout;
  const { spec, status, metadata } = deployment;
  const hash = podTemplateHash(spec?.template, { collisionCount: status?.collisionCount, sent });
  const labels = { ...spec?.template.metadata?.labels, [podTemplateHashLabel]: hash };
  const annotations = {
    ...newReplicaSetAnnotations(deployment, undefined, revision).annotations,
    ...sizeAnnotations(deployment),
  };
  const { selector } = spec ?? {};
  return {
    apiVersion: apiVersionOf(ReplicaSets),
    kind: ReplicaSets.kind,
    metadata: {
      name: replicaSetName(metadata.name, hash),
      ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
      labels,
      annotations,
      ownerReferences: [controllerReference(Deployments, deployment)],
    },
    spec: {
      replicas: newReplicaSetReplicas(deployment, { all: old, current: 0 }),
      ...(spec?.minReadySeconds !== undefined && { minReadySeconds: spec.minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [podTemplateHashLabel]: hash } },
      template: { ...spec?.template, metadata: { ...spec?.template.metadata, labels } },
    },
  };
}

/** Paths of the fields in which the template differs from that of the newest old ReplicaSet. */
function changedPaths(deployment: Deployment, old: readonly ReplicaSet[]): string[] {
  const latest = old.at(-1)?.spec?.template;
  if (latest === undefined) return [];
  const changes = fieldChanges(withoutPodTemplateHash(latest), deployment.spec?.template);
  return changes.map(({ path }) => `.spec.template${path}`);
}

/** The existing ReplicaSet of that name, if it has this owner and template. @throws `error` otherwise, after reporting it */
async function adoptExisting(rollout: Rollout, name: string, error: unknown): Promise<ReplicaSet> {
  if (isAlreadyExists(error)) {
    const found = cachedReplicaSet(rollout, name);
    const { uid } = rollout.deployment.metadata;
    const isOurs = controllerOf(found)?.uid === uid;
    if (isOurs && isSamePodTemplate(rollout.deployment.spec?.template, found.spec?.template)) return found;
    await countCollision(rollout, name);
  } else if (!isNamespaceTerminating(error)) {
    await recordFailure(rollout, name, error as Error);
  }
  throw error;
}

/** @throws CacheBehindError if it is not in the cache yet. */
function cachedReplicaSet({ context, deployment }: Rollout, name: string): ReplicaSet {
  const found = context.cache(ReplicaSets).get(objectKey(deployment.metadata.namespace, name));
  if (found !== undefined) return found;
  throw new CacheBehindError(`replicasets.apps "${name}" exists on the server and is not in the cache yet`);
}

async function countCollision(rollout: Rollout, name: string): Promise<void> {
  const before = rollout.deployment.status?.collisionCount;
  const after = (before ?? 0) + 1;
  setStatus(rollout, { collisionCount: after });
  const because = rollout.context.decide(hashCollision, { replicaSet: name, before, after });
  // The sync fails anyway; if this write is refused, the next sync counts the collision.
  await writeStatus(rollout, because).catch(() => undefined);
}

async function recordFailure(rollout: Rollout, name: string, { message: error }: Error): Promise<void> {
  const message = `Failed to create new replica set "${name}": ${error}`;
  if (hasProgressDeadline(rollout.deployment)) {
    setOwnCondition(rollout, { type: "Progressing", status: "False", reason: "ReplicaSetCreateError", message });
    const because = rollout.context.decide(createFailed, { replicaSet: name, error });
    // The error of the creation matters more than the error of this write.
    await writeStatus(rollout, because).catch(() => undefined);
  }
  recordEvent(rollout, { type: "Warning", reason: "ReplicaSetCreateError", message });
}
