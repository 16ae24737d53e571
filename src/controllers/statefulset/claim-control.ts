/**
 * Creates the claims of pods, and sets the owners that the retention policy requires.
 * Source: kubernetes v1.36 pkg/controller/statefulset/stateful_pod_control.go. The texts of Events and errors are upstream's.
 */
import { messageOf } from "../../api/error-message.ts";
import { PersistentVolumeClaims } from "../../api/kinds.ts";
import { isAlreadyExists } from "../../api/status-error.ts";
import { combinedError } from "../../controller/workload/combined-error.ts";
import {
  areOwnersCurrent,
  claimOwners,
  type ClaimUser,
  hasUnexpectedController,
  type UsedClaim,
} from "./claim-owners.ts";
import { claimOwnersRule, createClaim } from "./claim-rules.ts";
import { claimNames, type NewClaim, newClaims } from "./claims.ts";
import { cachedClaim, noteWrite, recordEvent, type SetSync } from "./set-sync.ts";
import { retentionPolicy } from "./spec.ts";

/**
 * Creates the claims that the pod lacks. Tries all of them.
 * @throws the errors, several as one; also if an existing claim is being deleted.
 */
export async function createMissingClaims(sync: SetSync, user: Pick<ClaimUser, "name" | "ordinal">): Promise<void> {
  const errors: unknown[] = [];
  for (const wanted of newClaims(sync.set, user.ordinal)) {
    const existing = cachedClaim(sync, wanted.name);
    if (existing === undefined) {
      try {
        await createOne(sync, { ...wanted, pod: user.name });
      } catch (cause) {
        errors.push(new Error(`failed to create PVC ${wanted.name}: ${messageOf(cause)}`, { cause }));
      }
    } else if (existing.metadata.deletionTimestamp !== undefined) {
      errors.push(new Error(`pvc ${wanted.name} is being deleted`));
    }
  }
  if (errors.length > 0) throw combinedError(errors);
}

async function createOne(sync: SetSync, { name, claim, pod }: NewClaim & { readonly pod: string }): Promise<void> {
  const { context, set } = sync;
  const because = context.decide(createClaim, { claim: name, pod });
  try {
    const created = await context.client.create(PersistentVolumeClaims, claim, { because, signal: context.signal });
    noteWrite(sync, { kind: PersistentVolumeClaims, written: created });
  } catch (error) {
    if (!isAlreadyExists(error)) {
      const message = `Create Claim ${name} for Pod ${pod} in StatefulSet ${set.metadata.name} failed error: ${messageOf(error)}`;
      recordEvent(sync, { type: "Warning", reason: "FailedCreate", message });
    }
    throw error;
  }
  const message = `Create Claim ${name} Pod ${pod} in StatefulSet ${set.metadata.name} success`;
  recordEvent(sync, { type: "Normal", reason: "SuccessfulCreate", message });
}

/**
 * Sets the owners of a pod's claims as the retention policy requires. Claims not cached yet are left to a later sync. @throws the refusal.
 */
export async function updateClaimOwners(sync: SetSync, user: ClaimUser): Promise<void> {
  for (const { name } of claimNames(sync.set, user.ordinal)) {
    const claim = cachedClaim(sync, name);
    if (claim === undefined) continue;
    const used = { claim, set: sync.set, user };
    if (hasUnexpectedController(used)) {
      // Upstream's text verbatim, mistakes included: users search for it.
      const message = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
      recordEvent(sync, { type: "Warning", reason: "ConflictingController", message });
    }
    if (!areOwnersCurrent(used)) await updateOne(sync, used);
  }
}

async function updateOne(sync: SetSync, used: UsedClaim): Promise<void> {
  const { context, set } = sync;
  const { claim, user } = used;
  const { name } = claim.metadata;
  const ownerReferences = claimOwners(used);
  const because = context.decide(claimOwnersRule, {
    claim: name,
    pod: user.name,
    ...retentionPolicy(set),
    owners: ownerReferences.map((owner) => `${owner.kind} ${owner.name}`),
  });
  const { ownerReferences: _, ...metadata } = claim.metadata;
  const changed = {
    ...claim,
    metadata: { ...metadata, ...(ownerReferences.length > 0 && { ownerReferences }) },
  };
  try {
    const options = { because, basedOn: claim, signal: context.signal };
    const written = await context.client.update(PersistentVolumeClaims, changed, options);
    noteWrite(sync, { kind: PersistentVolumeClaims, written });
  } catch (cause) {
    throw new Error(`could not update claim ${name} for delete policy ownerRefs: ${messageOf(cause)}`, { cause });
  }
}
