/** One sync of a claim or a volume, like the sidecar of a CSI driver: github.com/kubernetes-csi/external-provisioner. */
import type { ObjectKey } from "../../api/key.ts";
import { PersistentVolumeClaims, PersistentVolumes, StorageClasses } from "../../api/kinds.ts";
import type { CreateInput } from "../../api/object.ts";
import { isAlreadyExists, isNotFound } from "../../api/status-error.ts";
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../api/types.ts";
import { bindingAnnotations as annotations, classOfClaim } from "../../api/storage/volume-binding.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { provision, remove } from "./rules.ts";

/** Creates the volume that the claim waits for. @throws the API server's refusal. */
export async function syncClaim(context: SyncContext, key: ObjectKey): Promise<void> {
  const claim = context.cache(PersistentVolumeClaims).get(key);
  if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return;
  const provisioner = claim.metadata.annotations?.[annotations.storageProvisioner];
  const storageClass = context.cache(StorageClasses).get(classOfClaim(claim));
  if (provisioner === undefined || storageClass === undefined || (claim.spec?.volumeName ?? "") !== "") return;
  if (context.cache(PersistentVolumes).get(nameFor(claim)) !== undefined) return;
  const volume = volumeFor(claim, { storageClass, provisioner });
  const size = claim.spec?.resources?.requests?.["storage"] ?? "";
  const because = context.decide(provision, { provisioner, size });
  try {
    await context.client.create(PersistentVolumes, volume, { because, signal: context.signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const message = `Successfully provisioned volume ${nameFor(claim)}`;
  context.event(PersistentVolumeClaims, claim, { type: "Normal", reason: "ProvisioningSucceeded", message });
}

const nameFor = ({ metadata: { uid } }: PersistentVolumeClaim): string => `pvc-${uid}`;

/** The name of a CSI driver has no slash; names of other provisioners may. */
const driverOf = (provisioner: string): string => provisioner.replaceAll("/", ".");

function volumeFor(
  claim: PersistentVolumeClaim,
  { storageClass, provisioner }: { readonly storageClass: StorageClass; readonly provisioner: string },
): CreateInput<PersistentVolume> {
  const { reclaimPolicy = "Delete", mountOptions } = storageClass;
  const { namespace = "", name, uid } = claim.metadata;
  const { accessModes = [], volumeMode, resources, volumeAttributesClassName } = claim.spec ?? {};
  return {
    metadata: { name: nameFor(claim), annotations: { [annotations.provisionedBy]: provisioner } },
    spec: {
      capacity: { storage: resources?.requests?.["storage"] ?? "0" },
      accessModes,
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: classOfClaim(claim),
      claimRef: { apiVersion: "v1", kind: PersistentVolumeClaims.kind, namespace, name, uid },
      csi: { driver: driverOf(provisioner), volumeHandle: nameFor(claim) },
      ...(volumeMode !== undefined && { volumeMode }),
      ...(mountOptions !== undefined && { mountOptions }),
      ...(volumeAttributesClassName !== undefined && { volumeAttributesClassName }),
    },
  };
}

/** Deletes a released volume that was created for a claim. @throws the API server's refusal. */
export async function syncVolume(context: SyncContext, name: string): Promise<void> {
  const volume = context.cache(PersistentVolumes).get(name);
  const provisioner = volume?.metadata.annotations?.[annotations.provisionedBy];
  if (volume === undefined || provisioner === undefined || volume.metadata.deletionTimestamp !== undefined) return;
  const { spec, status, metadata } = volume;
  const isOwn = spec?.csi?.driver === driverOf(provisioner) && spec.csi.volumeHandle === name;
  if (!isOwn || status?.phase !== "Released" || spec.persistentVolumeReclaimPolicy !== "Delete") return;
  const because = context.decide(remove, { provisioner });
  const preconditions = { uid: metadata.uid };
  try {
    await context.client.delete(
      PersistentVolumes,
      { namespace: "", name },
      { because, preconditions, signal: context.signal },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
