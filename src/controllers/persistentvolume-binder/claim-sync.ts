/** One sync of a claim. Source: kubernetes v1.36 pkg/controller/volume/persistentvolume/pv_controller.go syncClaim. */
import { defaultStorageClassMarks, newestDefault } from "../../api/default-class.ts";
import type { ObjectKey } from "../../api/key.ts";
import { PersistentVolumeClaims, StorageClasses } from "../../api/kinds.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types.ts";
import {
  attributesDiffer,
  bindingAnnotations as annotations,
  capacityOf,
  classOfClaim,
  classOfVolume,
  hasAccessModes,
  isVolumeOf,
  modesDiffer,
  namesClass,
  requestOf,
  volumeFor,
} from "../../api/storage/volume-binding.ts";
import type { Quantity } from "../../api/quantity.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { syncClaimMigration } from "./migration.ts";
import { provision } from "./provision.ts";
import { bindVolume, cannotBind, defaultClass, firstConsumer, lost, noVolume } from "./rules.ts";
import { unscheduledUsers } from "./users.ts";
import { bind, clearClaimStatus, updateClaim } from "./writes.ts";
import { claimOf, isClaimBehind, volumeNamed, volumesFor } from "./written.ts";

/** Binds the claim, has it provisioned, or reports why it waits. @throws the API server's refusal, such as a conflict. */
export async function syncClaim(context: SyncContext, key: ObjectKey): Promise<void> {
  const known = claimOf(context, key);
  // The cache shows a version before the controller's own write: a newer one will follow.
  if (known === undefined || isClaimBehind(context, key)) return;
  const claim = await syncClaimMigration(context, known);
  const wasBound = claim.metadata.annotations?.[annotations.bindCompleted] !== undefined;
  await (wasBound ? syncBoundClaim(context, claim) : syncUnboundClaim(context, claim));
}

async function syncUnboundClaim(context: SyncContext, claim: PersistentVolumeClaim): Promise<void> {
  if ((claim.spec?.volumeName ?? "") !== "") return syncNamingClaim(context, claim);
  const storageClass = context.cache(StorageClasses).get(classOfClaim(claim));
  const waitsForConsumer = storageClass?.volumeBindingMode === "WaitForFirstConsumer";
  const volume = volumeFor(claim, { volumes: volumesFor(context, claim), reservedOnly: waitsForConsumer });
  if (volume !== undefined) {
    const why = isVolumeOf(volume, claim) ? "reserved" : "smallest";
    return bind(context, {
      volume,
      claim,
      because: context.decide(bindVolume, { volume: volume.metadata.name, why }),
    });
  }
  if (await assignDefaultClass(context, claim)) return;
  const isChosen = claim.metadata.annotations?.[annotations.selectedNode] !== undefined;
  if (waitsForConsumer && !isChosen) return waitForConsumer(context, claim);
  if (classOfClaim(claim) !== "") return provision(context, claim);
  const because = context.decide(noVolume, {});
  context.event(PersistentVolumeClaims, claim, {
    type: "Normal",
    reason: "FailedBinding",
    message: "no persistent volumes available for this claim and no storage class is set",
  });
  await clearClaimStatus(context, { claim, phase: "Pending", because });
}

/** Returns whether the claim was given a class: its next sync uses that. Source: pv_controller.go assignDefaultStorageClass. */
async function assignDefaultClass(context: SyncContext, claim: PersistentVolumeClaim): Promise<boolean> {
  if (namesClass(claim)) return false;
  const found = newestDefault(context.cache(StorageClasses).list(), defaultStorageClassMarks);
  if (found === undefined) return false;
  const { name } = found.metadata;
  const because = context.decide(defaultClass, { storageClass: name });
  const next = { ...claim, spec: { ...claim.spec, storageClassName: name } };
  await updateClaim(context, { before: claim, next, because });
  return true;
}

/** Source: pv_controller.go emitEventForUnboundDelayBindingClaim. */
async function waitForConsumer(context: SyncContext, claim: PersistentVolumeClaim): Promise<void> {
  const pods = unscheduledUsers(context, claim);
  const because = context.decide(firstConsumer, { storageClass: classOfClaim(claim), pods });
  const message =
    pods.length === 0
      ? "waiting for first consumer to be created before binding"
      : `waiting for pod${pods.length === 1 ? "" : "s"} ${pods.join(",")} to be scheduled`;
  const reason = pods.length === 0 ? "WaitForFirstConsumer" : "WaitForPodScheduled";
  context.event(PersistentVolumeClaims, claim, { type: "Normal", reason, message });
  await clearClaimStatus(context, { claim, phase: "Pending", because });
}

/** Syncs a claim that names its volume but was not bound yet. */
async function syncNamingClaim(context: SyncContext, claim: PersistentVolumeClaim): Promise<void> {
  const { volumeName: name = "" } = claim.spec ?? {};
  const volume = volumeNamed(context, name);
  if (volume === undefined) {
    const because = context.decide(cannotBind, { volume: name, why: "does not exist" });
    await clearClaimStatus(context, { claim, phase: "Pending", because });
    return;
  }
  if (volume.spec?.claimRef === undefined) {
    const misfit = misfitOf(volume, claim);
    if (misfit === undefined) {
      return bind(context, { volume, claim, because: context.decide(bindVolume, { volume: name, why: "named" }) });
    }
    return refuse(context, {
      claim,
      name,
      why: `does not suit: ${misfit}`,
      reason: "VolumeMismatch",
      message: `Cannot bind to requested volume "${name}": ${misfit}`,
    });
  }
  if (isVolumeOf(volume, claim)) {
    return bind(context, { volume, claim, because: context.decide(bindVolume, { volume: name, why: "reserved" }) });
  }
  await refuse(context, {
    claim,
    name,
    why: "is bound to another claim",
    reason: "FailedBinding",
    message: `volume "${name}" already bound to a different claim.`,
  });
}

interface Refusal {
  readonly claim: PersistentVolumeClaim;
  readonly name: string;
  /** As in `it names volume disk-1, which WHY`. */
  readonly why: string;
  readonly reason: "VolumeMismatch" | "FailedBinding";
  readonly message: string;
}

/** @throws Error if the controller itself had chosen the volume. */
async function refuse(context: SyncContext, { claim, name, why, reason, message }: Refusal): Promise<void> {
  const because = context.decide(cannotBind, { volume: name, why });
  context.event(PersistentVolumeClaims, claim, { type: "Warning", reason, message });
  const isOwnChoice = claim.metadata.annotations?.[annotations.boundByController] !== undefined;
  if (reason === "FailedBinding" && isOwnChoice) {
    throw new Error(`invalid binding of claim to volume "${name}": it is claimed by another one`);
  }
  await clearClaimStatus(context, { claim, phase: "Pending", because });
}

/** Why a free volume does not suit the claim that names it. Source: pv_controller.go checkVolumeSatisfyClaim. */
function misfitOf(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined) {
    return `the volume is marked for deletion "${volume.metadata.name}"`;
  }
  if (bytes(capacityOf(volume)) < bytes(requestOf(claim))) return "requested PV is too small";
  if (classOfVolume(volume) !== classOfClaim(claim)) return "storageClassName does not match";
  if (attributesDiffer(claim, volume)) return "volumeAttributesClassName does not match";
  if (modesDiffer(claim, volume)) return "incompatible volumeMode";
  return hasAccessModes(volume, claim) ? undefined : "incompatible accessMode";
}

/** Whole bytes, rounded up. */
function bytes({ nano }: Quantity): bigint {
  return (nano + 999_999_999n) / 1_000_000_000n;
}

/** Syncs a claim that was bound once: it still is, or has lost its volume for good. Source: pv_controller.go syncBoundClaim. */
async function syncBoundClaim(context: SyncContext, claim: PersistentVolumeClaim): Promise<void> {
  const name = claim.spec?.volumeName ?? "";
  if (name === "") {
    return lose(context, {
      claim,
      why: "it names no volume any more",
      reason: "ClaimLost",
      message: "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
    });
  }
  const volume = volumeNamed(context, name);
  if (volume === undefined) {
    return lose(context, {
      claim,
      why: "that volume does not exist",
      reason: "ClaimLost",
      message: "Bound claim has lost its PersistentVolume. Data on the volume is lost!",
    });
  }
  const owner = volume.spec?.claimRef;
  if (owner === undefined || owner.uid === claim.metadata.uid) {
    return bind(context, { volume, claim, because: context.decide(bindVolume, { volume: name, why: "unfinished" }) });
  }
  await lose(context, {
    claim,
    why: "that volume is bound to another claim",
    reason: "ClaimMisbound",
    message: "Two claims are bound to the same volume, this one is bound incorrectly",
  });
}

interface Loss {
  readonly claim: PersistentVolumeClaim;
  readonly why: string;
  readonly reason: "ClaimLost" | "ClaimMisbound";
  readonly message: string;
}

async function lose(context: SyncContext, { claim, why, reason, message }: Loss): Promise<void> {
  const because = context.decide(lost, { volume: claim.spec?.volumeName ?? "", why });
  if (claim.status?.phase === "Lost") return;
  const written = await clearClaimStatus(context, { claim, phase: "Lost", because });
  context.event(PersistentVolumeClaims, written, { type: "Warning", reason, message });
}
