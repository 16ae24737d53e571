/**
 * Creates, updates and deletes the pods of a StatefulSet together with their claims, and records the Events about it.
 * Source: kubernetes v1.36 pkg/controller/statefulset/stateful_pod_control.go. The texts of Events are upstream's.
 */
import { messageOf } from "../../api/error-message.ts";
import { isObject } from "../../api/json.ts";
import { Pods } from "../../api/kinds.ts";
import type { CreateInput } from "../../api/object.ts";
import { isAlreadyExists, isNotFound } from "../../api/status-error.ts";
import type { Pod, PodSpec } from "../../api/types.ts";
import { conflictBackoff, retryOnConflict } from "../../controller/api/retry-on-conflict.ts";
import type { Decision } from "../../controller/api/rule.ts";
import { createMissingClaims, updateClaimOwners } from "./claim-control.ts";
import { claimNames, storageMatches, withClaims } from "./claims.ts";
import { identityMatches, withIdentity } from "./identity.ts";
import { claimUser, type ExistingMember, type Member } from "./members.ts";
import { newPod } from "./new-pod.ts";
import { claimsFollowPolicy } from "./plan.ts";
import { cachedClaim, noteWrite, recordEvent, type SetSync } from "./set-sync.ts";

/** A write to a pod, as Events report it. */
interface PodWrite {
  readonly sync: SetSync;
  readonly verb: "Create" | "Update" | "Delete";
  /** The pod's name. */
  readonly pod: string;
}

interface Failure {
  readonly error: unknown;
}

/** Records an Event with the outcome of a write to a pod. */
function recordPodEvent({ sync, verb, pod }: PodWrite, failure?: Failure): void {
  const what = `${verb} Pod ${pod} in StatefulSet ${sync.set.metadata.name}`;
  recordEvent(
    sync,
    failure === undefined
      ? { type: "Normal", reason: `Successful${verb}`, message: `${what} successful` }
      : { type: "Warning", reason: `Failed${verb}`, message: `${what} failed error: ${messageOf(failure.error)}` },
  );
}

/** Runs a step of a write to a pod; an Event reports what it throws. */
async function reporting(write: PodWrite, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    recordPodEvent(write, { error });
    throw error;
  }
}

/** A member, and the decision to write its pod. */
export interface DecidedWrite<M extends Member = Member> {
  readonly member: M;
  readonly because: Decision;
}

/**
 * Creates the claims that the pod lacks, then the pod.
 * @throws the refusal, which an Event reports, unless a pod of this name already exists: the cache will show it.
 */
export async function createStatefulPod(sync: SetSync, { member, because }: DecidedWrite): Promise<void> {
  const { context } = sync;
  const create: PodWrite = { sync, verb: "Create", pod: member.name };
  await reporting(create, () => createMissingClaims(sync, member));
  let failure: Failure | undefined;
  try {
    const options = { because, metadataSuffices: true, signal: context.signal } as const;
    const written = await context.client.create(Pods, podToCreate(sync, member), options);
    noteWrite(sync, { kind: Pods, written });
  } catch (error) {
    if (isAlreadyExists(error)) throw error;
    failure = { error };
  }
  await reporting({ ...create, verb: "Update" }, () => updateClaimOwners(sync, claimUser(member)));
  recordPodEvent(create, failure);
  if (failure !== undefined) throw failure.error;
}

/** The pod as sent to the server: from the template of its revision. */
function podToCreate({ currentSet, updateSet, revisions }: SetSync, member: Member): CreateInput<Pod> {
  return newPod(member.revision === revisions.update.metadata.name ? updateSet : currentSet, member);
}

/** Creates the claims that a pending pod lacks. @throws what went wrong. */
export async function completeClaims(sync: SetSync, member: Member): Promise<void> {
  await createMissingClaims(sync, member);
  await reporting({ sync, verb: "Update", pod: member.name }, () => updateClaimOwners(sync, claimUser(member)));
}

/**
 * Brings a pod's name, labels, volumes and claims into line with the set. Conflicts are retried with the pod as then cached.
 * @throws what went wrong, which an Event reports.
 */
export async function updateStatefulPod(
  sync: SetSync,
  { member, because }: DecidedWrite<ExistingMember>,
): Promise<void> {
  const { context, set } = sync;
  let basedOn = member.pod;
  let attempted = false;
  const write = async (): Promise<void> => {
    const conformed = await conformedPod(sync, { ...member, pod: basedOn });
    if (conformed === undefined) return;
    attempted = true;
    try {
      const written = await context.client.update(Pods, conformed, { because, basedOn, signal: context.signal });
      noteWrite(sync, { kind: Pods, written });
    } catch (error) {
      basedOn = context.cache(Pods).getNamespaced(set.metadata.namespace ?? "", conformed.metadata.name) ?? basedOn;
      throw error;
    }
  };
  let failure: Failure | undefined;
  try {
    await retryOnConflict(write, { context, backoff: conflictBackoff });
  } catch (error) {
    failure = { error };
  }
  if (attempted) recordPodEvent({ sync, verb: "Update", pod: member.name }, failure);
  if (failure !== undefined) throw failure.error;
}

/** The pod as the set requires it; undefined if it needs no change. Also creates its claims and sets their owners. */
async function conformedPod(sync: SetSync, member: ExistingMember): Promise<Pod | undefined> {
  const { set } = sync;
  const { ordinal, pod } = member;
  const update: PodWrite = { sync, verb: "Update", pod: member.name };
  let conformed = pod;
  if (!identityMatches(set, pod)) conformed = { ...pod, metadata: withIdentity(pod.metadata, { set, ordinal }) };
  if (!storageMatches(set, conformed)) {
    conformed = withVolumes(conformed, withClaims(conformed.spec?.volumes, claimNames(set, ordinal)));
    await reporting(update, () => createMissingClaims(sync, member));
  }
  // The pod is also written if only the owners of its claims were wrong.
  if (claimsFollowPolicy({ set, claim: (name) => cachedClaim(sync, name) }, member))
    return conformed === pod ? undefined : conformed;
  await reporting(update, () => updateClaimOwners(sync, claimUser(member)));
  return conformed;
}

function withVolumes(pod: Pod, volumes: NonNullable<PodSpec["volumes"]>): Pod {
  return { ...pod, ...(pod.spec !== undefined && { spec: { ...pod.spec, volumes } }) };
}

/**
 * Deletes a pod; one that is already gone counts as deleted.
 * Differs: the key waits until the cache shows the deletion, so that no second deletion is sent, with a second Event.
 * @throws the refusal, which an Event reports.
 */
export async function deleteStatefulPod(sync: SetSync, { member, because }: DecidedWrite): Promise<void> {
  const { context, set } = sync;
  const { name, pod } = member;
  const write: PodWrite = { sync, verb: "Delete", pod: name };
  await reporting(write, async () => {
    try {
      const response = await context.client.delete(
        Pods,
        { namespace: set.metadata.namespace ?? "", name },
        { because, ...(pod !== undefined && { basedOn: pod }), metadataSuffices: true, signal: context.signal },
      );
      const written = writtenObject(response);
      if (written !== undefined) noteWrite(sync, { kind: Pods, written });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  });
  recordPodEvent(write);
}

/** The object in the response to a deletion, with its new resourceVersion; undefined if the response is a Status. */
function writtenObject(response: unknown): { readonly metadata: { readonly resourceVersion: string } } | undefined {
  const metadata = isObject(response) ? response["metadata"] : undefined;
  const resourceVersion = isObject(metadata) ? metadata["resourceVersion"] : undefined;
  return typeof resourceVersion === "string" ? { metadata: { resourceVersion } } : undefined;
}
