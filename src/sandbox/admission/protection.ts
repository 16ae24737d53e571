/**
 * StorageObjectInUseProtection: adds finalizers that keep objects while in use. Source: kubernetes v1.36
 * plugin/pkg/admission/storage/storageobjectinuseprotection.
 */
import { claimProtection, classProtection, volumeProtection } from "../../api/protection-finalizers.ts";
import type { ApiObject } from "../meta/object.ts";

const finalizerOf: Readonly<Record<string, string>> = {
  persistentvolumeclaims: claimProtection,
  persistentvolumes: volumeProtection,
  "volumeattributesclasses.storage.k8s.io": classProtection,
};

/** `resource` is the storage name. */
export function protect(resource: string, object: ApiObject): void {
  const finalizer = finalizerOf[resource];
  if (finalizer === undefined) return;
  const finalizers = object.metadata.finalizers ?? [];
  if (!finalizers.includes(finalizer)) object.metadata.finalizers = [...finalizers, finalizer];
}
