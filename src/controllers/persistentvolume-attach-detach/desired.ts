/**
 * Which volumes the pods of a node need, and what is attached when the controller starts.
 * Source: kubernetes v1.36 pkg/controller/volume/attachdetach/attach_detach_controller.go, populator/desired_state_of_world_populator.go;
 * differs: what upstream polls for is computed when a node is synced.
 */
import { keyOf } from "../../api/key.ts";
import { Nodes, PersistentVolumes, Pods, VolumeAttachments } from "../../api/kinds.ts";
import type { Node, Pod } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { podsOfNode } from "../../controller/workload/pods-of-node.ts";
import { hasStopped } from "../../controller/workload/pod-status.ts";
import { type AttachableVolume, attachableVolume, attachableVolumesOf, requiresAttach } from "./attachable.ts";
import { type Desired, type World, world } from "./world.ts";

/** The caches, as available to syncs and handlers. */
export type Caches = Pick<SyncContext, "cache" | "state">;

const managedAnnotation = "volumes.kubernetes.io/controller-managed-attach-detach";

/** Whether the node's kubelet leaves attaching to the controller. */
export function isManaged({ metadata }: Node): boolean {
  return metadata.annotations?.[managedAnnotation] !== undefined;
}

/**
 * Updates what is known about the node: a pod needs a volume from when its claim is known to be bound until the pod has stopped, whatever
 * happens to the claim meanwhile. Atomic.
 */
export function refreshDesired(context: Caches, node: string): void {
  const known = context.state(world);
  if (!known.managed.has(node)) return void known.desired.delete(node);
  const before = known.desired.get(node) ?? new Map<string, Desired>();
  const pods = podsOfNode(context.cache(Pods), node)
    .filter((pod) => !hasStopped(pod))
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  for (const pod of pods) addVolumes(before, { pod, volumes: attachableVolumesOf(context, pod) });
  const present = new Set(pods.map(({ metadata }) => metadata.uid));
  for (const [unique, { volume, pods: users }] of before) {
    for (const uid of users.keys()) if (!present.has(uid)) users.delete(uid);
    const { csi } = volume;
    const isLeftAlone = csi !== undefined && !requiresAttach(context, csi.driver);
    if (users.size === 0 || isLeftAlone) before.delete(unique);
  }
  if (before.size > 0) known.desired.set(node, before);
  else known.desired.delete(node);
}

interface OfPod {
  readonly pod: Pod;
  readonly volumes: readonly AttachableVolume[];
}

function addVolumes(desired: Map<string, Desired>, { pod, volumes }: OfPod): void {
  for (const volume of volumes) {
    const found = desired.get(volume.unique);
    // The first information about the volume is kept.
    if (found !== undefined) {
      if (!found.pods.has(pod.metadata.uid)) found.pods.set(pod.metadata.uid, pod);
      continue;
    }
    desired.set(volume.unique, {
      volume,
      pods: new Map([[pod.metadata.uid, pod]]),
      isMultiAttachReported: false,
    });
  }
}

/**
 * Initializes the state from the cluster when the controller starts; later calls do nothing. A volume in the status of a node is attached
 * there; one with only a VolumeAttachment may be. Atomic.
 */
export function fillWorld(context: Caches): void {
  const known = context.state(world);
  if (known.isFilled) return;
  known.isFilled = true;
  for (const node of context.cache(Nodes).list()) fillNode(known, node);
  for (const { spec } of context.cache(VolumeAttachments).list()) {
    const volume = context.cache(PersistentVolumes).get(spec.source.persistentVolumeName ?? "");
    const attachable = volume === undefined ? undefined : attachableVolume(context, volume);
    if (attachable === undefined || known.attachmentOf(attachable.unique, spec.nodeName) !== undefined) continue;
    known.mark(attachable.unique, { node: spec.nodeName, volume: attachable, isConfirmed: false });
  }
  for (const pod of context.cache(Pods).list()) nameVolumes(context, pod);
}

function fillNode(known: World, node: Node): void {
  const { name } = node.metadata;
  for (const { name: unique, devicePath } of node.status?.volumesAttached ?? []) {
    known.mark(unique, { node: name, volume: undefined, isConfirmed: true, devicePath });
  }
  known.setInUse(name, node.status?.volumesInUse ?? []);
  if (isManaged(node)) known.managed.add(name);
}

/** A node's status gives only the names of volumes: pods, even terminated ones, provide the rest. */
function nameVolumes(context: Caches, pod: Pod): void {
  const known = context.state(world);
  const { nodeName = "" } = pod.spec ?? {};
  for (const volume of attachableVolumesOf(context, pod)) known.learn(volume, nodeName);
}
