/** The default StorageClass of a new embedded cluster. */
import type { CreateInput } from "../../api/object.ts";
import type { StorageClass } from "../../api/types.ts";

/** `standard`, as in kind and minikube: a volume is created once a pod that uses the claim has a node, and deleted with the claim. */
export const standardClass: CreateInput<StorageClass> = {
  metadata: {
    name: "standard",
    annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
  },
  provisioner: "volumes.sandbox.kubectl-reconcile.io",
  reclaimPolicy: "Delete",
  volumeBindingMode: "WaitForFirstConsumer",
};
