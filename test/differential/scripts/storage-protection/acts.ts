/** Claims, volumes and classes, and the pods that use them. Nothing binds claims, and no kubelet runs pods. */
import { VolumeAttributesClasses } from "../../../../src/api/kinds.ts";
import { bind } from "../../acts.ts";
import type { PodObject } from "../../objects.ts";
import type { Resource, Stage } from "../../stage.ts";
import { ownName } from "../../stage.ts";

/** A finalizer that only scripts remove. */
export const foreign = "example.com/hold";

/** A claim, with additional fields of its spec. */
export function claim(name: string, spec: object = {}, metadata: object = {}): object {
  const resources = { requests: { storage: "1Gi" } };
  return {
    metadata: { name, ...metadata },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName: "none", resources, ...spec },
  };
}

export interface PodParts {
  /** Names of claims. */
  readonly claims?: readonly string[];
  /** Names of ephemeral volumes. */
  readonly ephemeral?: readonly string[];
  readonly finalizers?: readonly string[];
  /** Whether it is bound to a node, `one`. Default true. */
  readonly bound?: boolean;
}

export async function makePod(stage: Stage, name: string, parts: PodParts): Promise<void> {
  const { claims = [], ephemeral = [], finalizers = [], bound = true } = parts;
  const template = { spec: (claim("any") as { readonly spec: object }).spec };
  await stage.create("pods", {
    metadata: { name, labels: { pod: name }, finalizers },
    spec: {
      containers: [{ name: "main", image: "main:1" }],
      volumes: [
        ...claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
        ...ephemeral.map((volume) => ({ name: volume, ephemeral: { volumeClaimTemplate: template } })),
      ],
    },
  });
  if (bound) await bindPod(stage, name);
}

/** Binds a pod to the node `one`. */
export async function bindPod(stage: Stage, name: string): Promise<void> {
  await bind(stage, { metadata: { name, uid: "" }, spec: { containers: [] } } satisfies PodObject, "one");
}

/** The claim of a pod's ephemeral volume, as the ephemeral volume controller creates it. */
export async function ephemeralClaim(stage: Stage, pod: string, volume: string): Promise<object> {
  const { metadata } = await stage.get("pods", pod);
  const { uid } = metadata as { readonly uid: string };
  const owner = { apiVersion: "v1", kind: "Pod", name: pod, uid, controller: true, blockOwnerDeletion: true };
  return claim(`${pod}-${volume}`, {}, { ownerReferences: [owner] });
}

/** Writes a pod's status as its kubelet would: its phase, and whether its container runs. */
export async function report(
  stage: Stage,
  name: string,
  { phase, runs }: { readonly phase: string; readonly runs: boolean },
): Promise<void> {
  const state = runs ? { running: {} } : { terminated: { exitCode: 0 } };
  const container = { name: "main", image: "main:1", imageID: "", ready: runs, restartCount: 0, state };
  await stage.patch("pods", `${name}/status`, { status: { phase, containerStatuses: [container] } });
}

/** Completes a pod's deletion, or deletes it immediately. */
export function endPod(stage: Stage, name: string): Promise<void> {
  return stage.remove("pods", name, { gracePeriodSeconds: 0 });
}

/** Replaces the finalizers of an object. */
export function setFinalizers(
  stage: Stage,
  [resource, name]: readonly [Resource, string],
  finalizers: readonly string[],
): Promise<unknown> {
  return stage.patch(resource, name, { metadata: { finalizers } });
}

export async function makeVolume(stage: Stage, name: string, spec: object = {}): Promise<void> {
  await stage.create("persistentvolumes", {
    metadata: { name: ownName(stage, name) },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: "Retain",
      storageClassName: "none",
      csi: { driver: "example.com", volumeHandle: ownName(stage, name) },
      ...spec,
    },
  });
}

/** Writes a volume's phase, as the binder would. */
export function setPhase(stage: Stage, name: string, phase: string): Promise<unknown> {
  return stage.patch("persistentvolumes", `${ownName(stage, name)}/status`, { status: { phase } });
}

export async function makeClass(stage: Stage, name: string): Promise<void> {
  await stage.create(VolumeAttributesClasses, {
    metadata: { name: ownName(stage, name) },
    driverName: "example.com",
    parameters: { iops: "100" },
  });
}
