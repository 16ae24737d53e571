/**
 * PersistentVolumeClaimResize: which claims may request more storage. Source: kubernetes v1.36
 * plugin/pkg/admission/storage/persistentvolume/resize.
 */
import { compareQuantities, parseQuantity } from "../../api/quantity.ts";
import { at, textOf, type ApiObject } from "../meta/object.ts";
import { forbidden } from "../meta/refusal.ts";
import type { RequestScope } from "../context/server.ts";
import type { UpdateAttributes } from "../context/attributes.ts";

/** @throws StatusError 403 for a claim that grows but may not. */
export function admitResize({ scope, object: claim, old }: UpdateAttributes): void {
  if (scope.subresource !== "") return;
  const [size, had] = [claim, old].map(({ spec }) =>
    parseQuantity(textOf(at(spec, "resources", "requests", "storage"))),
  );
  if (size === undefined || (had !== undefined && compareQuantities(size, had) <= 0)) return;
  if (old.status?.["phase"] !== "Bound")
    throw forbidden(scope.resource.asResource, scope.name, "Only bound persistent volume claims can be expanded");
  if (growsBy(scope, claim) && classOf(claim) === classOf(old)) return;
  const why =
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
  throw forbidden(scope.resource.asResource, scope.name, why);
}

const classOf = ({ metadata, spec }: ApiObject): string =>
  metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? textOf(spec?.["storageClassName"]);

function growsBy({ server }: RequestScope, claim: ApiObject): boolean {
  const storageClass = server.store.collection("storageclasses.storage.k8s.io", false).get("", classOf(claim));
  return storageClass?.object["allowVolumeExpansion"] === true;
}
