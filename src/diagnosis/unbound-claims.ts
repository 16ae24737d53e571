/** Why a claim is not bound, from its class, its named volume, the existing volumes, and the pods that it waits for. */
import { matches, selectorOf } from "../api/labels.ts";
import { claimNamesOf } from "../api/pod-claims.ts";
import { compareQuantities, formatQuantity } from "../api/quantity.ts";
import {
  attributesDiffer,
  capacityOf,
  classOfClaim,
  classOfVolume,
  hasAccessModes,
  isVolumeOf,
  modesDiffer,
  namesClass,
  requestOf,
} from "../api/storage/volume-binding.ts";
import { defaultStorageClassMarks, newestDefault } from "../api/default-class.ts";
import { PersistentVolumes, Pods, StorageClasses } from "../api/kinds.ts";
import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../api/types.ts";
import { type Finding, kubectl } from "./diagnosis.ts";
import type { Look } from "./look.ts";
import { someOf } from "./spans.ts";

/** Why the claim is not bound, and what to look at next. */
export interface UnboundCause {
  readonly why: string;
  readonly advice: Finding["advice"] & {};
  /** The pods whose scheduling the claim waits for: what holds them is closer to the root cause. */
  readonly waitsFor?: readonly Pod[];
}

/** Whether the claim is neither bound nor lost. */
export function isPending({ metadata, status }: PersistentVolumeClaim): boolean {
  return metadata.deletionTimestamp === undefined && (status?.phase ?? "Pending") === "Pending";
}

const volumesListed = [kubectl("get pv")];
const classesListed = [kubectl("get storageclasses")];

/** The cause; undefined if it cannot be determined from what was read. */
export function unboundCause(look: Look, claim: PersistentVolumeClaim): UnboundCause | undefined {
  const named = claim.spec?.volumeName ?? "";
  if (named !== "") return namedVolumeCause(look, claim);
  if (!namesClass(claim)) {
    const all = look.list(StorageClasses, "");
    if (all.unseen.length > 0 || newestDefault(all.objects, defaultStorageClassMarks) !== undefined) return undefined;
    return { why: "it names no class, and no StorageClass is the default", advice: classesListed };
  }
  const name = classOfClaim(claim);
  if (name === "") return handMadeCause(look, { claim, why: "it has no class, so a volume has to be created for it" });
  const found = look.get(StorageClasses, "", name);
  if (found.is === "missing")
    return { why: `there is no StorageClass ${name}, to which it refers`, advice: classesListed };
  if (found.is === "unseen") return undefined;
  return classCause(look, { claim, storageClass: found.object });
}

interface ClaimOfClass {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
}

function classCause(look: Look, { claim, storageClass }: ClaimOfClass): UnboundCause {
  const { provisioner, volumeBindingMode, metadata } = storageClass;
  const { name } = metadata;
  const node = claim.metadata.annotations?.["volume.kubernetes.io/selected-node"];
  const isHandMade = provisioner === "kubernetes.io/no-provisioner";
  const why = `its class ${name} provisions no volumes, so one has to be created for it`;
  if (volumeBindingMode === "WaitForFirstConsumer" && node === undefined) {
    const consumer = consumerCause(look, claim);
    const isLacking = isHandMade && consumer.waitsFor !== undefined && !hasSuitable(look, claim);
    return isLacking ? handMadeCause(look, { claim, why }) : consumer;
  }
  if (isHandMade) return handMadeCause(look, { claim, why });
  const where = node === undefined ? "" : ` for node ${node}`;
  return { why: `provisioner ${provisioner} of class ${name} has to provision a volume${where}`, advice: [] };
}

function consumerCause(look: Look, claim: PersistentVolumeClaim): UnboundCause {
  const binds = `its class ${classOfClaim(claim)} binds it when a pod that uses it is scheduled`;
  const { objects, unseen } = look.list(Pods, claim.metadata.namespace ?? "");
  const users = objects.filter((pod) => claimNamesOf(pod).includes(claim.metadata.name));
  if (users.length > 0) {
    const pods = users.map((pod) => pod.metadata.name).sort();
    return {
      why: `${binds}: ${someOf(
        pods.map((pod) => `Pod ${pod}`),
        ", ",
      )} ${pods.length === 1 ? "has" : "have"} no node yet`,
      advice: [],
      waitsFor: users,
    };
  }
  return { why: unseen.length > 0 ? binds : `${binds}, and no pod uses it`, advice: [] };
}

function namedVolumeCause(look: Look, claim: PersistentVolumeClaim): UnboundCause | undefined {
  const { volumeName: name = "" } = claim.spec ?? {};
  const found = look.get(PersistentVolumes, "", name);
  if (found.is === "unseen") return undefined;
  if (found.is === "missing") return { why: `there is no volume ${name}, to which it refers`, advice: volumesListed };
  const misfit = misfitOf(found.object, claim);
  if (misfit === undefined) return toBeBound(`volume ${name}`);
  return { why: `volume ${name}, to which it refers, ${misfit}`, advice: [kubectl(`describe pv ${name}`)] };
}

/** The cause if the controller has yet to bind the claim, which it checks every 15 s. */
function toBeBound(volume: string): UnboundCause {
  return { why: `${volume} matches it, so the controller persistentvolume-binder has to bind them`, advice: [] };
}

interface HandMade {
  readonly claim: PersistentVolumeClaim;
  /** Why a volume must be created manually. */
  readonly why: string;
}

/** The cause if no provisioner creates volumes: the volumes of the class, and why they do not match. */
function handMadeCause(look: Look, { claim, why }: HandMade): UnboundCause {
  const { objects, unseen } = look.list(PersistentVolumes, "");
  if (unseen.length > 0) return { why, advice: volumesListed };
  const name = classOfClaim(claim);
  const candidates = candidatesFor(claim, objects);
  const suitable = candidates.find((volume) => misfitOf(volume, claim) === undefined);
  if (suitable !== undefined) return toBeBound(`volume ${suitable.metadata.name}`);
  const misfits = candidates.map((volume) => `${volume.metadata.name} ${misfitOf(volume, claim) ?? ""}`);
  const what = name === "" ? "without a class" : `of class ${name}`;
  const mismatch = misfits.length === 0 ? `there is no volume ${what}` : someOf(misfits, "; ");
  return { why: `${why}: ${mismatch}`, advice: volumesListed };
}

/** The volumes of its class, or reserved for it. */
function candidatesFor(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): readonly PersistentVolume[] {
  return volumes.filter((volume) => classOfVolume(volume) === classOfClaim(claim) || isVolumeOf(volume, claim));
}

/** Whether a volume matches the claim, or may, as far as it can be read. Which nodes can reach it is up to the scheduler. */
function hasSuitable(look: Look, claim: PersistentVolumeClaim): boolean {
  const { objects, unseen } = look.list(PersistentVolumes, "");
  return unseen.length > 0 || candidatesFor(claim, objects).some((volume) => misfitOf(volume, claim) === undefined);
}

/** Why the volume does not match the claim, as a phrase after `volume disk-1`; undefined if it matches. */
function misfitOf(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  const { spec, status, metadata } = volume;
  const owner = spec?.claimRef;
  if (metadata.deletionTimestamp !== undefined) return "is being deleted";
  if (owner !== undefined && !isVolumeOf(volume, claim)) {
    const isEarlier = owner.name === claim.metadata.name && owner.namespace === claim.metadata.namespace;
    return isEarlier
      ? "still belongs to a deleted claim of the same name, until its .spec.claimRef.uid is removed"
      : `belongs to claim ${owner.namespace ?? ""}/${owner.name ?? ""}`;
  }
  if (compareQuantities(capacityOf(volume), requestOf(claim)) < 0) {
    return `is too small: ${formatQuantity(capacityOf(volume))}, where ${formatQuantity(requestOf(claim))} is requested`;
  }
  if (modesDiffer(claim, volume)) return `has volumeMode ${spec?.volumeMode ?? "Filesystem"}`;
  if (attributesDiffer(claim, volume)) return "has another VolumeAttributesClass";
  if (!hasAccessModes(volume, claim)) return `has access modes ${(spec?.accessModes ?? []).join(", ") || "none"}`;
  if (isVolumeOf(volume, claim)) return undefined;
  if (classOfVolume(volume) !== classOfClaim(claim)) return `has class ${classOfVolume(volume) || "none"}`;
  const { selector } = claim.spec ?? {};
  if (claim.spec?.volumeName === undefined && selector !== undefined && !matches(selectorOf(selector), metadata.labels))
    return "has labels that the claim's selector does not match";
  return status?.phase === "Released" || status?.phase === "Failed" ? `is ${status.phase}` : undefined;
}
