/** Finds the users of a storage object or ResourceClaim that keep its protection finalizer. */
import { classesOfClaim, classesOfVolume } from "../api/attributes-classes.ts";
import {
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  ResourceClaims,
  VolumeAttributesClasses,
} from "../api/kinds.ts";
import { objectKey } from "../api/key.ts";
import { holdsClaim } from "../api/pod-claims.ts";
import { claimProtection, classProtection, deviceProtection, volumeProtection } from "../api/protection-finalizers.ts";
import type { PersistentVolume, PersistentVolumeClaim, Pod, ResourceClaim } from "../api/types.ts";
import { consumersText } from "./device-claims.ts";
import { type Examined, findingsOf, type Item } from "./diagnosis.ts";
import { asKind } from "./kinds.ts";
import type { Look } from "./look.ts";

/** How many users are named. */
const namedUsers = 5;

/** Why a protection finalizer is kept, as a clause, and what blocks the users that are being deleted. */
export interface Protection {
  readonly why: string;
  readonly below: Examined["findings"];
  readonly seen: Examined["seen"];
  readonly unseen: Examined["unseen"];
}

/**
 * The users that keep the finalizer of an object that is being deleted; undefined for other finalizers.
 * Source: kubernetes v1.36 pkg/controller/volume/pvcprotection, pvprotection and vacprotection.
 */
export function examineProtection(
  look: Look,
  { item, finalizer }: { readonly item: Item; readonly finalizer: string },
): Protection | undefined {
  const claim = finalizer === claimProtection ? asKind(item, PersistentVolumeClaims) : undefined;
  if (claim !== undefined) return ofClaim(look, claim);
  const volume = finalizer === volumeProtection ? asKind(item, PersistentVolumes) : undefined;
  // The metadata alone is not enough.
  if (volume?.status !== undefined) return ofVolume(volume);
  const devices = finalizer === deviceProtection ? asKind(item, ResourceClaims) : undefined;
  if (devices?.status !== undefined) return ofDevices(devices);
  const isClass = finalizer === classProtection && asKind(item, VolumeAttributesClasses) !== undefined;
  return isClass ? ofClass(look, item.object.metadata.name) : undefined;
}

function ofClaim(look: Look, claim: PersistentVolumeClaim): Protection {
  const { objects, unseen } = look.list(Pods, claim.metadata.namespace ?? "");
  const seen = ["the pods of its namespace"];
  const pods = objects.filter((pod) => holdsClaim(pod, claim));
  if (pods.length === 0) {
    const why =
      unseen.length > 0
        ? "pods that use it may keep it"
        : late("no pod on a node uses it", PersistentVolumeClaims.kind);
    return { why, below: [], seen, unseen };
  }
  const below = pods.flatMap((object) => {
    const diagnosis =
      object.metadata.deletionTimestamp === undefined ? undefined : look.diagnose({ kind: Pods, object });
    return diagnosis === undefined ? [] : findingsOf(diagnosis);
  });
  return {
    why: `waiting until ${listed(pods.map(podText))} ${pods.length === 1 ? "is" : "are"} deleted`,
    below,
    seen,
    unseen: [],
  };
}

function podText({ metadata, spec, status }: Pod): string {
  const ended = status?.phase === "Succeeded" || status?.phase === "Failed" ? `${status.phase}, ` : "";
  return `Pod ${metadata.name} (${ended}on node ${spec?.nodeName ?? ""})`;
}

function ofVolume({ spec, status }: PersistentVolume): Protection {
  const { namespace, name } = spec?.claimRef ?? {};
  const why =
    status?.phase === "Bound"
      ? `waiting until it is no longer bound${name === undefined ? "" : ` to claim ${objectKey(namespace, name)}`}`
      : late("it is not bound", PersistentVolumes.kind);
  return { why, below: [], seen: ["its phase"], unseen: [] };
}

function ofDevices(claim: ResourceClaim): Protection {
  const isReserved = (claim.status?.reservedFor ?? []).length > 0;
  const why = isReserved
    ? `waiting until ${consumersText(claim)} no longer uses its devices`
    : "its devices are not used, so the controller resourceclaim has to remove it";
  return { why, below: [], seen: ["for whom it is reserved"], unseen: [] };
}

function ofClass(look: Look, name: string): Protection {
  const seen = ["volumes and claims"];
  const [volumes, claims] = [look.list(PersistentVolumes, ""), look.list(PersistentVolumeClaims, "")];
  const users: readonly Item[] = [
    ...volumes.objects
      .filter((each) => classesOfVolume(each).includes(name))
      .map((object) => ({ kind: PersistentVolumes, object })),
    ...claims.objects
      .filter((each) => classesOfClaim(each).includes(name))
      .map((object) => ({ kind: PersistentVolumeClaims, object })),
  ];
  const unseen = users.length > 0 ? [] : [...volumes.unseen, ...claims.unseen];
  const names = users.map(
    ({ kind, object: { metadata } }) => `${kind.kind} ${objectKey(metadata.namespace, metadata.name)}`,
  );
  if (names.length > 0)
    return {
      why: `waiting for ${listed(names)}, which ${names.length === 1 ? "uses" : "use"} it`,
      below: [],
      seen,
      unseen,
    };
  const why =
    unseen.length > 0
      ? "volumes and claims that use it may keep it"
      : late("nothing uses it", VolumeAttributesClasses.kind);
  return { why, below: [], seen, unseen };
}

/** The text for a finalizer that nothing needs any more: its controller is late, or does not run. */
function late(so: string, kind: string): string {
  return `${so}, so the controller ${kind.toLowerCase()}-protection has to remove it`;
}

function listed(names: readonly string[]): string {
  const more = names.length > namedUsers ? ` and ${names.length - namedUsers} more` : "";
  return `${names.slice(0, namedUsers).join(", ")}${more}`;
}
