/** Claims that grow, and their volumes. Names of volumes and classes contain the stage's name. */
import { StorageClasses } from "../../../../src/api/kinds.ts";
import type { Json } from "../../objects.ts";
import { ownName, type Stage } from "../../stage.ts";
import type { Step } from "../../suite.ts";

/** Creates the class that allows expansion. */
export const makeClass = (stage: Stage): Promise<Json> =>
  stage.create(StorageClasses, {
    metadata: { name: ownName(stage, "growing") },
    provisioner: "example.com/disks",
    allowVolumeExpansion: true,
  });

/** Volume sources, some of them expanded by other components. */
export const sources: Readonly<Record<string, object>> = {
  csi: { csi: { driver: "example.com", volumeHandle: "a" } },
  path: { hostPath: { path: "/data" } },
  nfs: { nfs: { server: "nfs", path: "/" } },
  iscsi: { iscsi: { targetPortal: "10.0.0.1:3260", iqn: "iqn.2026-01.example:disk", lun: 2 } },
  fc: { fc: { wwids: ["3600508b400105e210000900000490000"] } },
  aws: { awsElasticBlockStore: { volumeID: "vol-1" } },
  gce: { gcePersistentDisk: { pdName: "disk" } },
  azureDisk: { azureDisk: { diskName: "disk", diskURI: "https://account.blob.core.windows.net/container/disk.vhd" } },
  azureFile: { azureFile: { secretName: "a", shareName: "b", secretNamespace: "c" } },
  cinder: { cinder: { volumeID: "a" } },
  vsphere: { vsphereVolume: { volumePath: "a" } },
  portworx: { portworxVolume: { volumeID: "a" } },
};

export interface ClaimParts {
  readonly source?: string;
  readonly bound?: boolean;
  /** Whether the volume is bound to this claim. Default true. */
  readonly isOwn?: boolean;
  readonly volumeAnnotations?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Creates a claim of 1Gi and a volume with the same name. */
export async function makeClaim(stage: Stage, name: string, parts: ClaimParts = {}): Promise<void> {
  const { source = "csi", bound = true, isOwn = true, annotations = {}, volumeAnnotations = {} } = parts;
  const common = { accessModes: ["ReadWriteOnce"], storageClassName: ownName(stage, "growing") };
  const claim = (await stage.create("persistentvolumeclaims", {
    metadata: { name, annotations },
    spec: { ...common, resources: { requests: { storage: "1Gi" } }, volumeName: ownName(stage, name) },
  })) as { readonly metadata: { readonly uid: string } };
  const uid = isOwn ? claim.metadata.uid : "another";
  await stage.create("persistentvolumes", {
    metadata: { name: ownName(stage, name), annotations: volumeAnnotations },
    spec: {
      ...common,
      capacity: { storage: "1Gi" },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: stage.namespace, name, uid },
      ...sources[source],
    },
  });
  if (bound) await has(stage, name, "1Gi");
}

/** Writes the capacity of the claim, as the resizer would. */
export const has = (stage: Stage, name: string, storage: string): Promise<Json> =>
  stage.patch("persistentvolumeclaims", `${name}/status`, { status: { phase: "Bound", capacity: { storage } } });

export const grow = (stage: Stage, name: string, storage: string): Promise<Json> =>
  stage.patch("persistentvolumeclaims", name, { spec: { resources: { requests: { storage } } } });

export function step(name: string, act: (stage: Stage) => Promise<unknown>): Step {
  return { name, act };
}
