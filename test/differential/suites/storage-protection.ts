/** Deleted claims, volumes and VolumeAttributesClasses. Scripts bind pods, and write what kubelets and provisioners would. */
import { PersistentVolumeClaims, PersistentVolumes, Pods, VolumeAttributesClasses } from "../../../src/api/kinds.ts";
import { persistentVolumeProtection } from "../../../src/controllers/persistentvolume-protection/persistentvolume-protection.ts";
import { persistentVolumeClaimProtection } from "../../../src/controllers/persistentvolumeclaim-protection/persistentvolumeclaim-protection.ts";
import { volumeAttributesClassProtection } from "../../../src/controllers/volumeattributesclass-protection/volumeattributesclass-protection.ts";
import { type Allowed, ownFieldManager } from "../differences.ts";
import { type AnyObject, podState } from "../objects.ts";
import { randomScript } from "../scripts/storage-protection/grammar.ts";
import { scripts } from "../scripts/storage-protection/index.ts";
import type { Stage } from "../stage.ts";
import type { Suite } from "../suite.ts";

const protectedKinds = [PersistentVolumeClaims, PersistentVolumes, VolumeAttributesClasses] as const;

interface Claim extends AnyObject {
  readonly spec: { readonly volumeAttributesClassName?: string };
  readonly status?: {
    readonly currentVolumeAttributesClassName?: string;
    readonly modifyVolumeStatus?: { readonly targetVolumeAttributesClassName?: string };
  };
}

interface Volume extends AnyObject {
  readonly spec: { readonly volumeAttributesClassName?: string };
  readonly status?: { readonly phase?: string };
}

interface User extends AnyObject {
  readonly spec: {
    readonly nodeName?: string;
    readonly volumes?: readonly {
      readonly name: string;
      readonly persistentVolumeClaim?: { readonly claimName: string };
      readonly ephemeral?: object;
    }[];
  };
}

function uses({ metadata, spec }: User, claim: Claim): boolean {
  if (spec.nodeName === undefined || metadata.namespace !== claim.metadata.namespace) return false;
  const isOwn = claim.metadata.ownerReferences?.some(
    ({ uid, controller }) => controller === true && uid === metadata.uid,
  );
  const isOver = metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
  return (spec.volumes ?? []).some(
    (volume) =>
      volume.persistentVolumeClaim?.claimName === claim.metadata.name ||
      (volume.ephemeral !== undefined &&
        isOwn === true &&
        !isOver &&
        `${metadata.name}-${volume.name}` === claim.metadata.name),
  );
}

/** Whether every object that is not being deleted has its finalizer, and every other one that still has it is in use. */
async function isSettled(stage: Stage): Promise<boolean> {
  const all = await Promise.all([...protectedKinds, Pods].map((kind) => stage.all(kind)));
  // In the order of the requested kinds.
  const [claims, volumes, classes, pods] = all as unknown as [Claim[], Volume[], AnyObject[], User[]];
  const isClassUsed = (name: string): boolean =>
    volumes.some(({ spec }) => spec.volumeAttributesClassName === name) ||
    claims.some(
      ({ spec, status }) =>
        spec.volumeAttributesClassName === name ||
        status?.currentVolumeAttributesClassName === name ||
        status?.modifyVolumeStatus?.targetVolumeAttributesClassName === name,
    );
  return (
    claims.every((claim) =>
      isAtRest(
        claim,
        pods.some((pod) => uses(pod, claim)),
      ),
    ) &&
    volumes.every((volume) => isAtRest(volume, volume.status?.phase === "Bound")) &&
    classes.every((each) => isAtRest(each, isClassUsed(each.metadata.name)))
  );
}

function isAtRest({ metadata }: AnyObject, isUsed: boolean): boolean {
  const isProtected = metadata.finalizers?.some((name) => name.endsWith("-protection")) === true;
  return metadata.deletionTimestamp === undefined ? isProtected : !isProtected || isUsed;
}

const twice: Allowed = {
  id: "a finalizer is removed or added twice",
  category: "noise",
  upstream: "pkg/controller/volume/pvcprotection/pvc_protection_controller.go:processPVC",
  why: "a key that is added again may be synced before the cache contains the last sync's write: the server rejects the second write",
  matches: ({ what }) => /^update (persistentvolume\S*|volumeattributesclasses\S*) (404|409)$/.test(what),
};

export const storageProtection: Suite = {
  name: "storage-protection",
  oracle: protectedKinds.map(({ kind }) => `${kind.toLowerCase()}-protection-controller`).join(","),
  ours: [persistentVolumeClaimProtection, persistentVolumeProtection, volumeAttributesClassProtection],
  // Scripts bind claims, and create those of ephemeral volumes.
  runsWithout: ["ephemeral-volume", "persistentvolume-binder", "pod-garbage-collector"],
  kinds: [...protectedKinds.map((kind) => ({ kind })), { kind: Pods, compared: podState }],
  isSettled,
  // Anything that is not settled will be written to, however late its controller is.
  hasPendingWrites: async (_log, stage) => !(await isSettled(stage)),
  scripts,
  random: randomScript,
  seeds: { short: 4, long: 100 },
  randomSteps: 18,
  width: 16,
  differences: [ownFieldManager, twice],
};
