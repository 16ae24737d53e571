/** Volumes that have to be attached to a pod's node before its containers can be created. */
import { CsiDrivers, Nodes, PersistentVolumeClaims, PersistentVolumes, Pods, VolumeAttachments } from "../api/kinds.ts";
import { claimNamesOf } from "../api/pod-claims.ts";
import { isForOneNode } from "../api/storage/access-modes.ts";
import { readTime } from "../api/time.ts";
import type { PersistentVolume, Pod, VolumeAttachment } from "../api/types.ts";
import type { Unseen } from "../verdict/verdict.ts";
import { type Finding, type Item, kubectl, since } from "./diagnosis.ts";
import type { Look } from "./look.ts";
import { someOf } from "./spans.ts";

/** What keeps volumes of CSI drivers from being attached. */
export interface AttachmentFindings {
  readonly findings: readonly Finding[];
  readonly unseen: readonly Unseen[];
}

/**
 * For each bound claim of a pod whose volume is not attached to the pod's node: what its VolumeAttachment reports, or which other node has a
 * volume that may be attached to only one.
 */
export function attachmentFindings(look: Look, { object: pod }: Item<Pod>): AttachmentFindings {
  const found = claimNamesOf(pod).map((name) => ofClaim(look, { pod, name }));
  return { findings: found.flatMap(({ findings }) => findings), unseen: found.flatMap(({ unseen }) => unseen) };
}

const nothing: AttachmentFindings = { findings: [], unseen: [] };

interface OfClaim {
  readonly pod: Pod;
  /** The name of the claim. */
  readonly name: string;
}

function ofClaim(look: Look, of: OfClaim): AttachmentFindings {
  const claim = look.get(PersistentVolumeClaims, of.pod.metadata.namespace ?? "", of.name);
  // Problems of claims are reported elsewhere.
  if (claim.is !== "found" || claim.object.status?.phase !== "Bound") return nothing;
  const volume = look.get(PersistentVolumes, "", claim.object.spec?.volumeName ?? "");
  if (volume.is === "unseen") return { ...nothing, unseen: [volume.unseen] };
  if (volume.is === "missing" || volume.object.spec?.csi === undefined) return nothing;
  const { objects, unseen } = look.list(VolumeAttachments, "");
  if (unseen.length > 0) return { ...nothing, unseen };
  const finding = ofVolume(look, { ...of, volume: volume.object, attachments: objects });
  return finding === undefined ? nothing : { ...nothing, findings: [finding] };
}

interface OfVolume extends OfClaim {
  readonly volume: PersistentVolume;
  /** All VolumeAttachments of the cluster. */
  readonly attachments: readonly VolumeAttachment[];
}

function ofVolume(look: Look, of: OfVolume): Finding | undefined {
  const { pod, volume } = of;
  const { nodeName: node = "" } = pod.spec ?? {};
  const { name } = volume.metadata;
  const ofIt = of.attachments.filter(({ spec }) => spec.source.persistentVolumeName === name);
  const own = ofIt.find(({ spec }) => spec.nodeName === node);
  if (own !== undefined) return ofAttachment(own);
  const holder = ofIt.find(({ status }) => status?.attached === true);
  if (holder !== undefined && isForOneNode(volume.spec?.accessModes ?? []))
    return heldElsewhere(look, { ...of, holder });
  const { driver = "" } = volume.spec?.csi ?? {};
  if (!isManaged(look, node)) return undefined;
  const found = look.get(CsiDrivers, "", driver);
  // Volumes of a driver without a CSIDriver object must be attached.
  if (found.is === "unseen" || (found.is === "found" && found.object.spec.attachRequired === false)) return undefined;
  const at = { kind: PersistentVolumes, namespace: "", name };
  const why = `there is no VolumeAttachment to node ${node}: the controller persistentvolume-attach-detach has to create it`;
  return { at, why, advice: [kubectl("get volumeattachments")] };
}

/** Whether the controller attaches the node's volumes, not its kubelet. The sandbox's simulated kubelets attach them themselves. */
function isManaged(look: Look, node: string): boolean {
  const found = look.get(Nodes, "", node);
  const annotation = "volumes.kubernetes.io/controller-managed-attach-detach";
  return found.is === "found" && found.object.metadata.annotations?.[annotation] !== undefined;
}

/** What keeps the volume from being attached, or detached; undefined if it is attached. */
export function ofAttachment(attachment: VolumeAttachment): Finding | undefined {
  const { metadata, spec, status } = attachment;
  const volume = `volume ${spec.source.persistentVolumeName ?? ""}`;
  const where = `${volume} to node ${spec.nodeName}`;
  const at = { kind: VolumeAttachments, namespace: "", name: metadata.name };
  const advice = [kubectl(`describe volumeattachment ${metadata.name}`)];
  const isAttached = status?.attached === true;
  // An error before the volume was attached may stay in the status.
  const error = isAttached ? status.detachError : (status?.attachError ?? status?.detachError);
  if (error !== undefined) {
    const what = error === status?.attachError ? `attach ${where}` : `detach ${volume} from node ${spec.nodeName}`;
    const why = `driver ${spec.attacher} cannot ${what}: ${error.message ?? "it gives no reason"}`;
    return { at, why, ...since(readTime(error.time)), advice };
  }
  if (metadata.deletionTimestamp !== undefined) {
    const why = `driver ${spec.attacher} has not finished detaching ${volume} from node ${spec.nodeName}: it can be attached again only after that`;
    return { at, why, ...since(readTime(metadata.deletionTimestamp)), advice };
  }
  if (isAttached) return undefined;
  const why = `driver ${spec.attacher} has not attached ${where} yet`;
  return { at, why, ...since(readTime(metadata.creationTimestamp)), advice };
}

function heldElsewhere(
  look: Look,
  { pod, name, volume, holder }: OfVolume & { readonly holder: VolumeAttachment },
): Finding {
  const { nodeName: node } = holder.spec;
  const users = look
    .list(Pods, pod.metadata.namespace ?? "")
    .objects.filter((each) => each.spec?.nodeName === node && claimNamesOf(each).includes(name))
    .map(({ metadata }) => `Pod ${metadata.name}`)
    .toSorted();
  const modes = (volume.spec?.accessModes ?? []).join(", ");
  const who = users.length === 0 ? "it has not been detached there" : `${someOf(users, ", ")} there uses it`;
  return {
    at: { kind: VolumeAttachments, namespace: "", name: holder.metadata.name },
    why: `volume ${volume.metadata.name} (${modes}) is attached to node ${node}, and can be attached to only one node at a time: ${who}`,
    advice: [kubectl(`describe volumeattachment ${holder.metadata.name}`)],
  };
}
