/** The binder of volumes and claims. Source: kubernetes v1.36 pkg/controller/volume/persistentvolume/pv_controller_base.go. */
import { keyOf, objectKey, type ObjectKey } from "../../api/key.ts";
import { PersistentVolumeClaims, PersistentVolumes, Pods, StorageClasses } from "../../api/kinds.ts";
import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../../api/types.ts";
import { deepEqual } from "../../api/deep-equal.ts";
import { bindingAnnotations as annotations } from "../../api/storage/volume-binding.ts";
import {
  type ControllerDefinition,
  defineController,
  type Notification,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import { claimIndex, claimKeysOf } from "../../controller/workload/pods-of-claim.ts";
import { syncClaim } from "./claim-sync.ts";
import { rules } from "./rules.ts";
import { syncVolume } from "./volume-sync.ts";
import { claimantIndex, claimantOf, claimOf, forgetClaim, forgetVolume, keyOfRef, volumeNamed } from "./written.ts";

/** Times in milliseconds. */
export interface PersistentVolumeBinderOptions {
  /** How often waiting claims and volumes are checked. kube-controller-manager's `--pvclaimbinder-sync-period`. */
  readonly periodMs: number;
}

/**
 * Binds claims to volumes, has others create the volumes that are missing, and reclaims those whose claims are gone. Keys of volumes, which
 * have no namespace, share the queue of claims; upstream has a second one.
 */
export const persistentVolumeBinder: ControllerDefinition = definePersistentVolumeBinder({ periodMs: 15_000 });

/** The controller with a period other than kube-controller-manager's default. */
export function definePersistentVolumeBinder({ periodMs }: PersistentVolumeBinderOptions): ControllerDefinition {
  return defineController<PersistentVolumeClaim>({
    name: "persistentvolume-binder",
    aliases: ["pv-binder", "persistentvolume-binder-controller"],
    purpose: "binds PersistentVolumeClaims to PersistentVolumes, and reclaims released volumes",
    component: "persistentvolume-controller",
    source: "pkg/controller/volume/persistentvolume/pv_controller.go",
    for: PersistentVolumeClaims,
    watches: [
      watch<PersistentVolumeClaim>({ kind: PersistentVolumeClaims, on: onClaim }),
      // A claim of any namespace may have the volume: one namespace is not enough to judge.
      watch<PersistentVolume>({
        kind: PersistentVolumes,
        owned: true,
        indexes: { [claimantIndex]: claimantOf },
        on: onVolume,
      }),
      watch<StorageClass>({ kind: StorageClasses, on() {} }),
      watch<Pod>({ kind: Pods, indexes: { [claimIndex]: claimKeysOf }, on() {} }),
    ],
    scans: [{ name: "claims and volumes that wait", everyMs: periodMs, on: scanUnsettled }],
    // Two concurrent syncs could give two claims the same volume.
    workers: 1,
    ifRunTwice: "both would bind each claim: one of two writes is refused, or a claim gets two volumes",
    dryRun: { is: "left out", why: "whether claims are bound is judged from the claims and volumes that were read" },
    rules,
    // Granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
    permissions: [
      { group: "", resource: "persistentvolumes", verbs: ["update"] },
      { group: "", resource: "persistentvolumes/status", verbs: ["update"] },
      { group: "", resource: "persistentvolumeclaims", verbs: ["get", "update"] },
      { group: "", resource: "persistentvolumeclaims/status", verbs: ["update"] },
    ],
    about: (key) => (isVolumeKey(key) ? { kind: PersistentVolumes.kind, key } : undefined),
    sync: (key, context) => (isVolumeKey(key) ? syncVolume(context, key) : syncClaim(context, key)),
  });
}

const isVolumeKey = (key: ObjectKey): boolean => !key.includes("/");

function onClaim({ type, object: claim }: Notification<PersistentVolumeClaim>, context: WatchContext): void {
  if (type !== "deleted") return context.enqueue(keyOf(claim));
  forgetClaim(context, claim);
  const { volumeName = "" } = claim.spec ?? {};
  if (volumeName !== "") context.enqueue(volumeName);
}

function onVolume({ type, object: volume }: Notification<PersistentVolume>, context: WatchContext): void {
  if (type !== "deleted") return context.enqueue(keyOf(volume));
  forgetVolume(context, volume);
  const { namespace, name } = volume.spec?.claimRef ?? {};
  if (name !== undefined) context.enqueue(objectKey(namespace, name));
}

/**
 * Changes without notification: a waiting claim may now get a volume or a default class. Skips bound pairs, unless the volume has other
 * access modes than its claim reports; upstream checks all. Source: pv_controller_base.go resync.
 */
function scanUnsettled(context: WatchContext): void {
  for (const claim of context.cache(PersistentVolumeClaims).list()) {
    if (!isSettled(context, claim)) context.enqueue(keyOf(claim));
  }
  for (const volume of context.cache(PersistentVolumes).list()) {
    if (!isAtRest(context, volume)) context.enqueue(keyOf(volume));
  }
}

function isSettled(context: WatchContext, { metadata, spec, status }: PersistentVolumeClaim): boolean {
  if (status?.phase !== "Bound" || metadata.annotations?.[annotations.bindCompleted] === undefined) return false;
  const volume = volumeNamed(context, spec?.volumeName ?? "");
  const isBound = volume?.status?.phase === "Bound" && volume.spec?.claimRef?.uid === metadata.uid;
  return isBound && deepEqual(status.accessModes, volume.spec.accessModes);
}

function isAtRest(context: WatchContext, { metadata, spec, status }: PersistentVolume): boolean {
  const ref = spec?.claimRef;
  if (ref === undefined) return status?.phase === "Available";
  const claim = claimOf(context, keyOfRef(ref));
  return status?.phase === "Bound" && claim?.metadata.uid === ref.uid && claim?.spec?.volumeName === metadata.name;
}
