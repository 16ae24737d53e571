/** Claims, volumes and classes in the form in which a server stores them. */
import type { StoredMeta } from "../../../src/api/object.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../../../src/api/types.ts";
import { sceneStart } from "../../support/sync-context.ts";

type Meta = Partial<StoredMeta>;
type ClaimSpec = NonNullable<PersistentVolumeClaim["spec"]>;
type VolumeSpec = NonNullable<PersistentVolume["spec"]>;

export const bindCompleted = { "pv.kubernetes.io/bind-completed": "yes" };
export const boundByController = { "pv.kubernetes.io/bound-by-controller": "yes" };

function metaOf(name: string, more: Meta): StoredMeta {
  return { name, uid: `uid-${name}`, resourceVersion: "1", creationTimestamp: formatTime(sceneStart), ...more };
}

export interface ClaimParts {
  readonly meta?: Meta;
  readonly spec?: Partial<ClaimSpec>;
  readonly status?: PersistentVolumeClaim["status"];
}

/** A pending claim of 1Gi without a class. */
export function claimOf(
  name: string,
  { meta = {}, spec = {}, status = { phase: "Pending" } }: ClaimParts = {},
): PersistentVolumeClaim {
  return {
    metadata: metaOf(name, { namespace: "shop", ...meta }),
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "",
      resources: { requests: { storage: "1Gi" } },
      ...spec,
    },
    status,
  };
}

export interface VolumeParts {
  readonly meta?: Meta;
  readonly spec?: Partial<VolumeSpec>;
  readonly phase?: string;
}

/** An available volume of 1Gi without a class. */
export function volumeOf(
  name: string,
  { meta = {}, spec = {}, phase = "Available" }: VolumeParts = {},
): PersistentVolume {
  return {
    metadata: metaOf(name, meta),
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: "Retain",
      ...spec,
    },
    status: { phase },
  };
}

/** The claimRef of a volume; without a UID, the volume is only reserved for the claim. */
export function refTo(name: string, uid?: string): NonNullable<VolumeSpec["claimRef"]> {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    namespace: "shop",
    name,
    ...(uid !== undefined && { uid }),
  };
}

export function classOf(name: string, more: Partial<StorageClass> = {}): StorageClass {
  return {
    metadata: metaOf(name, {}),
    provisioner: "example.com/disks",
    volumeBindingMode: "Immediate",
    ...more,
  };
}

/** A pod with a claim, without a node. */
export function userOf(claimName: string, name: string): Pod {
  return {
    metadata: metaOf(name, { namespace: "shop" }),
    spec: { containers: [{ name: "c" }], volumes: [{ name: "v", persistentVolumeClaim: { claimName } }] },
    status: { phase: "Pending" },
  };
}
