/** One sync of a volume. Source: kubernetes v1.36 pkg/controller/volume/persistentvolume/pv_controller.go syncVolume. */
import { keyOf } from "../../api/key.ts";
import { PersistentVolumeClaims, PersistentVolumes } from "../../api/kinds.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types.ts";
import { bindingAnnotations as annotations, modesDiffer } from "../../api/storage/volume-binding.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { syncVolumeMigration } from "./migration.ts";
import { reclaim } from "./reclaim.ts";
import { available, boundVolume, claimFirst, modeMismatch, released, unbindVolume } from "./rules.ts";
import { setVolumePhase, unbind } from "./writes.ts";
import { claimOf, type ClaimRef, isVolumeBehind, keyOfRef, volumeNamed } from "./written.ts";

/** Writes the volume's phase, and reclaims it once its claim is gone. @throws the API server's refusal, such as a conflict. */
export async function syncVolume(context: SyncContext, name: string): Promise<void> {
  const known = volumeNamed(context, name);
  // The cache shows a version before the controller's own write: a newer one will follow.
  if (known === undefined || isVolumeBehind(context, name)) return;
  const volume = await syncVolumeMigration(context, known);
  const ref = volume.spec?.claimRef;
  if (ref === undefined || (ref.uid ?? "") === "") {
    const claim = ref === undefined ? "" : keyOfRef(ref);
    await setVolumePhase(context, { volume, phase: "Available", because: context.decide(available, { claim }) });
    return;
  }
  const claim = await claimBehind(context, volume);
  if (claim === undefined) return release(context, { volume, why: "gone" });
  const key = keyOfRef(ref);
  const named = claim.spec?.volumeName ?? "";
  if (named === "") return awaitClaim(context, { volume, claim });
  if (named === name) {
    await setVolumePhase(context, { volume, phase: "Bound", because: context.decide(boundVolume, { claim: key }) });
    return;
  }
  const isProvisioned = volume.metadata.annotations?.[annotations.provisionedBy] !== undefined;
  if (isProvisioned && volume.spec?.persistentVolumeReclaimPolicy === "Delete") {
    return release(context, { volume, why: "elsewhere" });
  }
  await unbind(context, { volume, because: context.decide(unbindVolume, { claim: key }) });
}

/**
 * The claim that the volume is bound to; undefined if it is gone. The cache alone is no basis for reclaiming: it may not have the claim
 * yet, or show an earlier one of the same name. For an already released volume, the API server is read only if the cache has a claim of
 * that name.
 */
async function claimBehind(
  context: SyncContext,
  { spec, status }: PersistentVolume,
): Promise<PersistentVolumeClaim | undefined> {
  const ref = spec?.claimRef ?? {};
  const cached = claimOf(context, keyOfRef(ref));
  const isReleased = status?.phase === "Released" || status?.phase === "Failed";
  if (cached === undefined && isReleased) return undefined;
  const claim = cached?.metadata.uid === ref.uid ? cached : await liveClaim(context, ref);
  return claim?.metadata.uid === ref.uid ? claim : undefined;
}

async function liveClaim(
  context: SyncContext,
  { namespace = "", name = "" }: ClaimRef,
): Promise<PersistentVolumeClaim | undefined> {
  try {
    return await context.client.get(PersistentVolumeClaims, { namespace, name }, { signal: context.signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

interface Pair {
  readonly volume: PersistentVolume;
  readonly claim: PersistentVolumeClaim;
}

/** The claim's own sync binds it, unless the two can never be bound. */
function awaitClaim(context: SyncContext, { volume, claim }: Pair): void {
  const key = keyOf(claim);
  if (!modesDiffer(claim, volume)) {
    context.decide(claimFirst, { claim: key });
    context.enqueue(key, "its volume names it");
    return;
  }
  context.decide(modeMismatch, { claim: key });
  const [type, reason] = ["Warning", "VolumeMismatch"] as const;
  const why = "due to incompatible volumeMode.";
  context.event(PersistentVolumes, volume, {
    type,
    reason,
    message: `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata.name}" ${why}`,
  });
  context.event(PersistentVolumeClaims, claim, {
    type,
    reason,
    message: `Cannot bind PersistentVolume "${volume.metadata.name}" to requested PersistentVolumeClaim ${why}`,
  });
}

interface Release {
  readonly volume: PersistentVolume;
  readonly why: "gone" | "elsewhere";
}

async function release(context: SyncContext, { volume, why }: Release): Promise<void> {
  const policy = volume.spec?.persistentVolumeReclaimPolicy ?? "Retain";
  const because = context.decide(released, { claim: keyOfRef(volume.spec?.claimRef ?? {}), policy, why });
  // A failure stays visible while reclaiming is retried.
  const next =
    volume.status?.phase === "Failed" ? volume : await setVolumePhase(context, { volume, phase: "Released", because });
  await reclaim(context, next);
}
