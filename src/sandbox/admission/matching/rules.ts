/**
 * Rules of webhooks and policies: which operations on which resources they match. Source: apiserver v0.36
 * admission/plugin/webhook/predicates/rules.
 */
import type { AdmissionAttributes, GroupVersionResource } from "../../context/attributes.ts";

/** One rule; `*` matches everything. */
export interface Rule {
  readonly operations: readonly string[];
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  /** `pods`, `pods/status`, `pods/*`. */
  readonly resources: readonly string[];
  /** `*`, `Cluster` or `Namespaced`. */
  readonly scope: string;
  /** Names of objects; undefined or empty: any name. */
  readonly resourceNames?: readonly string[];
}

const covers = (items: readonly string[], value: string): boolean => items.includes("*") || items.includes(value);

/** A request, and the resource that it is matched as. */
export interface MatchedRequest {
  readonly attributes: AdmissionAttributes;
  readonly resource: GroupVersionResource;
}

/** True if the rule matches an operation; `resource` is the requested one, or an equivalent. */
export function ruleMatches(rule: Rule, { attributes, resource }: MatchedRequest): boolean {
  return (
    inScope(rule, { namespace: attributes.namespace, resource }) &&
    covers(rule.operations, attributes.operation) &&
    covers(rule.apiGroups, resource.group) &&
    covers(rule.apiVersions, resource.version) &&
    rule.resources.some((each) =>
      coversResource(each, { plural: resource.resource, subresource: attributes.subresource }),
    ) &&
    coversName(rule, attributes)
  );
}

function coversResource(
  item: string,
  { plural, subresource }: { readonly plural: string; readonly subresource: string },
): boolean {
  const slash = item.indexOf("/");
  const [of, sub] = slash < 0 ? [item, ""] : [item.slice(0, slash), item.slice(slash + 1)];
  return (of === "*" || of === plural) && (sub === "*" || sub === subresource);
}

function coversName({ resourceNames = [] }: Rule, { name }: AdmissionAttributes): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name);
}

/** Namespaces are cluster-scoped, though requests for them have a namespace. */
function inScope(
  { scope }: Rule,
  { namespace, resource }: { readonly namespace: string; readonly resource: GroupVersionResource },
): boolean {
  const isNamespaced = namespace !== "" && !(resource.group === "" && resource.resource === "namespaces");
  if (scope === "Namespaced") return isNamespaced;
  return scope === "Cluster" ? !isNamespaced : true;
}
