/**
 * The garbage collector's requests. Source: kubernetes v1.36 pkg/controller/garbagecollector/operations.go, patch.go.
 */
import type { NamespacedName } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import type { OwnerReference, StoredObject } from "../../api/object.ts";
import { isConflict, isNotFound, StatusError } from "../../api/status-error.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { DeleteOptions } from "../../client/api/verbs.ts";
import type { GraphNode } from "./node.ts";
import { sameReferences } from "./references.ts";
import * as rules from "./rules.ts";
import type { Work } from "./work.ts";

/** Where the API server stores an object. */
export interface Address {
  readonly kind: Kind;
  readonly at: NamespacedName;
}

/** Where the API server stores the node's object. @throws Error for a kind that it does not serve. */
export function addressOf({ kinds }: Work, node: GraphNode): Address {
  const kind = kinds.find(node.of);
  return { kind, at: { namespace: kind.namespaced ? node.namespace : "", name: node.name } };
}

/** The propagation policy of a deletion. */
export type Policy = NonNullable<DeleteOptions["propagationPolicy"]>;

/**
 * Deletes the object with its uid and version as preconditions. If it has changed since, but its owners have not, it is
 * deleted with the uid alone, so that frequently changing objects are collected too.
 * @throws StatusError: not found if it does not exist, a conflict if its owners have changed.
 */
export async function deleteObject(
  work: Work,
  node: GraphNode,
  latest: StoredObject,
  propagationPolicy: Policy,
  because: Decision,
): Promise<void> {
  const { context } = work;
  const { kind, at } = addressOf(work, node);
  const { uid } = node;
  const { resourceVersion } = latest.metadata;
  try {
    const preconditions = { uid, resourceVersion };
    await context.client.delete(kind, at, { preconditions, propagationPolicy, because, metadataSuffices: true });
  } catch (error) {
    if (!isConflict(error)) throw error;
    const live = await liveAfterConflict(work, { kind, at }, error);
    const { metadata } = live;
    const sameOwners = sameReferences(metadata.ownerReferences ?? [], latest.metadata.ownerReferences ?? []);
    if (metadata.uid !== uid || metadata.resourceVersion === resourceVersion || !sameOwners) throw error;
    const again = context.decide(rules.changedMeanwhile, { from: resourceVersion, to: metadata.resourceVersion });
    await context.client.delete(kind, at, {
      preconditions: { uid },
      propagationPolicy,
      because: again,
      metadataSuffices: true,
    });
  }
}

/** @throws StatusError: not found if the object does not exist, `conflict` if it cannot be read. */
async function liveAfterConflict({ context }: Work, { kind, at }: Address, conflict: unknown): Promise<StoredObject> {
  try {
    return await context.client.getMetadata(kind, at);
  } catch (error) {
    throw isNotFound(error) ? error : conflict;
  }
}

/** Removes the references to these owners from an object. @throws StatusError. */
export async function removeOwnerReferences(
  work: Work,
  node: GraphNode,
  uids: readonly string[],
  because: Decision,
): Promise<void> {
  const ownerReferences = uids.map((uid) => ({ $patch: "delete", uid }));
  const left = (references: readonly OwnerReference[]): readonly OwnerReference[] =>
    references.filter(({ uid }) => !uids.includes(uid));
  await patchOwners(work, node, ownerReferences, left, because);
}

/** Makes an object stop blocking the deletion of its owners. @throws StatusError. */
export async function unblockOwners(work: Work, node: GraphNode, because: Decision): Promise<void> {
  const unblocked = (references: readonly OwnerReference[]): OwnerReference[] =>
    references.map((reference) => ({ ...reference, blockOwnerDeletion: false }));
  const blocking = node.owners.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
  await patchOwners(work, node, unblocked(blocking), () => unblocked(node.owners), because);
}

/**
 * Sends a strategic merge patch or, for kinds without support for it such as custom resources, a merge patch of all references. The merge
 * patch is based on the live object (upstream uses the cached one); it contains the resourceVersion and is refused if that is stale.
 */
async function patchOwners(
  work: Work,
  node: GraphNode,
  strategic: readonly object[],
  merged: (references: readonly OwnerReference[]) => readonly OwnerReference[],
  because: Decision,
): Promise<void> {
  const { client } = work.context;
  const { kind, at } = addressOf(work, node);
  try {
    const ownerReferences = strategic.length > 0 ? { ownerReferences: strategic } : {};
    const body = { metadata: { uid: node.uid, ...ownerReferences } };
    await client.patch(kind, at, { type: "strategic", body }, { because, metadataSuffices: true });
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 415) throw error;
    const live = await client.getMetadata(kind, at);
    const { metadata } = live;
    const ownerReferences = merged(metadata.ownerReferences ?? []);
    const { resourceVersion } = metadata;
    const body = {
      metadata: { resourceVersion, ownerReferences: ownerReferences.length > 0 ? ownerReferences : null },
    };
    await client.patch(kind, at, { type: "merge", body }, { because, basedOn: live, metadataSuffices: true });
  }
}

/** How often removing a finalizer is tried before the key goes back to the queue. */
const tries = 4;

/**
 * Removes a finalizer from the live object; does nothing if the object or the finalizer does not exist.
 * @throws StatusError: a conflict after four tries.
 * Source: as above, removeFinalizer; differs: retries are immediate, since each reads the object again.
 */
export async function removeFinalizer(
  work: Work,
  node: GraphNode,
  finalizer: string,
  because: Decision,
): Promise<void> {
  const { client } = work.context;
  const { kind, at } = addressOf(work, node);
  for (let attempt = 1; ; attempt++) {
    try {
      const live = await client.getMetadata(kind, at);
      const { metadata } = live;
      const all = metadata.finalizers ?? [];
      if (!all.includes(finalizer)) return;
      const left = all.filter((other) => other !== finalizer);
      const { resourceVersion } = metadata;
      const body = { metadata: { resourceVersion, finalizers: left.length > 0 ? left : null } };
      await client.patch(kind, at, { type: "merge", body }, { because, basedOn: live, metadataSuffices: true });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error) || attempt === tries) throw error;
    }
  }
}
