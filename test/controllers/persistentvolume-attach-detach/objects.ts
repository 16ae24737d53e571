/** Nodes, volumes with claims, and pods in the form in which a server stores them; and queries and changes of a scene. */
import { Nodes, PersistentVolumeClaims, PersistentVolumes, Pods, VolumeAttachments } from "../../../src/api/kinds.ts";
import type { StoredMeta } from "../../../src/api/object.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttachment } from "../../../src/api/types.ts";
import { attachmentName } from "../../../src/controllers/persistentvolume-attach-detach/attachable.ts";
import type { SyncContext } from "../../../src/controller/api/sync-context.ts";
import { type Scene, sceneStart } from "../../support/sync-context.ts";

export const driver = "disks.example.com";
export const uniqueName = (volume: string): string => `kubernetes.io/csi/${driver}^handle-${volume}`;
export const attachmentOf = (volume: string, node: string): string =>
  attachmentName({ driver, handle: `handle-${volume}` }, node);

function metaOf(name: string, more: Partial<StoredMeta> = {}): StoredMeta {
  return { name, uid: `uid-${name}`, resourceVersion: "1", creationTimestamp: formatTime(sceneStart), ...more };
}

export interface NodeParts {
  readonly managed?: boolean;
  readonly ready?: boolean;
  readonly taints?: readonly string[];
  readonly attached?: readonly string[];
  readonly inUse?: readonly string[];
}

/** A node that is ready and managed by the controller by default. */
export function nodeOf(name: string, parts: NodeParts = {}): Node {
  const { managed = true, ready = true, taints = [], attached = [], inUse = [] } = parts;
  const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
  return {
    metadata: metaOf(name, managed ? { annotations } : {}),
    spec: { taints: taints.map((key) => ({ key, effect: "NoExecute" })) },
    status: {
      conditions: [{ type: "Ready", status: ready ? "True" : "Unknown" }],
      ...(attached.length > 0 && { volumesAttached: attached.map((each) => ({ name: each, devicePath: "" })) }),
      ...(inUse.length > 0 && { volumesInUse: [...inUse] }),
    },
  };
}

export interface VolumeParts {
  readonly modes?: readonly string[];
  readonly source?: Partial<NonNullable<PersistentVolume["spec"]>>;
  readonly phase?: string;
  readonly namespace?: string;
  readonly claimUid?: string;
}

/** A volume of the driver, and its claim of the same name in `shop`. */
export function volumeOf(name: string, parts: VolumeParts = {}): readonly [PersistentVolume, PersistentVolumeClaim] {
  const {
    modes = ["ReadWriteOnce"],
    phase = "Bound",
    namespace = "shop",
    claimUid = `uid-${namespace}-${name}`,
  } = parts;
  const source = parts.source ?? { csi: { driver, volumeHandle: `handle-${name}` } };
  return [
    {
      metadata: metaOf(name),
      spec: { accessModes: [...modes], claimRef: { namespace, name, uid: claimUid }, ...source },
    },
    {
      metadata: metaOf(name, { namespace, uid: `uid-${namespace}-${name}` }),
      spec: { volumeName: name },
      status: { phase },
    },
  ];
}

export function putVolume(scene: Scene, name: string, parts: VolumeParts = {}): void {
  const [volume, claim] = volumeOf(name, parts);
  scene.put(PersistentVolumes, volume);
  scene.put(PersistentVolumeClaims, claim);
}

export interface PodParts {
  readonly namespace?: string;
  readonly phase?: string;
  readonly meta?: Partial<StoredMeta>;
  readonly volumes?: NonNullable<NonNullable<Pod["spec"]>["volumes"]>;
}

/** A running pod on the node, with these claims. */
export function podOf(name: string, node: string, claims: readonly string[], parts: PodParts = {}): Pod {
  const { namespace = "shop", phase = "Running", meta = {}, volumes = [] } = parts;
  return {
    metadata: metaOf(name, { namespace, ...meta }),
    spec: {
      nodeName: node,
      containers: [{ name: "main" }],
      volumes: [...claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })), ...volumes],
    },
    status: {
      phase,
      containerStatuses: [
        { name: "main", image: "", imageID: "", ready: true, restartCount: 0, state: { running: {} } },
      ],
    },
  };
}

/** Sets the status of a VolumeAttachment, as the driver reports it. */
export function driverSays(
  scene: Scene,
  [volume, node]: readonly [string, string],
  status: VolumeAttachment["status"],
): void {
  const name = attachmentOf(volume, node);
  const found = scene.live(VolumeAttachments).find(({ metadata }) => metadata.name === name);
  if (found === undefined || status === undefined) throw new Error(`there is no VolumeAttachment of ${volume}`);
  scene.writeLive(VolumeAttachments, { ...found, status });
  scene.deliver();
}

/** An existing VolumeAttachment. */
export function attachmentObject(volume: string, node: string, isAttached = true): VolumeAttachment {
  return {
    metadata: metaOf(attachmentOf(volume, node)),
    spec: { attacher: driver, nodeName: node, source: { persistentVolumeName: volume } },
    status: { attached: isAttached },
  };
}

/** The volumes in the node's `status.volumesAttached`. */
export function reported(scene: Scene, node: string): readonly string[] {
  const found = scene.live(Nodes).find(({ metadata }) => metadata.name === node);
  return (found?.status?.volumesAttached ?? []).map(({ name }) => name);
}

/** Sets the volumes that the kubelet reports as mounted, and delivers the node. */
export function mounts(scene: Scene, node: string, ...volumes: readonly string[]): void {
  changeNode(scene, node, (found) => ({
    ...found,
    status: { ...found.status, volumesInUse: volumes.map(uniqueName) },
  }));
}

export function changeNode(scene: Scene, node: string, change: (node: Node) => Node): void {
  const found = scene.live(Nodes).find(({ metadata }) => metadata.name === node);
  if (found === undefined) throw new Error(`there is no node ${node}`);
  scene.writeLive(Nodes, change(found));
  scene.deliver();
}

export function removePod(scene: Scene, name: string, namespace = "shop"): void {
  scene.deleteLive(Pods, `${namespace}/${name}`);
  scene.deliver();
}

export function addPod(scene: Scene, pod: Pod): void {
  scene.writeLive(Pods, pod);
  scene.deliver();
}

/** The context, and the signals that the requests through it are given, in their order. */
export function watchRequests(context: SyncContext): { readonly context: SyncContext; readonly signals: unknown[] } {
  const signals: unknown[] = [];
  const client = new Proxy(context.client, {
    get:
      (target, verb) =>
      (...args: readonly unknown[]): unknown => {
        const options: unknown = args.at(-1);
        signals.push(typeof options === "object" && options !== null && "signal" in options && options.signal);
        return Reflect.apply(Reflect.get(target, verb), target, args);
      },
  });
  return { context: { ...context, client }, signals };
}
