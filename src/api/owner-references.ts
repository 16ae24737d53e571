import { apiVersionOf, type Kind } from "./kind.ts";
import type { ObjectMeta, OwnerReference, StoredObject } from "./object.ts";

/**
 * The one owner reference with `controller: true`; undefined for an object that nothing controls.
 * Source: apimachinery v0.36 meta/v1/controller_ref.go.
 *
 * @example
 * ```ts
 * import { controllerOf, type StoredObject } from "kubectl-reconcile";
 *
 * function isControlledBy(object: StoredObject, owner: StoredObject): boolean {
 *   return controllerOf(object)?.uid === owner.metadata.uid;
 * }
 * console.log(isControlledBy.name);
 * ```
 */
export function controllerOf(object: { readonly metadata: ObjectMeta }): OwnerReference | undefined {
  const references = object.metadata.ownerReferences;
  if (references === undefined) return undefined;
  for (const reference of references) if (reference.controller === true) return reference;
  return undefined;
}

/**
 * The owner reference that makes `owner` the controller of an object. When the owner is deleted, the garbage collector deletes the
 * object; a foreground deletion of the owner waits for it.
 *
 * @example
 * ```ts
 * import { controllerReference, kinds, startSandbox } from "kubectl-reconcile";
 *
 * const sandbox = await startSandbox();
 * const namespace = "default";
 * const owner = await sandbox.client.get(kinds.ServiceAccounts, { namespace, name: "default" });
 * const ownerReferences = [controllerReference(kinds.ServiceAccounts, owner)];
 * await sandbox.client.create(kinds.ServiceAccounts, { metadata: { namespace, name: "second", ownerReferences } });
 * await sandbox.stop();
 * ```
 */
export function controllerReference(kind: Kind, owner: StoredObject): OwnerReference {
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}
