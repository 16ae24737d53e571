/** The variables that the expressions of a policy see. Source: apiserver v0.36 admission/plugin/cel/condition.go, activation.go. */
import type { ExpressionInput, Json } from "../../cel/admission/input.ts";
import type { AdmissionAttributes } from "../../context/attributes.ts";
import type { ApiObject, Fields } from "../../meta/object.ts";
import { notFound } from "../../meta/refusal.ts";
import type { Invocation } from "../matching/invocation.ts";
import { requestOf, shownObject } from "../matching/request.ts";
import type { VersionedObjects } from "../matching/versions.ts";

/** An operation with its objects at the matched version. */
export interface Seen extends VersionedObjects {
  readonly attributes: AdmissionAttributes;
  readonly invocation: Invocation;
  /** As expressions see it; null for cluster-scoped objects. */
  readonly namespaceObject: Json | null;
}

/** The variables for validations, messages, annotations and mutations. */
export function inputOf(seen: Seen, params: ApiObject | null): ExpressionInput {
  const { attributes, invocation, object, old = null, namespaceObject } = seen;
  const { user, server } = attributes.scope;
  return {
    object: shownObject(attributes, object),
    oldObject: old,
    request: requestOf(attributes, invocation),
    params,
    namespaceObject,
    authorizer: { user, decider: server.authorizer },
  };
}

/** The variables for match conditions: they see the resource as requested, and no namespace. */
export function conditionInputOf(seen: Seen, params: ApiObject | null): ExpressionInput {
  const { attributes, invocation } = seen;
  const requested: Invocation = { kind: invocation.kind, resource: attributes.resource };
  return { ...inputOf({ ...seen, invocation: requested }, params), namespaceObject: null };
}

const shownMetadata = [
  "name",
  "generateName",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "finalizers",
] as const;

/** The namespace of an operation; null for cluster-scoped objects, including Namespaces. @throws StatusError 404 */
export function namespaceObjectOf({ scope, kind, namespace }: AdmissionAttributes): Json | null {
  const isNamespace = kind.kind === "Namespace" && kind.version === "v1" && kind.group === "";
  if (isNamespace || namespace === "") return null;
  const entry = scope.server.store.collection("namespaces", false).get("", namespace);
  if (entry === undefined) throw notFound({ group: "", name: "namespaces" }, namespace);
  const { metadata, spec = {}, status = {} } = entry.object;
  const shown: Fields = {};
  for (const key of shownMetadata) if (metadata[key] !== undefined) shown[key] = metadata[key];
  return { metadata: shown, spec, status };
}
