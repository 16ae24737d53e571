/**
 * How PersistentVolumes and PersistentVolumeClaims refer to each other, and which volume suits a claim; used by the binder controller and
 * the scheduler.
 * Source: kubernetes v1.36 staging/src/k8s.io/component-helpers/storage/volume/pv_helpers.go, helpers.go;
 * pkg/controller/volume/persistentvolume/index.go.
 */
import { matches, selectorOf } from "../labels.ts";
import { termFits } from "../node-fit/node-affinity.ts";
import { compareQuantities, parseQuantity, type Quantity } from "../quantity.ts";
import type { Node, PersistentVolume, PersistentVolumeClaim } from "../types.ts";

/** Annotations of claims and volumes; the values of the first two do not matter. */
export const bindingAnnotations = {
  /** On a claim: it was bound once. */
  bindCompleted: "pv.kubernetes.io/bind-completed",
  /** On a claim or a volume: the controller chose the other one, not the user. */
  boundByController: "pv.kubernetes.io/bound-by-controller",
  /** On a claim: the scheduler's choice, which starts its provisioning. */
  selectedNode: "volume.kubernetes.io/selected-node",
  /** On a volume: its provisioner. */
  provisionedBy: "pv.kubernetes.io/provisioned-by",
  /** On a claim or a volume: the CSI driver that replaces the plugin it names. */
  migratedTo: "pv.kubernetes.io/migrated-to",
  /** On a claim: its provisioner. */
  storageProvisioner: "volume.kubernetes.io/storage-provisioner",
  /** Like `storageProvisioner`; both are written. */
  betaStorageProvisioner: "volume.beta.kubernetes.io/storage-provisioner",
} as const;

const betaClass = "volume.beta.kubernetes.io/storage-class";

/** The name of the claim's class; the old annotation takes precedence; empty for none. */
export function classOfClaim({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.[betaClass] ?? spec?.storageClassName ?? "";
}

/** Whether the claim specifies a class; so does `""`: none. */
export function namesClass({ metadata, spec }: PersistentVolumeClaim): boolean {
  return metadata.annotations?.[betaClass] !== undefined || spec?.storageClassName !== undefined;
}

/** The name of the volume's class; the old annotation takes precedence; empty for none. */
export function classOfVolume({ metadata, spec }: PersistentVolume): string {
  return metadata.annotations?.[betaClass] ?? spec?.storageClassName ?? "";
}

/** Whether the volume is reserved for the claim, or bound to it. A reservation may lack the uid. */
export function isVolumeOf({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const ref = spec?.claimRef;
  if (ref === undefined || ref.name !== metadata.name || ref.namespace !== metadata.namespace) return false;
  return (ref.uid ?? "") === "" || ref.uid === metadata.uid;
}

/** Whether one is a block device and the other has a file system, the default. */
export function modesDiffer(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  return (claim.spec?.volumeMode ?? "Filesystem") !== (volume.spec?.volumeMode ?? "Filesystem");
}

/** Whether the volume supports all access modes that the claim requests. */
export function hasAccessModes(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (claim.spec?.accessModes ?? []).every((mode) => volume.spec?.accessModes?.includes(mode) === true);
}

/** How large the volume is. */
export function capacityOf({ spec }: PersistentVolume): Quantity {
  return storageIn(spec?.capacity);
}

/** How large a volume the claim requests. */
export function requestOf({ spec }: PersistentVolumeClaim): Quantity {
  return storageIn(spec?.resources?.requests);
}

/** The claim's capacity by its status; 0 before it is bound. */
export function heldBy({ status }: PersistentVolumeClaim): Quantity {
  return storageIn(status?.capacity);
}

const nothing: Quantity = { nano: 0n, format: "decimal" };

function storageIn(amounts: Readonly<Record<string, string | number>> | undefined): Quantity {
  return parseQuantity(String(amounts?.["storage"] ?? "0")) ?? nothing;
}

/** How to search for a volume. */
export interface MatchOptions {
  readonly volumes: Iterable<PersistentVolume>;
  /** The scheduler chooses among free volumes: only one reserved for the claim counts. */
  readonly reservedOnly: boolean;
}

/**
 * The volume for a claim: one reserved for it, else the smallest of those with the fewest sufficient access modes. Of volumes of equal
 * size, the first by name; upstream takes any.
 * @throws Error for an invalid selector.
 */
export function volumeFor(
  claim: PersistentVolumeClaim,
  { volumes, reservedOnly }: MatchOptions,
): PersistentVolume | undefined {
  const suits = suitor(claim);
  const isFree = freeFor(claim);
  const bestByModes = new Map<string, Choice>();
  for (const volume of volumes) {
    if (!suits(volume) || !hasAccessModes(volume, claim)) continue;
    const isReserved = isVolumeOf(volume, claim);
    if (!isReserved && (reservedOnly || !isFree(volume))) continue;
    const modes = modesOf(volume);
    const best = bestByModes.get(modes);
    if (best === undefined || isBetter({ volume, isReserved }, best)) bestByModes.set(modes, { volume, isReserved });
  }
  const count = (modes: string): number => modes.split(",").length;
  // Upstream takes equally many modes in any order.
  const [fewest] = [...bestByModes].sort(([a], [b]) => count(a) - count(b) || (a < b ? -1 : 1));
  return fewest?.[1].volume;
}

/** A volume that a claim can get. */
interface Choice {
  readonly volume: PersistentVolume;
  readonly isReserved: boolean;
}

function isBetter(one: Choice, other: Choice): boolean {
  if (one.isReserved !== other.isReserved) return one.isReserved;
  return one.isReserved ? one.volume.metadata.name < other.volume.metadata.name : isSmaller(one.volume, other.volume);
}

/** The access modes of a volume as one text. */
function modesOf({ spec }: PersistentVolume): string {
  const { accessModes = [] } = spec ?? {};
  // Most have a single one.
  return accessModes.length === 1 ? String(accessModes[0]) : [...new Set(accessModes)].sort().join();
}

/** Which volumes count for a node. */
export interface NodeMatchOptions {
  readonly volumes: Iterable<PersistentVolume>;
  readonly node: Node;
  /** Names of volumes chosen for other claims of the pod. */
  readonly taken: ReadonlySet<string>;
}

/**
 * The volume for a claim whose pod should run on a node: one reserved for it, if reachable from there, else the smallest reachable one.
 * Source: pv_helpers.go FindMatchingVolume, as the scheduler calls it.
 * @throws Error for an invalid selector.
 */
export function volumeOnNode(
  claim: PersistentVolumeClaim,
  { volumes, node, taken }: NodeMatchOptions,
): PersistentVolume | undefined {
  const suits = suitor(claim);
  const possible = [...volumes].filter((volume) => !taken.has(volume.metadata.name) && suits(volume));
  const reserved = possible.find((volume) => isVolumeOf(volume, claim));
  if (reserved !== undefined) return isReachableFrom(reserved, node) ? reserved : undefined;
  const isFree = freeFor(claim);
  let smallest: PersistentVolume | undefined;
  for (const volume of possible) {
    if (!isFree(volume) || !isReachableFrom(volume, node) || !hasAccessModes(volume, claim)) continue;
    if (smallest === undefined || isSmaller(volume, smallest)) smallest = volume;
  }
  return smallest;
}

/** Whether pods on the node can use the volume. Source: helpers.go CheckNodeAffinity. */
export function isReachableFrom({ spec }: PersistentVolume, node: Node): boolean {
  const required = spec?.nodeAffinity?.required;
  return required === undefined || required.nodeSelectorTerms.some((term) => termFits(term, node));
}

/** Whether a volume is large enough for the claim, of the right kind, and not taken. */
function suitor(claim: PersistentVolumeClaim): (volume: PersistentVolume) => boolean {
  const requested = requestOf(claim);
  return (volume) =>
    volume.metadata.deletionTimestamp === undefined &&
    (volume.spec?.claimRef === undefined || isVolumeOf(volume, claim)) &&
    !modesDiffer(claim, volume) &&
    !attributesDiffer(claim, volume) &&
    compareQuantities(capacityOf(volume), requested) >= 0;
}

/** Whether any claim with this one's class and selector may take a volume. */
function freeFor(claim: PersistentVolumeClaim): (volume: PersistentVolume) => boolean {
  const { selector } = claim.spec ?? {};
  const labels = selector === undefined ? undefined : selectorOf(selector);
  const className = classOfClaim(claim);
  return (volume) =>
    volume.status?.phase === "Available" &&
    (labels === undefined || matches(labels, volume.metadata.labels)) &&
    classOfVolume(volume) === className;
}

/** Of volumes of equal size, the first by name counts as smaller. */
function isSmaller(one: PersistentVolume, other: PersistentVolume): boolean {
  const difference = compareQuantities(capacityOf(one), capacityOf(other));
  return difference < 0 || (difference === 0 && one.metadata.name < other.metadata.name);
}

/** Whether they name different VolumeAttributesClasses. */
export function attributesDiffer(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  return (claim.spec?.volumeAttributesClassName ?? "") !== (volume.spec?.volumeAttributesClassName ?? "");
}

/**
 * The volume, bound to the claim; undefined if it already is. One not reserved for the claim is marked as the controller's choice.
 * Source: pv_helpers.go GetBindVolumeToClaim.
 */
export function boundTo(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume | undefined {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const ref = volume.spec?.claimRef;
  const isNamed = ref?.name === name && ref.namespace === namespace && ref.uid === uid;
  const isReserved = isVolumeOf(volume, claim);
  if (isNamed && isReserved) return undefined;
  const space = namespace !== undefined && { namespace };
  const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", name, uid, resourceVersion, ...space };
  const next = { ...volume, spec: { ...volume.spec, claimRef } };
  return isReserved ? next : annotated(next, { [bindingAnnotations.boundByController]: "yes" });
}

/** The object with these annotations; existing ones keep their values. */
export function annotated<T extends PersistentVolume | PersistentVolumeClaim>(
  object: T,
  annotations: Readonly<Record<string, string>>,
): T {
  const before = object.metadata.annotations;
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, ...before } } };
}
