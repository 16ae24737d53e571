/**
 * The claims of a pod: which nodes they rule out, and what must happen to those that wait for their pod's node.
 * Source: kubernetes v1.36 pkg/scheduler/framework/plugins/volumebinding/volume_binding.go, binder.go; differs: no storage capacity, no
 * translation of in-tree volumes, and a pod reserves no capacity on its node while its volumes are being bound.
 */
import { objectKey } from "../../api/key.ts";
import { PersistentVolumeClaims, PersistentVolumes, StorageClasses } from "../../api/kinds.ts";
import { controllerOf } from "../../api/owner-references.ts";
import { claimNamesOf } from "../../api/pod-claims.ts";
import { compareQuantities } from "../../api/quantity.ts";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../../api/types.ts";
import {
  annotated,
  bindingAnnotations as annotations,
  boundTo,
  classOfClaim,
  isReachableFrom,
  requestOf,
  volumeOnNode,
} from "../../api/storage/volume-binding.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { bindVolumes } from "./rules.ts";

/** What must happen before the pod gets the node. */
export interface VolumePlan {
  /** Existing volumes, for waiting claims. */
  readonly bind: readonly { readonly volume: PersistentVolume; readonly claim: PersistentVolumeClaim }[];
  /** Claims that need a new volume. */
  readonly provision: readonly PersistentVolumeClaim[];
}

/** What a pod's claims say about nodes. */
export interface VolumesView {
  /** Why it can run on no node. */
  readonly obstacle: string | undefined;
  /** Why it cannot run on this one. */
  obstacleOn(node: Node): string | undefined;
  /** Empty if all claims are bound. Undefined if the node is unsuitable. */
  planFor(node: Node): VolumePlan | undefined;
}

const nothingToDo: VolumePlan = { bind: [], provision: [] };

/** The view of a pod without claims, or whose claims do not count. */
export const anyNode: VolumesView = {
  obstacle: undefined,
  obstacleOn: () => undefined,
  planFor: () => nothingToDo,
};

/** The view of a pod whose claims are bound to these volumes. */
export function usableWhere(volumes: readonly PersistentVolume[]): VolumesView {
  return { ...anyNode, obstacleOn: (node) => obstacleOn(node, volumes) };
}

function obstacleOn(node: Node, bound: readonly PersistentVolume[]): string | undefined {
  const isReachable = bound.every((volume) => isReachableFrom(volume, node));
  return isReachable ? undefined : "node(s) didn't match PersistentVolume's node affinity";
}

const noNode = (obstacle: string): VolumesView => ({ ...anyNode, obstacle });

/** The view of a pod's claims, as the caches show them. */
export function volumesView(context: SyncContext, pod: Pod): VolumesView {
  const names = claimNamesOf(pod);
  if (names.length === 0) return anyNode;
  const claims: PersistentVolumeClaim[] = [];
  for (const name of new Set(names)) {
    const claim = context.cache(PersistentVolumeClaims).get(objectKey(pod.metadata.namespace, name));
    const obstacle = obstacleIn(pod, { name, claim });
    if (obstacle !== undefined) return noNode(obstacle);
    if (claim !== undefined) claims.push(claim);
  }
  const classOf = (claim: PersistentVolumeClaim): StorageClass | undefined =>
    context.cache(StorageClasses).get(classOfClaim(claim));
  const open = claims.filter((claim) => !isBound(claim));
  const waiting = open.filter((claim) => waitsForNode(claim, classOf(claim)));
  if (waiting.length < open.length) return noNode("pod has unbound immediate PersistentVolumeClaims");
  const volumes = context.cache(PersistentVolumes);
  const bound: PersistentVolume[] = [];
  for (const { spec } of claims.filter(isBound)) {
    const { volumeName = "" } = spec ?? {};
    const volume = volumes.get(volumeName);
    // Source: volumezone/volume_zone.go PreFilter.
    if (volume === undefined) return noNode(`persistentvolume "${volumeName}" not found`);
    bound.push(volume);
  }
  const planFor = (node: Node): VolumePlan | undefined => planOn(node, { waiting, classOf, volumes: volumes.list() });
  return {
    obstacle: undefined,
    obstacleOn(node) {
      const why = obstacleOn(node, bound);
      if (why !== undefined) return why;
      return planFor(node) === undefined ? "node(s) didn't find available persistent volumes to bind" : undefined;
    },
    planFor,
  };
}

interface NamedClaim {
  readonly name: string;
  /** Undefined if there is none. */
  readonly claim: PersistentVolumeClaim | undefined;
}

/** Source: volume_binding.go podHasPVCs. */
function obstacleIn(pod: Pod, { name, claim }: NamedClaim): string | undefined {
  const isEphemeral = !(pod.spec?.volumes ?? []).some((volume) => volume.persistentVolumeClaim?.claimName === name);
  if (claim === undefined) {
    return isEphemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
      : `persistentvolumeclaim "${name}" not found`;
  }
  if (claim.status?.phase === "Lost")
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ""}"`;
  if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
  if (!isEphemeral || controllerOf(claim)?.uid === pod.metadata.uid) return undefined;
  const [own, other] = [
    `pod ${pod.metadata.namespace ?? ""}/${pod.metadata.name}`,
    `${pod.metadata.namespace ?? ""}/${name}`,
  ];
  return `PVC ${other} was not created for ${own} (pod is not owner)`;
}

/** Source: binder.go isPVCFullyBound. */
function isBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return (spec?.volumeName ?? "") !== "" && metadata.annotations?.[annotations.bindCompleted] !== undefined;
}

function waitsForNode({ spec }: PersistentVolumeClaim, storageClass: StorageClass | undefined): boolean {
  return (spec?.volumeName ?? "") === "" && storageClass?.volumeBindingMode === "WaitForFirstConsumer";
}

interface Storage {
  readonly waiting: readonly PersistentVolumeClaim[];
  readonly volumes: readonly PersistentVolume[];
  readonly classOf: (claim: PersistentVolumeClaim) => StorageClass | undefined;
}

/** Source: binder.go FindPodVolumes, findMatchingVolumes, checkVolumeProvisions. */
function planOn(node: Node, { waiting, volumes, classOf }: Storage): VolumePlan | undefined {
  const taken = new Set<string>();
  const bind: { volume: PersistentVolume; claim: PersistentVolumeClaim }[] = [];
  const provision: PersistentVolumeClaim[] = [];
  for (const claim of waiting.toSorted((a, b) => compareQuantities(requestOf(a), requestOf(b)))) {
    const selected = claim.metadata.annotations?.[annotations.selectedNode];
    if (selected !== undefined && selected !== node.metadata.name) return undefined;
    const volume = selected === undefined ? volumeOnNode(claim, { volumes, node, taken }) : undefined;
    if (volume !== undefined) {
      taken.add(volume.metadata.name);
      bind.push({ volume, claim });
    } else if (provisions(classOf(claim), node)) provision.push(claim);
    else return undefined;
  }
  return { bind, provision };
}

/** The provisioner of classes for manually created volumes. */
const noProvisioner = "kubernetes.io/no-provisioner";

function provisions(storageClass: StorageClass | undefined, { metadata: { labels = {} } }: Node): boolean {
  if (storageClass === undefined || storageClass.provisioner === noProvisioner) return false;
  const { allowedTopologies = [] } = storageClass;
  const fits = ({ matchLabelExpressions = [] }: (typeof allowedTopologies)[number]): boolean =>
    matchLabelExpressions.every(({ key, values }) => values.includes(labels[key] ?? ""));
  return allowedTopologies.length === 0 || allowedTopologies.some(fits);
}

/** Whether anything must be done before the pod can be bound. */
export function hasWork({ bind, provision }: VolumePlan): boolean {
  return bind.length > 0 || provision.length > 0;
}

interface PlanForNode extends VolumePlan {
  /** The node's name. */
  readonly node: string;
}

/**
 * Triggers binding or provisioning for the pod's claims; the pod is requeued when a claim changes. Source: binder.go bindAPIUpdate.
 * @throws the API server's refusal, such as a conflict.
 */
export async function bindClaims(context: SyncContext, { bind, provision, node }: PlanForNode): Promise<void> {
  const claims = [...bind.map(({ claim }) => claim), ...provision].map(({ metadata }) => metadata.name).sort();
  const because = context.decide(bindVolumes, { node, claims });
  const { client, signal } = context;
  for (const { volume, claim } of bind) {
    const next = boundTo(volume, claim);
    if (next !== undefined) await client.update(PersistentVolumes, next, { because, basedOn: volume, signal });
  }
  for (const claim of provision) {
    if (claim.metadata.annotations?.[annotations.selectedNode] === node) continue;
    const next = annotated(claim, { [annotations.selectedNode]: node });
    await client.update(PersistentVolumeClaims, next, { because, basedOn: claim, signal });
  }
}
