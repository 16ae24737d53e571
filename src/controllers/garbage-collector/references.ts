/**
 * Changes in the owner references and finalizers of an object. Source: kubernetes v1.36
 * pkg/controller/garbagecollector/graph_builder.go.
 */
import type { OwnerReference, StoredObject } from "../../api/object.ts";

/** Set by the API server when an object is deleted with the policy Foreground. */
export const foregroundFinalizer = "foregroundDeletion";
/** Set by the API server when an object is deleted with the policy Orphan. */
export const orphanFinalizer = "orphan";

/** How owner references differ between two versions of an object. */
export interface ReferenceChanges {
  readonly added: readonly OwnerReference[];
  readonly removed: readonly OwnerReference[];
  readonly changed: readonly { readonly before: OwnerReference; readonly after: OwnerReference }[];
}

const unchanged: ReferenceChanges = { added: [], removed: [], changed: [] };

/** Compares by uid; the second occurrence of a uid counts as added. */
export function referenceChanges(
  before: readonly OwnerReference[],
  after: readonly OwnerReference[],
): ReferenceChanges {
  if (sameReferences(before, after)) return unchanged;
  const known = new Map(before.map((reference) => [reference.uid, reference]));
  const left = new Set(known.keys());
  const added: OwnerReference[] = [];
  const changed: { readonly before: OwnerReference; readonly after: OwnerReference }[] = [];
  for (const reference of after) {
    const old = left.delete(reference.uid) ? known.get(reference.uid) : undefined;
    if (old === undefined) added.push(reference);
    else if (!sameReference(old, reference)) changed.push({ before: old, after: reference });
  }
  return { added, changed, removed: [...left].map((uid) => known.get(uid) as OwnerReference) };
}

/** Whether two lists of owner references are equal, including their order. */
export function sameReferences(a: readonly OwnerReference[], b: readonly OwnerReference[]): boolean {
  return a === b || (a.length === b.length && a.every((each, n) => sameReference(each, b[n] as OwnerReference)));
}

function sameReference(a: OwnerReference, b: OwnerReference): boolean {
  return (
    a.uid === b.uid &&
    a.name === b.name &&
    a.kind === b.kind &&
    a.apiVersion === b.apiVersion &&
    a.controller === b.controller &&
    a.blockOwnerDeletion === b.blockOwnerDeletion
  );
}

/** Whether the object has a deletionTimestamp. */
export function isBeingDeleted({ metadata }: StoredObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Whether `metadata.finalizers` contains the finalizer. */
export function hasFinalizer({ metadata }: StoredObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) === true;
}

/** Whether the object is now being deleted with the finalizer, and was not before. */
export function startsWaiting(before: StoredObject | undefined, after: StoredObject, finalizer: string): boolean {
  const waits = (object: StoredObject): boolean => isBeingDeleted(object) && hasFinalizer(object, finalizer);
  return waits(after) && (before === undefined || !waits(before));
}
