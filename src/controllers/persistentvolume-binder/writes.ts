/** The writes of the binder: of claims, of volumes, and of the two together. Each returns the object as then stored. */
import { PersistentVolumeClaims, PersistentVolumes } from "../../api/kinds.ts";
import { deepEqual } from "../../api/deep-equal.ts";
import { draft } from "../../api/object.ts";
import { parseQuantity } from "../../api/quantity.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types.ts";
import { annotated, bindingAnnotations as annotations, boundTo, capacityOf } from "../../api/storage/volume-binding.ts";
import type { Because, SyncContext } from "../../controller/api/sync-context.ts";
import { noteClaim, noteVolume } from "./written.ts";

/** If a filesystem has yet to be resized: the size that the claim shows until then. Source: pkg/volume/util AnnPreResizeCapacity. */
const preResizeCapacity = "volume.alpha.kubernetes.io/pre-resize-capacity";

/** An object as read, and its replacement. */
interface Replacement<T> extends Because {
  readonly before: T;
  readonly next: T;
}

/** Replaces the claim. */
export async function updateClaim(
  context: SyncContext,
  { before, next, because }: Replacement<PersistentVolumeClaim>,
): Promise<PersistentVolumeClaim> {
  const options = { because, basedOn: before, signal: context.signal };
  return noteClaim(context, await context.client.update(PersistentVolumeClaims, next, options));
}

/** Replaces the volume. */
export async function updateVolume(
  context: SyncContext,
  { before, next, because }: Replacement<PersistentVolume>,
): Promise<PersistentVolume> {
  const options = { because, basedOn: before, signal: context.signal };
  return noteVolume(context, await context.client.update(PersistentVolumes, next, options));
}

interface VolumePhase extends Because {
  readonly volume: PersistentVolume;
  readonly phase: string;
  readonly message?: string;
}

/** Writes the phase of a volume, unless it already has it. Source: pv_controller.go updateVolumePhase. */
export async function setVolumePhase(
  context: SyncContext,
  { volume, phase, because, message = "" }: VolumePhase,
): Promise<PersistentVolume> {
  if (volume.status?.phase === phase) return volume;
  const { message: _before, ...status } = volume.status ?? {};
  const next = { ...volume, status: { ...status, phase, ...(message !== "" && { message }) } };
  const options = { because, basedOn: volume, signal: context.signal };
  return noteVolume(context, await context.client.updateStatus(PersistentVolumes, next, options));
}

/** A claim and the volume that it gets, or has. */
interface Pair extends Because {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
}

/** Removes the volume from the claim's status, unless it has none there. Source: pv_controller.go updateClaimStatus. */
export function clearClaimStatus(
  context: SyncContext,
  { claim, phase, because }: Because & { readonly claim: PersistentVolumeClaim; readonly phase: string },
): Promise<PersistentVolumeClaim> {
  const {
    accessModes: _modes,
    capacity: _capacity,
    currentVolumeAttributesClassName: _class,
    ...rest
  } = claim.status ?? {};
  return writeClaimStatus(context, { claim, status: { ...rest, phase }, because });
}

/**
 * Writes to the status that the claim has this volume. Capacity and attributes are written only when it becomes Bound; later, the resizer
 * writes them. Source: pv_controller.go updateClaimStatus.
 * @throws Error if the volume has no capacity.
 */
function fillClaimStatus(context: SyncContext, { claim, volume, because }: Pair): Promise<PersistentVolumeClaim> {
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
  return writeClaimStatus(context, { claim, status: next, because });
}

async function writeClaimStatus(
  context: SyncContext,
  { claim, status, because }: Because & Pick<Pair, "claim"> & { readonly status: PersistentVolumeClaim["status"] },
): Promise<PersistentVolumeClaim> {
  if (deepEqual(status, claim.status ?? {})) return claim;
  const options = { because, basedOn: claim, signal: context.signal };
  const next = status === undefined ? claim : { ...claim, status };
  return noteClaim(context, await context.client.updateStatus(PersistentVolumeClaims, next, options));
}

/**
 * Binds the two in up to four writes: the volume, its phase, the claim, its status; writes that change nothing are skipped. A later sync
 * completes what fails halfway. Source: pv_controller.go bind.
 */
export async function bind(context: SyncContext, { volume, claim, because }: Pair): Promise<void> {
  const next = boundTo(volume, claim);
  const reserved = next === undefined ? volume : await updateVolume(context, { before: volume, next, because });
  const bound = await setVolumePhase(context, { volume: reserved, phase: "Bound", because });
  const naming = await nameVolume(context, { claim, volume: bound, because });
  await fillClaimStatus(context, { claim: naming, volume: bound, because });
}

/** Source: pv_controller.go bindClaimToVolume. */
async function nameVolume(context: SyncContext, { claim, volume, because }: Pair): Promise<PersistentVolumeClaim> {
  const { name } = volume.metadata;
  const isNamed = claim.spec?.volumeName === name;
  if (isNamed && claim.metadata.annotations?.[annotations.bindCompleted] !== undefined) return claim;
  const chosen = isNamed
    ? claim
    : annotated({ ...claim, spec: { ...claim.spec, volumeName: name } }, { [annotations.boundByController]: "yes" });
  const next = annotated(chosen, { [annotations.bindCompleted]: "yes" });
  return updateClaim(context, { before: claim, next, because });
}

/**
 * Unbinds a volume from its claim: one bound by the controller becomes available, one reserved by the user stays reserved. Source:
 * pv_controller.go unbindVolume.
 */
export async function unbind(context: SyncContext, { volume, because }: Because & Pick<Pair, "volume">): Promise<void> {
  const freed = await updateVolume(context, { before: volume, next: withoutClaim(volume), because });
  await setVolumePhase(context, { volume: freed, phase: "Available", because });
}

function withoutClaim(volume: PersistentVolume): PersistentVolume {
  const { claimRef, ...spec } = volume.spec ?? {};
  const { [annotations.boundByController]: byController, ...others } = volume.metadata.annotations ?? {};
  if (byController === undefined) {
    const { uid: _uid, ...reserved } = claimRef ?? {};
    return { ...volume, spec: { ...spec, claimRef: reserved } };
  }
  const { annotations: _annotations, ...metadata } = volume.metadata;
  const isLast = Object.keys(others).length === 0;
  return { ...volume, spec, metadata: isLast ? metadata : { ...metadata, annotations: others } };
}
