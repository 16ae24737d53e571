/**
 * What happens to a released volume. Files are never deleted or scrubbed here: CSI drivers delete their own, and host-path volumes on
 * kube-controller-manager's machine are out of reach.
 * Source: kubernetes v1.36 pkg/controller/volume/persistentvolume/pv_controller.go reclaimVolume, findDeletablePlugin,
 * deleteVolumeOperation, recycleVolumeOperation.
 */
import { keyOf } from "../../api/key.ts";
import { PersistentVolumes } from "../../api/kinds.ts";
import type { PersistentVolume } from "../../api/types.ts";
import { bindingAnnotations as annotations } from "../../api/storage/volume-binding.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { isInTree } from "./migration.ts";
import { cannotReclaim } from "./rules.ts";
import { activeUsers } from "./users.ts";
import { setVolumePhase } from "./writes.ts";
import { claimOf } from "./written.ts";

/** Follows the volume's policy: Retain leaves it, Delete and Recycle fail if no driver does the work. */
export async function reclaim(context: SyncContext, volume: PersistentVolume): Promise<void> {
  if ((volume.metadata.annotations?.[annotations.migratedTo] ?? "") !== "") return;
  switch (volume.spec?.persistentVolumeReclaimPolicy) {
    case "Delete": {
      const error = whyNotDeleted(volume);
      return error === undefined ? undefined : fail(context, { volume, policy: "Delete", error });
    }
    case "Recycle":
      return recycle(context, volume);
    case "Retain":
    case undefined:
      return;
  }
}

const hostPath = "kubernetes.io/host-path";

/** Undefined if something else deletes it. */
function whyNotDeleted({ metadata, spec }: PersistentVolume): string | undefined {
  const provisioner = metadata.annotations?.[annotations.provisionedBy] ?? "";
  if (provisioner !== "" && !isInTree(provisioner)) return undefined;
  if (provisioner !== "" && provisioner !== hostPath) {
    return provisioner === "kubernetes.io/nfs"
      ? "no deletable volume plugin matched"
      : `no volume plugin matched name: ${provisioner}`;
  }
  if (provisioner === "" && spec?.csi !== undefined) return undefined;
  const path = spec?.hostPath?.path;
  if (path === undefined) {
    if (provisioner === hostPath) {
      return `failed to create deleter for volume "${metadata.name}": spec.PersistentVolumeSource.HostPath is nil`;
    }
    const found = spec?.nfs === undefined ? "no volume plugin matched" : "no deletable volume plugin matched";
    return `error getting deleter volume plugin for volume "${metadata.name}": ${found}`;
  }
  return /\/tmp\/.+/.test(path)
    ? `the files in ${path} are on another machine: delete them, then the volume`
    : `host_path deleter only supports /tmp/.+ but received provided ${path}`;
}

async function recycle(context: SyncContext, volume: PersistentVolume): Promise<void> {
  const { claimRef, hostPath: onHost, nfs } = volume.spec ?? {};
  const key = `${claimRef?.namespace ?? ""}/${claimRef?.name ?? ""}`;
  const users = claimOf(context, key) === undefined ? activeUsers(context, key) : [];
  if (users.length > 0) {
    const message = `Volume is used by pods: ${users.map((pod) => keyOf(pod)).join(",")}`;
    context.event(PersistentVolumes, volume, { type: "Normal", reason: "VolumeFailedRecycle", message });
    return;
  }
  const hasRecycler = onHost !== undefined || nfs !== undefined;
  const error = hasRecycler
    ? "Recycle failed: no pod is run that would delete the files"
    : "No recycler plugin found for the volume!";
  await fail(context, { volume, policy: "Recycle", error });
}

interface Failure {
  readonly volume: PersistentVolume;
  readonly policy: "Delete" | "Recycle";
  readonly error: string;
}

async function fail(context: SyncContext, { volume, policy, error }: Failure): Promise<void> {
  const because = context.decide(cannotReclaim, { policy, error });
  if (volume.status?.phase === "Failed") return;
  const failed = await setVolumePhase(context, { volume, phase: "Failed", because, message: error });
  const reason = policy === "Delete" ? "VolumeFailedDelete" : "VolumeFailedRecycle";
  context.event(PersistentVolumes, failed, { type: "Warning", reason, message: error });
}
