/** What webhooks and policies see of an operation. Source: apiserver v0.36 endpoints/handlers/{create,update,delete}.go. */
import type {
  AdmissionAttributes,
  Attributes,
  DeleteAttributes,
  GroupVersionKind,
  GroupVersionResource,
} from "../context/attributes.ts";
import type { RequestScope } from "../context/server.ts";
import type { ApiObject, Fields } from "../meta/object.ts";
import { param } from "../options/list-options.ts";

/** The attributes of a create or an update. */
export function writeAttributes({ scope, object, old }: Attributes): AdmissionAttributes {
  const isCreate = old === undefined;
  const name = scope.name === "" ? (object.metadata.name ?? "") : scope.name;
  return {
    ...placeOf(scope, name),
    operation: isCreate ? "CREATE" : "UPDATE",
    object,
    old,
    kind: kindOf(scope, object),
    options: optionsOf(scope, isCreate ? "CreateOptions" : "UpdateOptions"),
    dryRun: scope.dryRun,
  };
}

/** The attributes of a deletion. */
export function deleteAttributes({ scope, old, name, options, dryRun }: DeleteAttributes): AdmissionAttributes {
  const operation = "DELETE";
  return { ...placeOf(scope, name), operation, object: undefined, old, kind: kindOf(scope, old), options, dryRun };
}

/** The attributes of a connection; its options are the object. */
export function connectAttributes(scope: RequestScope, object: ApiObject): AdmissionAttributes {
  const kind = { ...groupVersionOf(object.apiVersion), kind: object.kind };
  const place = placeOf(scope, scope.name);
  return { ...place, operation: "CONNECT", object, old: undefined, kind, options: undefined, dryRun: false };
}

type Place = Pick<AdmissionAttributes, "scope" | "resource" | "subresource" | "name" | "namespace">;

function placeOf(scope: RequestScope, name: string): Place {
  const { served, subresource } = scope;
  const resource: GroupVersionResource = { group: served.group, version: served.version, resource: served.plural };
  const namespace = served.group === "" && served.plural === "namespaces" ? name : scope.namespace;
  return { scope, resource, subresource, name, namespace };
}

/** The kind of the request; a subresource's objects may have another kind. */
function kindOf({ served, resource }: RequestScope, object: ApiObject): GroupVersionKind {
  if (object.kind === resource.kind) return { group: served.group, version: served.version, kind: served.kind };
  return { ...groupVersionOf(object.apiVersion), kind: object.kind };
}

/** Splits `apps/v1` or `v1`. */
export function groupVersionOf(apiVersion: string): Pick<GroupVersionKind, "group" | "version"> {
  const slash = apiVersion.indexOf("/");
  return { group: slash < 0 ? "" : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** The options in the query, as an options object of that kind. */
function optionsOf({ query, dryRun }: RequestScope, kind: string): Fields {
  const options: Fields = { kind, apiVersion: "meta.k8s.io/v1" };
  if (dryRun) options["dryRun"] = ["All"];
  for (const key of ["fieldManager", "fieldValidation"]) {
    const value = param(query, key) ?? "";
    if (value !== "") options[key] = value;
  }
  return options;
}
