/**
 * Who owns a claim, so that the garbage collector deletes it when the retention policy requires it: with `whenDeleted: Delete` the StatefulSet
 * owns it, with `whenScaled: Delete` a condemned pod.
 * Source: kubernetes v1.36 pkg/controller/statefulset/stateful_set_utils.go isClaimOwnerUpToDate, updateClaimOwnerRefForSetAndPod.
 */
import { apiVersionOf, type Kind } from "../../api/kind.ts";
import { Pods, StatefulSets } from "../../api/kinds.ts";
import type { OwnerReference } from "../../api/object.ts";
import type { PersistentVolumeClaim, StatefulSet } from "../../api/types.ts";
import { isInRange, retentionPolicy } from "./spec.ts";

/** The pod that uses the claim. */
export interface ClaimUser {
  readonly name: string;
  /** Empty for a pod that has yet to be created. */
  readonly uid: string;
  readonly ordinal: number;
}

interface Owner {
  readonly kind: Kind;
  readonly name: string;
  readonly uid: string;
}

const ownerOf = ({ metadata }: StatefulSet): Owner => ({
  kind: StatefulSets,
  name: metadata.name,
  uid: metadata.uid,
});
const userOf = ({ name, uid }: ClaimUser): Owner => ({ kind: Pods, name, uid });

function refersTo(reference: OwnerReference, { kind, name }: Owner): boolean {
  return reference.apiVersion === apiVersionOf(kind) && reference.kind === kind.kind && reference.name === name;
}

const referencesOf = ({ metadata }: PersistentVolumeClaim): readonly OwnerReference[] => metadata.ownerReferences ?? [];

function isOwnedBy(claim: PersistentVolumeClaim, { uid }: Owner): boolean {
  return referencesOf(claim).some((reference) => reference.uid === uid);
}

/** Whether the claim's owner is an earlier object of the same name, with which it will be deleted. */
function hasStaleOwner(claim: PersistentVolumeClaim, owner: Owner): boolean {
  const reference = referencesOf(claim).find((one) => refersTo(one, owner));
  return reference !== undefined && reference.uid !== owner.uid;
}

/** Whether the claim belongs to an earlier pod of this name, with which it will be deleted: no new pod may use it. */
export function belongsToEarlierPod(claim: PersistentVolumeClaim, user: ClaimUser): boolean {
  return hasStaleOwner(claim, userOf(user));
}

/** A claim of a set's pod. */
export interface UsedClaim {
  readonly claim: PersistentVolumeClaim;
  readonly set: StatefulSet;
  readonly user: ClaimUser;
}

/** Whether another controller manages the claim. A set that retains all claims does not care. */
export function hasUnexpectedController({ claim, set, user }: UsedClaim): boolean {
  const { whenDeleted, whenScaled } = retentionPolicy(set);
  if (whenDeleted === "Retain" && whenScaled === "Retain") return false;
  return referencesOf(claim).some((reference) => {
    const own = [ownerOf(set), userOf(user)].find((owner) => refersTo(reference, owner));
    return own === undefined ? reference.controller === true : own.uid !== reference.uid;
  });
}

/** Which of the two should own the claim. */
function wantedOwners(set: StatefulSet, { ordinal }: ClaimUser): { readonly set: boolean; readonly pod: boolean } {
  const { whenDeleted, whenScaled } = retentionPolicy(set);
  const goesWithPod = whenScaled === "Delete" && !isInRange(set, ordinal);
  return { set: whenDeleted === "Delete" && !goesWithPod, pod: goesWithPod };
}

/**
 * Whether the claim has the owners that the retention policy requires. A claim of an earlier set or pod, or of another controller, is left
 * alone.
 */
export function areOwnersCurrent(used: UsedClaim): boolean {
  const { claim, set, user } = used;
  const [owner, pod] = [ownerOf(set), userOf(user)];
  if (hasStaleOwner(claim, owner) || hasStaleOwner(claim, pod)) return true;
  const isOwned = { set: isOwnedBy(claim, owner), pod: isOwnedBy(claim, pod) };
  if (hasUnexpectedController(used)) return !isOwned.set && !isOwned.pod;
  const isOwnOnly = ({ uid, controller }: OwnerReference): boolean =>
    (uid === owner.uid || uid === pod.uid) && controller !== true;
  if (referencesOf(claim).some(isOwnOnly)) return false;
  const wanted = wantedOwners(set, user);
  return isOwned.set === wanted.set && isOwned.pod === wanted.pod;
}

/** The owners that the retention policy requires; owners other than the set and the pod stay. */
export function claimOwners(used: UsedClaim): OwnerReference[] {
  const { claim, set, user } = used;
  const [owner, pod] = [ownerOf(set), userOf(user)];
  const others = referencesOf(claim).filter((reference) => !refersTo(reference, owner) && !refersTo(reference, pod));
  if (hasUnexpectedController(used)) return others;
  const wanted = wantedOwners(set, user);
  const owners = [...(wanted.pod ? [pod] : []), ...(wanted.set ? [owner] : [])];
  return [
    ...others,
    ...owners.filter(({ uid }) => !others.some((other) => other.uid === uid)).map(controllerReference),
  ];
}

function controllerReference({ kind, name, uid }: Owner): OwnerReference {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid, controller: true, blockOwnerDeletion: true };
}
