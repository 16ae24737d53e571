/** Selectors of webhooks and policies. Source: apiserver v0.36 admission/plugin/webhook/predicates/{namespace,object}/matcher.go. */
import { matches, matchesEverything, type Labels, type Selector } from "../../../api/labels.ts";
import type { StatusError } from "../../../api/status-error.ts";
import type { AdmissionAttributes } from "../../context/attributes.ts";
import { notFound } from "../../meta/refusal.ts";

/** True if the namespace of an operation is selected, or why that cannot be told. Cluster-scoped objects are, but for Namespaces. */
export function matchesNamespace(selector: Selector, attributes: AdmissionAttributes): boolean | StatusError {
  const { namespace, resource } = attributes;
  if (namespace === "" && resource.resource !== "namespaces") return true;
  if (matchesEverything(selector)) return true;
  const labels = namespaceLabels(attributes);
  return labels === undefined ? notFound({ group: "", name: "namespaces" }, namespace) : matches(selector, labels);
}

/** Of a Namespace that is written, its new ones; undefined for a namespace that is not there. */
function namespaceLabels({
  scope,
  resource,
  subresource,
  operation,
  object,
  namespace,
}: AdmissionAttributes): Labels | undefined {
  const isWrite = operation === "CREATE" || operation === "UPDATE";
  if (resource.resource === "namespaces" && subresource === "" && isWrite) return object?.metadata.labels ?? {};
  const stored = scope.server.store.collection("namespaces", false).get("", namespace);
  return stored === undefined ? undefined : (stored.object.metadata.labels ?? {});
}

/** True if the new object is selected, or the old one. */
export function matchesObject(selector: Selector, { object, old, operation }: AdmissionAttributes): boolean {
  if (matchesEverything(selector)) return true;
  // The options of a connection have no labels that could be there or not.
  if (operation === "CONNECT") return false;
  return [object, old].some((each) => each !== undefined && matches(selector, each.metadata.labels));
}
