/**
 * Which volumes must be attached to nodes before pods can mount them, and their names. Pure.
 * Source: kubernetes v1.36 pkg/controller/volume/attachdetach/util/util.go, pkg/volume/util/util.go IsMultiAttachAllowed,
 * pkg/volume/{csi,iscsi,fc}; differs: in-tree volumes migrated to CSI drivers are not translated.
 */
import { objectKey } from "../../api/key.ts";
import { CsiDrivers, PersistentVolumeClaims, PersistentVolumes } from "../../api/kinds.ts";
import { controllerOf } from "../../api/owner-references.ts";
import { claimNameOf } from "../../api/pod-claims.ts";
import { isForOneNode } from "../../api/storage/access-modes.ts";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { sha256 } from "../../platform/content-hash.ts";

/** What a CSI driver should attach. */
export interface CsiSource {
  readonly driver: string;
  readonly handle: string;
}

/** A volume that is attached to nodes. */
export interface AttachableVolume {
  /** As node status names it: `kubernetes.io/csi/DRIVER^HANDLE`. */
  readonly unique: string;
  /** As Events name it: the PersistentVolume, or the inline volume of the pod. */
  readonly name: string;
  /** It may be attached to only one node at a time. */
  readonly isExclusive: boolean;
  /** Undefined: iSCSI and Fibre Channel, which need no work before a pod mounts them. */
  readonly csi: CsiSource | undefined;
}

type Caches = Pick<SyncContext, "cache">;
type PodVolume = NonNullable<NonNullable<Pod["spec"]>["volumes"]>[number];
type InTree = Pick<PodVolume, "iscsi" | "fc">;

const csiPlugin = "kubernetes.io/csi";
const separator = "^";

/** The attachable volumes of a pod, as far as its claims are bound to known volumes. */
export function attachableVolumesOf(context: Caches, pod: Pod): readonly AttachableVolume[] {
  const attachables = pod.spec?.volumes?.flatMap((volume) => {
    const name = claimNameOf(pod, volume);
    if (name === undefined) return inTreeVolume(volume, { name: volume.name, isExclusive: false }) ?? [];
    const claim = context.cache(PersistentVolumeClaims).get(objectKey(pod.metadata.namespace, name));
    if (claim === undefined || (volume.ephemeral !== undefined && !isOwn(claim, pod))) return [];
    return volumeOfClaim(context, claim) ?? [];
  });
  return attachables ?? [];
}

const isOwn = (claim: PersistentVolumeClaim, { metadata }: Pod): boolean => controllerOf(claim)?.uid === metadata.uid;

function volumeOfClaim(
  context: Caches,
  { metadata, spec, status }: PersistentVolumeClaim,
): AttachableVolume | undefined {
  if (status?.phase !== "Bound") return undefined;
  const volume = context.cache(PersistentVolumes).get(spec?.volumeName ?? "");
  if (volume?.spec?.claimRef?.uid !== metadata.uid) return undefined;
  return attachableVolume(context, volume);
}

/** A PersistentVolume as an attachable volume; undefined if its type or its driver needs no attaching. */
export function attachableVolume(context: Caches, volume: PersistentVolume): AttachableVolume | undefined {
  const { csi } = volume.spec ?? {};
  const { name } = volume.metadata;
  const isExclusive = isForOneNode(volume.spec?.accessModes ?? []);
  if (csi === undefined) return inTreeVolume(volume.spec ?? {}, { name, isExclusive });
  if (!requiresAttach(context, csi.driver)) return undefined;
  const source = { driver: csi.driver, handle: csi.volumeHandle };
  return { unique: `${csiPlugin}/${csi.driver}${separator}${csi.volumeHandle}`, name, isExclusive, csi: source };
}

/** A driver requires attaching unless its CSIDriver specifies otherwise. Source: pkg/volume/csi/csi_plugin.go skipAttach. */
export function requiresAttach(context: Caches, driver: string): boolean {
  return context.cache(CsiDrivers).get(driver)?.spec.attachRequired !== false;
}

function inTreeVolume(
  { iscsi, fc }: InTree,
  of: Pick<AttachableVolume, "name" | "isExclusive">,
): AttachableVolume | undefined {
  if (iscsi !== undefined) {
    return { ...of, unique: `kubernetes.io/iscsi/${iscsi.targetPortal}:${iscsi.iqn}:${iscsi.lun}`, csi: undefined };
  }
  const { targetWWNs = [], wwids = [], lun } = fc ?? {};
  // Formatted as Go prints lists.
  if (targetWWNs.length > 0 && lun !== undefined) {
    return { ...of, unique: `kubernetes.io/fc/[${targetWWNs.join(" ")}]:${lun}`, csi: undefined };
  }
  return wwids.length > 0 ? { ...of, unique: `kubernetes.io/fc/[${wwids.join(" ")}]`, csi: undefined } : undefined;
}

/** How to detach a volume known only by its unique name. */
export type Detachable =
  | { readonly by: "driver"; readonly driver: string; readonly handle: string }
  /** Nothing to do. */
  | { readonly by: "nobody" }
  /** A plugin that no longer exists. */
  | { readonly by: "unknown" };

/** Source: pkg/volume/util/util.go SplitUniqueName, csi_attacher.go Detach. */
export function detachableOf(unique: string): Detachable {
  const [vendor = "", plugin = "", ...rest] = unique.split("/");
  if (vendor !== "kubernetes.io") return { by: "unknown" };
  if (plugin === "iscsi" || plugin === "fc") return { by: "nobody" };
  const [driver = "", handle, ...more] = rest.join("/").split(separator);
  if (plugin !== "csi" || handle === undefined || more.length > 0) return { by: "unknown" };
  return { by: "driver", driver, handle };
}

/** The name of the VolumeAttachment. Source: pkg/volume/csi/csi_attacher.go getAttachmentName. */
export function attachmentName({ driver, handle }: CsiSource, node: string): string {
  return `csi-${sha256(`${handle}${driver}${node}`)}`;
}

/** Whether the pod may have attachable volumes: other pods do not enqueue their node. */
export function mayHaveAttachable({ spec }: Pod): boolean {
  const isPossible = spec?.volumes?.some(
    ({ persistentVolumeClaim, ephemeral, iscsi, fc }) =>
      (persistentVolumeClaim ?? ephemeral ?? iscsi ?? fc) !== undefined,
  );
  return isPossible === true;
}
