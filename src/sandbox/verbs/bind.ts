/** `pods/binding`: a scheduler's decision. Source: kubernetes v1.36 pkg/registry/core/pod/storage/storage.go BindingREST. */
import { formatTime } from "../../api/time.ts";
import { at, fieldsIn, isFields, type ApiObject, type Fields } from "../object.ts";
import { badRequest, conflict, notFound, refusal } from "../refusal.ts";
import type { Call } from "../server.ts";
import { bodyJson } from "./body.ts";
import { storageKey } from "./update.ts";

/** A Status that says that it was done. */
export const done = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 } as const;

/** @throws StatusError 400, 404, 409. */
export function bind(call: Call): { status: number; value: object } {
  const binding = bodyJson(call, "Binding");
  const name = at(binding, "metadata", "name");
  if (name !== call.name) throw badRequest("name in URL does not match name in Binding object");
  const node = targetOf(binding);
  const entry = call.collection.get(call.namespace, call.name);
  if (entry === undefined) throw notFound(call.resource.asResource, call.name);
  const { object } = entry;
  const refused = (why: string): Error => conflict({ group: "", name: "pods/binding" }, call.name, why);
  const uid = at(binding, "metadata", "uid");
  if (typeof uid === "string" && uid !== "" && uid !== object.metadata.uid) {
    throw conflict(
      call.resource.asResource,
      call.name,
      `StorageError: invalid object, Code: 4, Key: ${storageKey(call)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${object.metadata.uid}`,
    );
  }
  if (object.metadata.deletionTimestamp !== undefined) {
    throw refused(`pod ${call.name} is being deleted, cannot be assigned to a host`);
  }
  const assigned = object.spec?.["nodeName"];
  if (typeof assigned === "string" && assigned !== "")
    throw refused(`pod ${call.name} is already assigned to node "${assigned}"`);
  if (fieldsIn(object.spec?.["schedulingGates"]).length > 0) {
    throw refused(`pod ${call.name} has non-empty .spec.schedulingGates`);
  }
  if (!call.dryRun) call.server.store.put(call.collection, bound(call, object, node, binding as Fields));
  return { status: 201, value: done };
}

function targetOf(binding: unknown): string {
  const [kind, name] = [at(binding, "target", "kind"), at(binding, "target", "name")];
  if (typeof kind === "string" && kind !== "" && kind !== "Node") {
    throw refusal(500, "", `target.kind: Unsupported value: "${kind}": supported values: "Node", "<empty>"`);
  }
  if (typeof name === "string" && name !== "") return name;
  throw refusal(500, "", "target.name: Required value");
}

function bound(call: Call, pod: ApiObject, node: string, binding: Fields): ApiObject {
  const metadata = { ...pod.metadata };
  for (const key of ["annotations", "labels"] as const) {
    const added = at(binding, "metadata", key);
    if (isFields(added) && Object.keys(added).length > 0)
      metadata[key] = { ...metadata[key], ...(added as Record<string, string>) };
  }
  const time = formatTime(call.server.timeline.now());
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
