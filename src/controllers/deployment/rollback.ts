/**
 * Rolling back to an earlier revision as requested by an annotation, which clients of `extensions/v1beta1` set. `kubectl rollout undo` does
 * not use it.
 * Source: kubernetes v1.36 pkg/controller/deployment/rollback.go.
 */
import { Deployments } from "../../api/kinds.ts";
import type { Deployment, ReplicaSet } from "../../api/types.ts";
import { isSamePodTemplate, withoutPodTemplateHash } from "../../controller/workload/pod-template/equal.ts";
import { lastRevision, parseInt64, revisionOf } from "../../controller/workload/revision-history.ts";
import { annotationsAfterRollback, rollbackAnnotation } from "./annotations.ts";
import { getReplicaSetsWithNew } from "./new-replica-set.ts";
import { type Rollout, setAnnotations, recordEvent } from "./rollout.ts";
import { rollback as rollbackRule } from "./revision-rules.ts";

/** The requested revision; 0 is the last one. Undefined without a request, or if it is not a number. */
export function rollbackTo({ metadata }: Deployment): bigint | undefined {
  return parseInt64(metadata.annotations?.[rollbackAnnotation] ?? "");
}

/** Restores the template of the revision and removes the annotation in any case. @throws the refusal */
export async function rollback(rollout: Rollout, requested: bigint): Promise<void> {
  const { newReplicaSet, old } = await getReplicaSetsWithNew(rollout);
  const all = [...old, newReplicaSet];
  const revision = requested === 0n ? lastRevision(all) : requested;
  if (revision === 0n) {
    return rollbackRefused(rollout, {
      revision,
      outcome: "no last revision",
      message: "Unable to find last revision.",
    });
  }
  const found = all.find((one) => revisionOf(one) === revision);
  if (found === undefined) {
    const message = "Unable to find the revision to rollback to.";
    return rollbackRefused(rollout, { revision, outcome: "no such revision", message });
  }
  return rollbackToTemplate(rollout, found, revision);
}

interface RefusedRollback {
  readonly revision: bigint;
  readonly outcome: "no such revision" | "no last revision";
  readonly message: string;
}

async function rollbackRefused(rollout: Rollout, { revision, outcome, message }: RefusedRollback): Promise<void> {
  recordEvent(rollout, { type: "Warning", reason: "DeploymentRollbackRevisionNotFound", message });
  await write(rollout, { revision: String(revision), outcome, replicaSet: undefined });
}

async function rollbackToTemplate(rollout: Rollout, replicaSet: ReplicaSet, revision: bigint): Promise<void> {
  const { deployment } = rollout;
  const { name } = deployment.metadata;
  const facts = { revision: String(revision), replicaSet: replicaSet.metadata.name };
  if (isSamePodTemplate(deployment.spec?.template, replicaSet.spec?.template)) {
    const message = `The rollback revision contains the same template as current deployment "${name}"`;
    recordEvent(rollout, { type: "Warning", reason: "DeploymentRollbackTemplateUnchanged", message });
    return write(rollout, { ...facts, outcome: "unchanged" });
  }
  const { spec } = deployment;
  const template = withoutPodTemplateHash(replicaSet.spec?.template ?? {});
  // A stored Deployment has a spec.
  rollout.deployment = { ...deployment, ...(spec !== undefined && { spec: { ...spec, template } }) };
  setAnnotations(rollout, annotationsAfterRollback(deployment, replicaSet));
  await write(rollout, { ...facts, outcome: "done" });
  const message = `Rolled back deployment "${name}" to revision ${revision}`;
  recordEvent(rollout, { type: "Normal", reason: "DeploymentRollback", message });
}

/** Writes the whole Deployment, without the rollback annotation. */
async function write(rollout: Rollout, facts: Parameters<typeof rollbackRule.sentence>[0]): Promise<void> {
  const { context, cached } = rollout;
  const because = context.decide(rollbackRule, facts);
  const { [rollbackAnnotation]: _, ...annotations } = rollout.deployment.metadata.annotations ?? {};
  setAnnotations(rollout, annotations);
  await context.client.update(Deployments, rollout.deployment, { because, basedOn: cached, signal: context.signal });
}
