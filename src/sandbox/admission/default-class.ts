/**
 * The newest default StorageClass and IngressClass. Source: kubernetes v1.36 plugin/pkg/admission/storage/storageclass/setdefault,
 * network/defaultingressclass.
 */
import { defaultStorageClassMarks, newestDefault } from "../../api/default-class.ts";
import type { RequestScope } from "../context/server.ts";
import { child, type ApiObject } from "../meta/object.ts";

function defaultOf({ server }: RequestScope, { storage, marks }: Classes): ApiObject | undefined {
  const stored = server.store.collection(storage, false).range({});
  return newestDefault(
    [...stored].map(({ object }) => object),
    marks,
  );
}

interface Classes {
  readonly storage: string;
  /** Annotations that mark a class as the default one. */
  readonly marks: readonly string[];
}

const storageClasses: Classes = {
  storage: "storageclasses.storage.k8s.io",
  marks: defaultStorageClassMarks,
};
const ingressClasses: Classes = {
  storage: "ingressclasses.networking.k8s.io",
  marks: ["ingressclass.kubernetes.io/is-default-class"],
};

/** DefaultStorageClass: a claim without a class gets the default one. */
export function admitStorageClass(scope: RequestScope, claim: ApiObject): void {
  const spec = child(claim, "spec");
  if (spec["storageClassName"] !== undefined) return;
  const found = defaultOf(scope, storageClasses);
  if (found !== undefined) spec["storageClassName"] = found.metadata.name;
}

/** DefaultIngressClass: an Ingress with neither a class nor the older annotation gets the default one. */
export function admitIngressClass(scope: RequestScope, ingress: ApiObject): void {
  const spec = child(ingress, "spec");
  const hasClass = ingress.metadata.annotations?.["kubernetes.io/ingress.class"] !== undefined;
  if (hasClass || spec["ingressClassName"] !== undefined) return;
  const found = defaultOf(scope, ingressClasses);
  if (found !== undefined) spec["ingressClassName"] = found.metadata.name;
}
