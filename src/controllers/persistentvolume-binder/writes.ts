/** The writes of the binder: of claims, of volumes, and of the two together. Each returns the object as it is stored then. */
import { PersistentVolumeClaims, PersistentVolumes } from "../../api/kinds.ts";
import { deepEqual } from "../../api/deep-equal.ts";
import { draft } from "../../api/object.ts";
import { parseQuantity } from "../../api/quantity.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types.ts";
import { annotated, bindingAnnotations as annotations, boundTo, capacityOf } from "../../api/volume-binding.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { noteClaim, noteVolume } from "./written.ts";

/** Where a filesystem is to be resized yet: the size that the claim shows until then. Source: pkg/volume/util AnnPreResizeCapacity. */
const preResizeCapacity = "volume.alpha.kubernetes.io/pre-resize-capacity";

/** Replaces the claim. */
export async function updateClaim(
  context: SyncContext,
  before: PersistentVolumeClaim,
  next: PersistentVolumeClaim,
  because: Decision,
): Promise<PersistentVolumeClaim> {
  const options = { because, basedOn: before, signal: context.signal };
  return noteClaim(context, await context.client.update(PersistentVolumeClaims, next, options));
}

/** Replaces the volume. */
export async function updateVolume(
  context: SyncContext,
  before: PersistentVolume,
  next: PersistentVolume,
  because: Decision,
): Promise<PersistentVolume> {
  const options = { because, basedOn: before, signal: context.signal };
  return noteVolume(context, await context.client.update(PersistentVolumes, next, options));
}

/** Writes the phase of a volume, unless it is that already. Source: pv_controller.go updateVolumePhase. */
export async function setVolumePhase(
  context: SyncContext,
  volume: PersistentVolume,
  phase: string,
  because: Decision,
  message = "",
): Promise<PersistentVolume> {
  if (volume.status?.phase === phase) return volume;
  const { message: _before, ...status } = volume.status ?? {};
  const next = { ...volume, status: { ...status, phase, ...(message !== "" && { message }) } };
  const options = { because, basedOn: volume, signal: context.signal };
  return noteVolume(context, await context.client.updateStatus(PersistentVolumes, next, options));
}

/** Writes that the claim has no volume, unless its status says so already. Source: pv_controller.go updateClaimStatus. */
export function clearClaimStatus(
  context: SyncContext,
  claim: PersistentVolumeClaim,
  phase: string,
  because: Decision,
): Promise<PersistentVolumeClaim> {
  const {
    accessModes: _modes,
    capacity: _capacity,
    currentVolumeAttributesClassName: _class,
    ...rest
  } = claim.status ?? {};
  return writeClaimStatus(context, claim, { ...rest, phase }, because);
}

/**
 * Writes that the claim has this volume. Its capacity and attributes are written only when it becomes Bound: whoever resizes it writes
 * them later. Source: pv_controller.go updateClaimStatus.
 * @throws Error where the volume has no capacity.
 */
export function fillClaimStatus(
  context: SyncContext,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  because: Decision,
): Promise<PersistentVolumeClaim> {
  const next = draft(claim.status ?? {});
  const { accessModes, volumeAttributesClassName, capacity } = volume.spec ?? {};
  if (accessModes === undefined) delete next.accessModes;
  else next.accessModes = [...accessModes];
  if (claim.status?.phase !== "Bound") {
    if (capacity?.["storage"] === undefined) {
      throw new Error(`PersistentVolume "${volume.metadata.name}" is without a storage capacity`);
    }
    const before = volume.metadata.annotations?.[preResizeCapacity];
    if (before !== undefined) {
      const size = parseQuantity(before) === undefined ? capacity["storage"] : before;
      next.capacity = { ...next.capacity, storage: size };
    } else if (parseQuantity(String(claim.status?.capacity?.["storage"]))?.nano !== capacityOf(volume).nano) {
      next.capacity = { ...capacity };
    }
    if (claim.status?.phase === "Pending") {
      if (volumeAttributesClassName === undefined) delete next.currentVolumeAttributesClassName;
      else next.currentVolumeAttributesClassName = volumeAttributesClassName;
    }
  }
  next.phase = "Bound";
  return writeClaimStatus(context, claim, next, because);
}

async function writeClaimStatus(
  context: SyncContext,
  claim: PersistentVolumeClaim,
  status: PersistentVolumeClaim["status"],
  because: Decision,
): Promise<PersistentVolumeClaim> {
  if (deepEqual(status, claim.status ?? {})) return claim;
  const options = { because, basedOn: claim, signal: context.signal };
  const next = { ...claim, status } as PersistentVolumeClaim;
  return noteClaim(context, await context.client.updateStatus(PersistentVolumeClaims, next, options));
}

/**
 * Binds the two to each other in four writes, of which those that change nothing are left out: the volume, its phase, the claim, its
 * status. What fails half way is finished by a later sync. Source: pv_controller.go bind.
 */
export async function bind(
  context: SyncContext,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  because: Decision,
): Promise<void> {
  const next = boundTo(volume, claim);
  const reserved = next === undefined ? volume : await updateVolume(context, volume, next, because);
  const bound = await setVolumePhase(context, reserved, "Bound", because);
  const naming = await nameVolume(context, claim, bound, because);
  await fillClaimStatus(context, naming, bound, because);
}

/** Source: pv_controller.go bindClaimToVolume. */
async function nameVolume(
  context: SyncContext,
  claim: PersistentVolumeClaim,
  { metadata: { name } }: PersistentVolume,
  because: Decision,
): Promise<PersistentVolumeClaim> {
  const isNamed = claim.spec?.volumeName === name;
  if (isNamed && claim.metadata.annotations?.[annotations.bindCompleted] !== undefined) return claim;
  const chosen = isNamed
    ? claim
    : annotated({ ...claim, spec: { ...claim.spec, volumeName: name } }, annotations.boundByController);
  return updateClaim(context, claim, annotated(chosen, annotations.bindCompleted), because);
}

/**
 * Takes a volume back from its claim: one that the controller bound is free then, one that the user reserved stays reserved. Source:
 * pv_controller.go unbindVolume.
 */
export async function unbind(context: SyncContext, volume: PersistentVolume, because: Decision): Promise<void> {
  const freed = await updateVolume(context, volume, withoutClaim(volume), because);
  await setVolumePhase(context, freed, "Available", because);
}

function withoutClaim(volume: PersistentVolume): PersistentVolume {
  const { claimRef, ...spec } = volume.spec ?? {};
  const { [annotations.boundByController]: byController, ...others } = volume.metadata.annotations ?? {};
  if (byController === undefined) {
    const { uid: _uid, ...reserved } = claimRef ?? {};
    return { ...volume, spec: { ...spec, claimRef: reserved } } as PersistentVolume;
  }
  const { annotations: _annotations, ...metadata } = volume.metadata;
  const isLast = Object.keys(others).length === 0;
  return { ...volume, spec, metadata: isLast ? metadata : { ...metadata, annotations: others } } as PersistentVolume;
}
