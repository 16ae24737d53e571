/** Selectors of webhooks and policies. Source: apiserver v0.36 admission/plugin/webhook/predicates/{namespace,object}/matcher.go. */
import { matches, matchesEverything, type Labels, type Selector } from "../../../api/labels.ts";
import type { StatusError } from "../../../api/status-error.ts";
import type { AdmissionAttributes } from "../../context/attributes.ts";
import { notFound } from "../../meta/refusal.ts";

/**
 * True if the namespace selector matches an operation, or why that is unknown. Always true for cluster-scoped objects other than
 * Namespaces.
 */
export function matchesNamespace(selector: Selector, attributes: AdmissionAttributes): boolean | StatusError {
  const { namespace, resource } = attributes;
  if (namespace === "" && resource.resource !== "namespaces") return true;
  if (matchesEverything(selector)) return true;
  const labels = namespaceLabels(attributes);
  return labels === undefined ? notFound({ group: "", name: "namespaces" }, namespace) : matches(selector, labels);
}

/** The new labels if a Namespace is written; undefined if the namespace does not exist. */
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

/** True if the selector matches the new or the old object. */
export function matchesObject(selector: Selector, { object, old, operation }: AdmissionAttributes): boolean {
  if (matchesEverything(selector)) return true;
  // Connect options have no labels to match.
  if (operation === "CONNECT") return false;
  return [object, old].some((each) => each !== undefined && matches(selector, each.metadata.labels));
}
