/** `pods/binding`: a scheduler's decision. Source: kubernetes v1.36 pkg/registry/core/pod/storage/storage.go BindingREST. */
import { formatTime } from "../../api/time.ts";
import { at, fieldsIn, isFields, textOf, type ApiObject } from "../meta/object.ts";
import type { Steps } from "../meta/steps.ts";
import { badRequest, conflict, notFound, refusal } from "../meta/refusal.ts";
import { collectionOf, type RequestScope } from "../context/server.ts";
import { hasAdmissionHooks, requestAdmission } from "../admission/admit.ts";
import { manageCreate } from "../managedfields/managed-fields.ts";
import { topologyLabels } from "../admission/topology-labels.ts";
import { subresourceBody } from "./subresource-body.ts";
import { storageKey } from "./update.ts";

/** A Status that reports success. */
export const done = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 } as const;

interface Bound {
  readonly status: number;
  readonly value: object;
}

/** @throws StatusError 400, 404, 409, 500. */
export function* bind(scope: RequestScope): Steps<Bound> {
  const binding = bindingOf(scope);
  if (binding.metadata.name !== scope.name) throw badRequest("name in URL does not match name in Binding object");
  yield* requestAdmission({ scope, object: binding });
  return assign(scope, binding);
}

/** A POST to the collection of Bindings, which stores none: binds the pod that the Binding names. @throws StatusError */
export function* bindByName(scope: RequestScope): Steps<Bound> {
  const binding = bindingOf(scope);
  // Its uid would be that of the Binding, which has none.
  delete binding.metadata.uid;
  const { name = "" } = binding.metadata;
  if (name === "") throw badRequest("Name parameter required.");
  yield* requestAdmission({ scope, object: binding });
  const resource = scope.server.registry.find("v1", "pods") ?? scope.resource;
  return assign({ ...scope, resource, name, collection: collectionOf(scope.server, resource) }, binding);
}

function bindingOf(scope: RequestScope): ApiObject {
  const binding = subresourceBody(scope, { kind: "Binding", apiVersion: "v1" });
  // Only webhooks and policies see these.
  if (hasAdmissionHooks(scope)) {
    const bindings = scope.server.registry.find("v1", "bindings") ?? scope.served;
    manageCreate({ scope: { ...scope, served: bindings }, object: binding, sent: binding.metadata.managedFields });
  }
  return binding;
}

function assign(scope: RequestScope, binding: ApiObject): Bound {
  const node = targetOf(binding);
  const entry = scope.collection.get(scope.namespace, scope.name);
  if (entry === undefined) throw notFound(scope.resource.asResource, scope.name);
  const { object } = entry;
  const refused = (why: string): Error => conflict({ group: "", name: "pods/binding" }, scope.name, why);
  checkKnown(scope, binding, object);
  if (object.metadata.deletionTimestamp !== undefined) {
    throw refused(`pod ${scope.name} is being deleted, cannot be assigned to a host`);
  }
  const assigned = object.spec?.["nodeName"];
  if (typeof assigned === "string" && assigned !== "")
    throw refused(`pod ${scope.name} is already assigned to node "${assigned}"`);
  if (fieldsIn(object.spec?.["schedulingGates"]).length > 0) {
    throw refused(`pod ${scope.name} has non-empty .spec.schedulingGates`);
  }
  if (!scope.dryRun) scope.server.store.put(scope.collection, bound(scope, object, node, binding));
  return { status: 201, value: done };
}

/** Preconditions of the client on the pod. @throws StatusError 409. */
function checkKnown(scope: RequestScope, { metadata }: ApiObject, pod: ApiObject): void {
  const pairs = [
    ["UID", metadata.uid, pod.metadata.uid],
    ["ResourceVersion", metadata.resourceVersion, pod.metadata.resourceVersion],
  ] as const;
  for (const [what, expected, is] of pairs) {
    if (expected === undefined || expected === "" || expected === is) continue;
    throw conflict(
      scope.resource.asResource,
      scope.name,
      `StorageError: invalid object, Code: 4, Key: ${storageKey(scope)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${what} in precondition: ${expected}, ${what} in object meta: ${is}`,
    );
  }
}

/** The target node. @throws StatusError 500, as the real server does. */
function targetOf(binding: ApiObject): string {
  const [kind, name] = [textOf(at(binding, "target", "kind")), textOf(at(binding, "target", "name"))];
  const problems: string[] = [];
  if (kind !== "" && kind !== "Node")
    problems.push(`target.kind: Unsupported value: "${kind}": supported values: "Node", "<empty>"`);
  if (name === "") problems.push("target.name: Required value");
  if (problems.length === 0) return name;
  throw refusal(500, "", problems.length === 1 ? (problems[0] ?? "") : `[${problems.join(", ")}]`);
}

function bound(scope: RequestScope, pod: ApiObject, node: string, binding: ApiObject): ApiObject {
  const metadata = { ...pod.metadata };
  for (const key of ["annotations", "labels"] as const) {
    const added = at(binding, "metadata", key);
    if (isFields(added) && Object.keys(added).length > 0)
      metadata[key] = { ...metadata[key], ...(added as Record<string, string>) };
  }
  const copied = at(binding, "target", "kind") === "Node" ? topologyLabels(scope.server, node) : {};
  if (Object.keys(copied).length > 0) metadata.labels = { ...metadata.labels, ...copied };
  const time = formatTime(scope.server.timeline.now());
  const conditions = fieldsIn(pod.status?.["conditions"]);
  const index = conditions.findIndex(({ type }) => type === "PodScheduled");
  const scheduled = { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: time };
  const { nominatedNodeName: _nominated, ...status } = pod.status ?? {};
  return {
    ...pod,
    metadata,
    spec: { ...pod.spec, nodeName: node },
    status: { ...status, conditions: index < 0 ? [...conditions, scheduled] : conditions.with(index, scheduled) },
  };
}
