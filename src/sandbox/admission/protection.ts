/** StorageObjectInUseProtection: a finalizer keeps what is used. Source: kubernetes v1.36 plugin/pkg/admission/storage/storageobjectinuseprotection. */
import type { ApiObject } from "../meta/object.ts";

const finalizerOf: Readonly<Record<string, string>> = {
  persistentvolumeclaims: "kubernetes.io/pvc-protection",
  persistentvolumes: "kubernetes.io/pv-protection",
  "volumeattributesclasses.storage.k8s.io": "kubernetes.io/vac-protection",
};

/** `resource` as the store names it. */
export function protect(resource: string, object: ApiObject): void {
  const finalizer = finalizerOf[resource];
  if (finalizer === undefined) return;
  const finalizers = object.metadata.finalizers ?? [];
  if (!finalizers.includes(finalizer)) object.metadata.finalizers = [...finalizers, finalizer];
}
