/** The newest default class: of StorageClasses and of IngressClasses. Source: kubernetes v1.36 plugin/pkg/admission/storage/storageclass/setdefault, network/defaultingressclass. */
import type { RequestScope } from "../context/server.ts";
import { child, type ApiObject } from "../meta/object.ts";

/** Of several, the newest; of those of one second, the first by name. */
function newestDefault({ server }: RequestScope, { storage, annotation }: Classes): ApiObject | undefined {
  let newest: ApiObject | undefined;
  for (const { object } of server.store.collection(storage, false).range({})) {
    if (object.metadata.annotations?.[annotation] !== "true") continue;
    const [time, best] = [object.metadata.creationTimestamp ?? "", newest?.metadata.creationTimestamp ?? ""];
    if (newest === undefined || time > best) newest = object;
  }
  return newest;
}

interface Classes {
  readonly storage: string;
  /** What marks a class as the default one. */
  readonly annotation: string;
}

const storageClasses: Classes = {
  storage: "storageclasses.storage.k8s.io",
  annotation: "storageclass.kubernetes.io/is-default-class",
};
const ingressClasses: Classes = {
  storage: "ingressclasses.networking.k8s.io",
  annotation: "ingressclass.kubernetes.io/is-default-class",
};

/** DefaultStorageClass: a claim without a class gets the default one. */
export function admitStorageClass(scope: RequestScope, claim: ApiObject): void {
  const spec = child(claim, "spec");
  if (spec["storageClassName"] !== undefined) return;
  const found = newestDefault(scope, storageClasses);
  if (found !== undefined) spec["storageClassName"] = found.metadata.name;
}

/** DefaultIngressClass: an Ingress without a class, or the annotation that was one, gets the default one. */
export function admitIngressClass(scope: RequestScope, ingress: ApiObject): void {
  const spec = child(ingress, "spec");
  const hasClass = ingress.metadata.annotations?.["kubernetes.io/ingress.class"] !== undefined;
  if (hasClass || spec["ingressClassName"] !== undefined) return;
  const found = newestDefault(scope, ingressClasses);
  if (found !== undefined) spec["ingressClassName"] = found.metadata.name;
}
