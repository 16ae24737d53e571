import { apiVersionOf, type Kind } from "./kind.ts";
import type { ObjectMeta, OwnerReference, StoredObject } from "./object.ts";

/** The one owner reference with `controller: true`. Source: apimachinery v0.36 meta/v1/controller_ref.go. */
export function controllerOf(object: { readonly metadata: ObjectMeta }): OwnerReference | undefined {
  const references = object.metadata.ownerReferences;
  if (references === undefined) return undefined;
  for (const reference of references) if (reference.controller === true) return reference;
  return undefined;
}

/** The reference that makes `owner` the controller of an object and holds up the owner's foreground deletion. */
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
