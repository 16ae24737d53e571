/** One sync of one Deployment: the state and the writes that its steps share. */
import { Deployments, ReplicaSets } from "../../api/kinds.ts";
import type { Deployment, ReplicaSet } from "../../api/types.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { EventToRecord, SyncContext } from "../../controller/api/sync-context.ts";
import { revisionAnnotation } from "../../controller/workload/revision-history.ts";
import { type Annotations, hasOtherSizes, sizeAnnotations } from "./annotations.ts";
import { conditionAt, type DeploymentStatus, type NewCondition, setCondition } from "./conditions.ts";
import { sizeOf } from "./replica-sets.ts";

/** The state of one sync. */
export interface Rollout {
  readonly context: SyncContext;
  /** As cached. */
  readonly cached: Deployment;
  /** The ReplicaSets that it controls, as cached: writes of this sync are not applied here. */
  readonly replicaSets: readonly ReplicaSet[];
  /**
   * With the changes of this sync so far; written with the cached resourceVersion. So a second write in one sync fails
   * with a conflict and the next sync continues, as in kube-controller-manager.
   */
  deployment: Deployment;
  /** Whether it was written in this sync: in rare cases its template then hashes differently, as in kube-controller-manager. */
  sent: boolean;
}

/** Sets the revision annotation in memory. Returns whether it has changed. */
export function setRevision(rollout: Rollout, revision: string): boolean {
  const { metadata } = rollout.deployment;
  if (metadata.annotations?.[revisionAnnotation] === revision) return false;
  setAnnotations(rollout, { ...metadata.annotations, [revisionAnnotation]: revision });
  return true;
}

/** Replaces the annotations in memory; `writeStatus` sends them. */
export function setAnnotations(rollout: Rollout, annotations: Annotations): void {
  const { deployment } = rollout;
  rollout.deployment = { ...deployment, metadata: { ...deployment.metadata, annotations } };
}

/** Changes the status in memory; `writeStatus` sends it. */
export function setStatus(rollout: Rollout, status: Partial<DeploymentStatus>): void {
  rollout.deployment = { ...rollout.deployment, status: { ...rollout.deployment.status, ...status } };
}

/** Sets a condition in memory, at the current time. */
export function setOwnCondition(rollout: Rollout, condition: NewCondition): void {
  const { context, deployment } = rollout;
  const conditions = setCondition(deployment.status?.conditions, conditionAt(context.now(), condition));
  setStatus(rollout, { conditions });
}

/**
 * Sends the status and, with it, the annotations: the API server accepts both in a status write. @throws the refusal
 */
export async function writeStatus(rollout: Rollout, because: Decision): Promise<void> {
  const { context, cached, deployment } = rollout;
  rollout.sent = true;
  await context.client.updateStatus(Deployments, deployment, { because, basedOn: cached, signal: context.signal });
}

/** Records an Event about the Deployment. */
export function recordEvent({ context, deployment }: Rollout, event: EventToRecord): void {
  context.event(Deployments, deployment, event);
}

/** How to scale a ReplicaSet. */
export interface Scaling {
  readonly to: number;
  readonly because: Decision;
  /** Whether to write the ReplicaSet also if only its size annotations change. */
  readonly alsoAnnotations?: boolean;
}

/** A ReplicaSet after `scaleReplicaSet`. */
export interface Scaled {
  /** Whether its size has changed. */
  readonly scaled: boolean;
  readonly replicaSet: ReplicaSet;
}

/**
 * Scales a ReplicaSet, and records an Event if its size changes.
 * @throws the refusal
 * Source: kubernetes v1.36 pkg/controller/deployment/sync.go scaleReplicaSet.
 */
export async function scaleReplicaSet(rollout: Rollout, replicaSet: ReplicaSet, scaling: Scaling): Promise<Scaled> {
  const { context, deployment } = rollout;
  const { to, because, alsoAnnotations = false } = scaling;
  const from = sizeOf(replicaSet);
  const isOther = from !== to;
  if (!isOther && !(alsoAnnotations && hasOtherSizes(replicaSet, deployment))) return { scaled: false, replicaSet };
  const updated = await context.client.update(
    ReplicaSets,
    withSize(replicaSet, to, { ...replicaSet.metadata.annotations, ...sizeAnnotations(deployment) }),
    { because, basedOn: replicaSet, signal: context.signal },
  );
  if (isOther) {
    const direction = from < to ? "up" : "down";
    const message = `Scaled ${direction} replica set ${updated.metadata.name} from ${from} to ${to}`;
    recordEvent(rollout, { type: "Normal", reason: "ScalingReplicaSet", message });
  }
  return { scaled: isOther, replicaSet: updated };
}

function withSize(replicaSet: ReplicaSet, replicas: number, annotations: Annotations): ReplicaSet {
  const { metadata, spec } = replicaSet;
  // The API server never stores a ReplicaSet without a spec: the selector is required.
  return {
    ...replicaSet,
    metadata: { ...metadata, annotations },
    ...(spec !== undefined && { spec: { ...spec, replicas } }),
  };
}
