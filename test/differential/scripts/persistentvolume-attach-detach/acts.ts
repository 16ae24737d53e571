/** Nodes, volumes and pods. Scripts act as CSI driver and kubelets. Names of nodes, volumes and drivers contain the stage's. */
import { CsiDrivers, VolumeAttachments } from "../../../../src/api/kinds.ts";
import { bind } from "../../acts.ts";
import type { Json, PodObject } from "../../objects.ts";
import { ownName, type Stage } from "../../stage.ts";
import type { Step } from "../../suite.ts";

type Named = Pick<Stage, "namespace">;

/** The name of the main stage: a second namespace has no nodes or drivers of its own. */
const topOf = (stage: Named): string => /play-[0-9a-f]{8}-[a-z]{3}/.exec(stage.namespace)?.[0] ?? stage.namespace;
export const nodeName = (stage: Stage, node: string): string => `${topOf(stage)}-${node}`;

export interface NodeParts {
  /** Whether its kubelet leaves attaching to the controller. Default true. */
  readonly managed?: boolean;
  readonly ready?: Ready;
}

const managedAnnotation = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };

export async function makeNode(
  stage: Stage,
  node: string,
  { managed = true, ready = "True" }: NodeParts = {},
): Promise<void> {
  const name = nodeName(stage, node);
  await stage.create("nodes", { metadata: { name, ...(managed && { annotations: managedAnnotation }) } });
  await reportReady(stage, node, ready);
}

type Ready = "True" | "False" | "Unknown";

/** Writes the node's condition Ready. */
export async function reportReady(stage: Stage, node: string, status: Ready): Promise<void> {
  const time = new Date().toISOString();
  const condition = { type: "Ready", status, lastHeartbeatTime: time, lastTransitionTime: time };
  await stage.patch("nodes", `${nodeName(stage, node)}/status`, { status: { conditions: [condition] } });
}

export const patchNode = (stage: Stage, node: string, body: object): Promise<Json> =>
  stage.patch("nodes", nodeName(stage, node), body);

export interface VolumeParts {
  readonly modes?: readonly string[];
  /** Default: the stage's own CSI driver, with a unique handle. */
  readonly source?: object;
  readonly handle?: string;
  /** Whether the claim's status says that it is bound. Default true. */
  readonly bound?: boolean;
  readonly ownerReferences?: readonly object[];
}

export const driverName = (stage: Named): string => `${topOf(stage)}.example.com`;
export const handleOf = (stage: Named, name: string): string => `vol-${ownName(stage, name)}`;

/** The volume's name in a node's status. */
export const uniqueName = (stage: Stage, name: string): string =>
  `kubernetes.io/csi/${driverName(stage)}^${handleOf(stage, name)}`;

/** Creates a volume and a claim with the same name, bound to each other. */
export async function makeVolume(stage: Stage, name: string, parts: VolumeParts = {}): Promise<void> {
  const { modes = ["ReadWriteOnce"], handle = handleOf(stage, name), bound = true, ownerReferences } = parts;
  const source = parts.source ?? { csi: { driver: driverName(stage), volumeHandle: handle } };
  const common = { accessModes: modes, storageClassName: "none" };
  const claim = (await stage.create("persistentvolumeclaims", {
    metadata: { name, ...(ownerReferences !== undefined && { ownerReferences }) },
    spec: { ...common, resources: { requests: { storage: "1Gi" } }, volumeName: ownName(stage, name) },
  })) as { readonly metadata: { readonly uid: string } };
  const { namespace } = stage;
  const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid: claim.metadata.uid };
  await stage.create("persistentvolumes", {
    metadata: { name: ownName(stage, name) },
    spec: { ...common, capacity: { storage: "1Gi" }, claimRef, ...source },
  });
  if (bound) await bindClaim(stage, name);
}

export const bindClaim = (stage: Stage, name: string): Promise<Json> =>
  stage.patch("persistentvolumeclaims", `${name}/status`, { status: { phase: "Bound" } });

export interface PodParts {
  readonly phase?: string;
  /** Volumes in addition to those of claims. */
  readonly volumes?: readonly object[];
}

/** Creates a pod on a node. It is bound last. */
export async function makePod(
  stage: Stage,
  name: string,
  { node, claims = [], phase = "Running", volumes = [] }: PodParts & { node: string; claims?: readonly string[] },
): Promise<Json> {
  const pod = await stage.create("pods", {
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 60,
      containers: [{ name: "main", image: "main:1" }],
      volumes: [...claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })), ...volumes],
    },
  });
  await bind(stage, pod as unknown as PodObject, nodeName(stage, node));
  await setPhase(stage, name, phase);
  return pod;
}

/** Writes a pod's phase. Its container runs while the phase is Running. */
export function setPhase(stage: Stage, name: string, phase: string): Promise<Json> {
  const state = phase === "Running" ? { running: {} } : { terminated: { exitCode: 0 } };
  const main = { name: "main", image: "main:1", imageID: "", ready: false, restartCount: 0, state };
  return stage.patch("pods", `${name}/status`, { status: { phase, containerStatuses: [main] } });
}

export const removePod = (stage: Stage, name: string): Promise<void> =>
  stage.remove("pods", name, { gracePeriodSeconds: 0 });

/** Reports which volumes are mounted, as the node's kubelet would. */
export const mounts = (stage: Stage, node: string, ...names: readonly string[]): Promise<Json> =>
  stage.patch("nodes", `${nodeName(stage, node)}/status`, {
    status: { volumesInUse: names.map((name) => uniqueName(stage, name)) },
  });

export interface AttachmentObject {
  readonly metadata: {
    readonly name: string;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly nodeName: string; readonly source: { readonly persistentVolumeName: string } };
  readonly status?: { readonly attached?: boolean };
}

export async function attachments(stage: Stage): Promise<readonly AttachmentObject[]> {
  return (await stage.all(VolumeAttachments)) as unknown as readonly AttachmentObject[];
}

async function attachmentOf(stage: Stage, volume: string, node: string): Promise<AttachmentObject> {
  const found = (await attachments(stage)).find(
    ({ spec }) =>
      spec.nodeName === nodeName(stage, node) && spec.source.persistentVolumeName === ownName(stage, volume),
  );
  if (found === undefined) throw new Error(`no VolumeAttachment of ${volume} on ${node} in ${stage.namespace}`);
  return found;
}

/** Writes the status of a volume's attachment to a node, as the driver would. */
export async function driverSays(
  stage: Stage,
  [volume, node]: readonly [string, string],
  status: object,
): Promise<void> {
  const { metadata } = await attachmentOf(stage, volume, node);
  await stage.patch(VolumeAttachments, `${metadata.name}/status`, { status });
}

export async function holdAttachment(
  stage: Stage,
  [volume, node]: readonly [string, string],
  finalizers: string[],
): Promise<void> {
  const { metadata } = await attachmentOf(stage, volume, node);
  await stage.patch(VolumeAttachments, metadata.name, { metadata: { finalizers } });
}

export async function removeAttachment(stage: Stage, volume: string, node: string): Promise<void> {
  const { metadata } = await attachmentOf(stage, volume, node);
  await stage.remove(VolumeAttachments, metadata.name);
}

export function makeDriver(stage: Stage, spec: object): Promise<Json> {
  return stage.create(CsiDrivers, { metadata: { name: driverName(stage) }, spec });
}

type Until = NonNullable<Step["until"]>;

/** Until there are this many VolumeAttachments. */
export const hasAttachments =
  (count: number): Until =>
  async (stage) =>
    (await attachments(stage)).length === count;

/** Until the node's status lists this many volumes as attached. */
export const has =
  (node: string, count: number): Until =>
  async (stage) => {
    const { status } = (await stage.get("nodes", nodeName(stage, node))) as {
      readonly status?: { readonly volumesAttached?: readonly unknown[] };
    };
    return (status?.volumesAttached ?? []).length === count;
  };

export const all =
  (...untils: readonly Until[]): Until =>
  async (stage) =>
    (await Promise.all(untils.map((until) => until(stage)))).every(Boolean);

/** A step with several actions, one after the other. */
export function step(name: string, act: (stage: Stage) => Promise<unknown>, until?: Until): Step {
  return { name, act, ...(until !== undefined && { until }) };
}
