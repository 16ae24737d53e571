/** Claims, volumes and classes. The names of volumes and classes, also where claims refer to them, are unique to the stage. */
import { StorageClasses } from "../../../../src/api/kinds.ts";
import type { Json } from "../../objects.ts";
import { ownName, type Stage } from "../../stage.ts";
import type { Step } from "../../suite.ts";

export interface ClaimParts {
  readonly size?: string;
  /** The stage's own; `""`: none; null: omitted, with a selector against other stages' volumes. Default `static`, which does not exist. */
  readonly storageClass?: string | null;
  /** The name of its volume on the stage. */
  readonly volume?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

export async function makeClaim(stage: Stage, name: string, parts: ClaimParts = {}): Promise<void> {
  const { size = "1Gi", storageClass = "static", volume, annotations = {}, spec = {} } = parts;
  await stage.create("persistentvolumeclaims", {
    metadata: { name, annotations },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: size } },
      ...(storageClass !== null && { storageClassName: storageClass === "" ? "" : ownName(stage, storageClass) }),
      ...(!storageClass && { selector: { matchLabels: { stage: stage.namespace } } }),
      ...(volume !== undefined && { volumeName: ownName(stage, volume) }),
      ...spec,
    },
  });
}

export interface VolumeParts {
  readonly size?: string;
  /** As for a claim. Default `static`. */
  readonly storageClass?: string;
  readonly modes?: readonly string[];
  readonly policy?: "Retain" | "Delete" | "Recycle";
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  /** The name of the claim that it is reserved for, in the stage's namespace. */
  readonly reservedFor?: string;
  /** Whether the reservation has the claim's uid. Default false. */
  readonly withUid?: boolean;
  /** The volume source. Default: a CSI driver. */
  readonly source?: object;
  readonly spec?: object;
}

export async function makeVolume(stage: Stage, name: string, parts: VolumeParts = {}): Promise<void> {
  const { size = "1Gi", storageClass = "static", modes = ["ReadWriteOnce"], policy = "Retain" } = parts;
  const { annotations = {}, labels = {}, finalizers = [], reservedFor, withUid = false, spec = {} } = parts;
  const source = parts.source ?? { csi: { driver: "example.com", volumeHandle: ownName(stage, name) } };
  const claimRef = reservedFor === undefined ? undefined : await refTo(stage, reservedFor, withUid);
  await stage.create("persistentvolumes", {
    metadata: { name: ownName(stage, name), annotations, labels: { stage: stage.namespace, ...labels }, finalizers },
    spec: {
      capacity: { storage: size },
      accessModes: modes,
      persistentVolumeReclaimPolicy: policy,
      storageClassName: storageClass === "" ? "" : ownName(stage, storageClass),
      ...(claimRef !== undefined && { claimRef }),
      ...source,
      ...spec,
    },
  });
}

async function refTo(stage: Stage, name: string, withUid: boolean): Promise<object> {
  const ref = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: stage.namespace, name };
  if (!withUid) return ref;
  const { metadata } = await stage.get("persistentvolumeclaims", name);
  return { ...ref, uid: (metadata as { readonly uid: string }).uid };
}

/** One default class for all stages of a server, because a claim gets the newest default class, no matter who created it. */
export const sharedClass = "differential-default";

export async function makeSharedClass(stage: Stage): Promise<void> {
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  const body = {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: sharedClass, annotations },
    provisioner: "example.com/disks",
  };
  const { status } = await stage.cluster.request("POST", "/apis/storage.k8s.io/v1/storageclasses", body);
  if (status !== 201 && status !== 409) throw new Error(`no default class: ${status}`);
}

export interface ClassParts {
  readonly provisioner?: string;
  readonly waits?: boolean;
  readonly mountOptions?: readonly string[];
}

export async function makeClass(stage: Stage, name: string, parts: ClassParts = {}): Promise<void> {
  const { provisioner = "example.com/disks", waits = false, mountOptions = [] } = parts;
  await stage.create(StorageClasses, {
    metadata: { name: ownName(stage, name) },
    provisioner,
    volumeBindingMode: waits ? "WaitForFirstConsumer" : "Immediate",
    ...(mountOptions.length > 0 && { mountOptions }),
  });
}

/** Creates an unbound pod that uses claims. */
export function makePod(stage: Stage, name: string, ...claims: readonly string[]): Promise<Json> {
  return stage.create("pods", {
    metadata: { name, labels: { pod: name } },
    spec: {
      containers: [{ name: "main", image: "main:1" }],
      volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
    },
  });
}

export const patchVolume = (stage: Stage, name: string, body: object): Promise<Json> =>
  stage.patch("persistentvolumes", ownName(stage, name), body);
export const patchClaim = (stage: Stage, name: string, body: object): Promise<Json> =>
  stage.patch("persistentvolumeclaims", name, body);
export const annotateClaim = (stage: Stage, name: string, annotations: object): Promise<Json> =>
  patchClaim(stage, name, { metadata: { annotations } });
export const removeClaim = (stage: Stage, name: string): Promise<void> => stage.remove("persistentvolumeclaims", name);

export const removeVolume = (stage: Stage, name: string): Promise<void> =>
  stage.remove("persistentvolumes", ownName(stage, name));

/** A step with several actions, one after the other. */
export function step(name: string, act: (stage: Stage) => Promise<unknown>): Step {
  return { name, act };
}
