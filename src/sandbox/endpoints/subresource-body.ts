/** The body of a subresource with a separate kind. Source: apiserver v0.36 endpoints/handlers/create.go. */
import { isFields, type ApiObject } from "../meta/object.ts";
import { badRequest } from "../meta/refusal.ts";
import type { RequestScope } from "../context/server.ts";
import { bodyJson, objectOf } from "./body.ts";

interface Expected {
  readonly kind: string;
  readonly apiVersion: string;
  /** Versions that are accepted as equivalent. */
  readonly alsoVersions?: readonly string[];
}

/** @throws StatusError 400 for another kind or version, a wrong type or another namespace; 415. */
export function subresourceBody(scope: RequestScope, { kind, apiVersion, alsoVersions = [] }: Expected): ApiObject {
  const sent = bodyJson(scope, kind);
  const own = isFields(sent) ? sent["apiVersion"] : undefined;
  const json = isFields(sent) && alsoVersions.includes(String(own)) ? { ...sent, apiVersion } : sent;
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const served = { ...scope.served, group: group ?? "", version: version ?? "" };
  const struct = scope.server.registry.schema.kind(apiVersion, kind);
  const object = objectOf({ ...scope, served }, json, kind, apiVersion, struct);
  const { namespace } = object.metadata;
  if (namespace !== undefined && namespace !== "" && namespace !== scope.namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (scope.namespace !== "") object.metadata.namespace = scope.namespace;
  return object;
}
