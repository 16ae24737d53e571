/**
 * Where the volumes of bound claims can be used. Nothing here attaches volumes: what depends on that is reported as unknown.
 * Source: kubernetes v1.36 pkg/scheduler/framework/plugins/volumebinding/binder.go checkBoundClaims; differs: labels of volumes
 * (VolumeZone) and limits of nodes are not checked.
 */
import { objectKey, type ObjectKey } from "../../api/key.ts";
import { PersistentVolumeClaims, PersistentVolumes } from "../../api/kinds.ts";
import { claimNamesOf } from "../../api/pod-claims.ts";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../api/types.ts";
import { usableWhere, type VolumesView } from "../../controllers/scheduler/volumes.ts";
import type { Lookup } from "./scope.ts";

/** A bound claim of a pod, and its volume if known. */
export interface BoundClaim {
  readonly key: ObjectKey;
  readonly volumeName: string;
  readonly volume: PersistentVolume | undefined;
  readonly accessModes: readonly string[];
}

/** The bound claims of a pod. */
export function boundClaims(pod: Pod, lookup: Lookup): readonly BoundClaim[] {
  return claimNamesOf(pod).flatMap((name): readonly BoundClaim[] => {
    const key = objectKey(pod.metadata.namespace, name);
    const claim: PersistentVolumeClaim | undefined = lookup(PersistentVolumeClaims, key);
    const volumeName = claim?.spec?.volumeName ?? "";
    if (claim === undefined || volumeName === "") return [];
    const volume: PersistentVolume | undefined = lookup(PersistentVolumes, objectKey("", volumeName));
    return [{ key, volumeName, volume, accessModes: volume?.spec?.accessModes ?? claim.spec?.accessModes ?? [] }];
  });
}

/** For the scheduler: an unknown volume can be used on any node. */
export function knownVolumes(pod: Pod, lookup: Lookup): VolumesView {
  return usableWhere(boundClaims(pod, lookup).flatMap(({ volume }) => volume ?? []));
}
