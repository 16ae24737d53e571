/**
 * In-tree storage plugins migrated to CSI drivers: the controller names the driver and leaves the rest to it.
 * Source: kubernetes v1.36 pkg/controller/volume/persistentvolume/pv_controller_base.go updateMigrationAnnotations,
 * modifyDeletionFinalizers; pkg/volume/csimigration/plugin_manager.go; staging/src/k8s.io/csi-translation-lib/plugins.
 */
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types.ts";
import { driverOf } from "../../api/storage/migrated-plugins.ts";
import { bindingAnnotations as annotations } from "../../api/storage/volume-binding.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { finalizersFollow, migrated } from "./rules.ts";
import { updateClaim, updateVolume } from "./writes.ts";

/** The finalizer of volumes that one of the controller's own plugins deletes. */
const inTreeProtection = "kubernetes.io/pv-controller";
const externalProtection = "external-provisioner.volume.kubernetes.io/finalizer";

/** Whether a name is that of one of the controller's own plugins, not of a driver. */
export function isInTree(provisioner: string): boolean {
  return provisioner.startsWith("kubernetes.io/");
}

type Annotations = Readonly<Record<string, string>>;

/** The annotations, with the driver of the provisioner that they name; undefined if they are already correct. */
export function migratedAnnotations(
  before: Annotations = {},
  provisioner: string | undefined,
): Annotations | undefined {
  if (provisioner === undefined) return undefined;
  const driver = driverOf(provisioner);
  const { [annotations.migratedTo]: named, ...others } = before;
  if (driver === undefined) return (named ?? "") === "" ? undefined : others;
  return named === driver ? undefined : { ...before, [annotations.migratedTo]: driver };
}

/** Annotates the claim with the driver of its provisioner. */
export async function syncClaimMigration(
  context: SyncContext,
  claim: PersistentVolumeClaim,
): Promise<PersistentVolumeClaim> {
  const { annotations: before = {} } = claim.metadata;
  const provisioner = before[annotations.storageProvisioner] ?? before[annotations.betaStorageProvisioner];
  const next = migratedAnnotations(before, provisioner);
  if (next === undefined) return claim;
  const because = context.decide(migrated, {
    provisioner: provisioner ?? "",
    driver: next[annotations.migratedTo] ?? "",
  });
  return updateClaim(context, {
    before: claim,
    next: { ...claim, metadata: { ...claim.metadata, annotations: next } },
    because,
  });
}

/** Annotates the volume with the driver of its provisioner, and sets the finalizer of the component that deletes it. */
export async function syncVolumeMigration(context: SyncContext, volume: PersistentVolume): Promise<PersistentVolume> {
  const provisioner = volume.metadata.annotations?.[annotations.provisionedBy];
  if (provisioner === undefined) return volume;
  const next = migratedAnnotations(volume.metadata.annotations, provisioner);
  const finalizers = finalizersFor(volume, provisioner);
  if (next === undefined && finalizers === undefined) return volume;
  const because =
    next === undefined
      ? context.decide(finalizersFollow, { provisioner, finalizers: finalizers ?? [] })
      : context.decide(migrated, { provisioner, driver: next[annotations.migratedTo] ?? "" });
  const { finalizers: before = [], ...metadata } = volume.metadata;
  const after = finalizers ?? before;
  const changed = {
    ...metadata,
    ...(next !== undefined && { annotations: next }),
    ...(after.length > 0 && { finalizers: after }),
  };
  return updateVolume(context, { before: volume, next: { ...volume, metadata: changed }, because });
}

/** Undefined if they are already correct. */
function finalizersFor({ metadata, spec }: PersistentVolume, provisioner: string): readonly string[] | undefined {
  const { finalizers: before = [] } = metadata;
  const isDriver = driverOf(provisioner) !== undefined;
  if (!isDriver && !isInTree(provisioner)) return undefined;
  const isDeletedHere = !isDriver && spec?.persistentVolumeReclaimPolicy === "Delete";
  const unwanted = [...(isDeletedHere ? [] : [inTreeProtection]), ...(isDriver ? [] : [externalProtection])];
  const kept = before.filter((each) => !unwanted.includes(each));
  const after = isDeletedHere && !kept.includes(inTreeProtection) ? [...kept, inTreeProtection] : kept;
  return after.length === before.length && after.every((each) => before.includes(each)) ? undefined : after;
}
