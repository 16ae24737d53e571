/**
 * Builds the AdmissionRequest of an operation. Source: k8s.io/api v0.36 admission/v1; apiserver v0.36 admission/plugin/cel/condition.go
 * CreateAdmissionRequest.
 */
import type { AdmissionAttributes } from "../../context/attributes.ts";
import type { AdmissionRequest } from "../../meta/admission-request.ts";
import type { ApiObject, Fields } from "../../meta/object.ts";
import type { Invocation } from "./invocation.ts";

/** The request for an operation, as it matched. */
export function requestOf(attributes: AdmissionAttributes, invocation: Invocation): AdmissionRequest {
  const { kind, resource, subresource, name, namespace, operation, options, dryRun, scope } = attributes;
  return {
    kind: invocation.kind,
    resource: invocation.resource,
    ...(subresource === "" ? {} : { subResource: subresource }),
    requestKind: kind,
    requestResource: resource,
    ...(subresource === "" ? {} : { requestSubResource: subresource }),
    ...(name === "" ? {} : { name }),
    ...(namespace === "" ? {} : { namespace }),
    operation,
    userInfo: userInfoOf(scope.user),
    dryRun,
    options: options ?? null,
  };
}

/** An object as webhooks and expressions see it: connect options have no metadata. */
export function shownObject({ operation }: AdmissionAttributes, object: ApiObject | undefined): Fields | null {
  if (object === undefined || operation !== "CONNECT") return object ?? null;
  const { metadata: _none, ...options } = object;
  return options;
}

function userInfoOf({ name, uid = "", groups, extra = {} }: AdmissionAttributes["scope"]["user"]): Fields {
  return {
    ...(name === "" ? {} : { username: name }),
    ...(uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
