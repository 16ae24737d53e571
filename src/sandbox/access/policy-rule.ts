/**
 * Matches rules of roles with requests and other rules. Source: kubernetes v1.36 pkg/apis/rbac/v1/evaluation_helpers.go; component-helpers
 * v0.36 auth/rbac/validation/policy_comparator.go.
 */
import { goQuotedList } from "../../api/go-text.ts";
import type { Attributes, PolicyRule } from "../context/authorizer.ts";

const none: readonly string[] = [];

/** True for `*` or the value itself. */
const lists = (patterns: readonly string[] = none, value: string): boolean =>
  patterns.includes("*") || patterns.includes(value);

/** `pods/log` is covered by itself, by `*`, and by `log` of every resource: the pattern `*`, a slash, `log`. */
function coversResource(patterns: readonly string[] = none, resource: string): boolean {
  if (lists(patterns, resource)) return true;
  const slash = resource.indexOf("/");
  return slash >= 0 && patterns.includes(`*${resource.slice(slash)}`);
}

const coversPath = (patterns: readonly string[] = none, path: string): boolean =>
  patterns.some(
    (pattern) => pattern === path || (pattern.endsWith("*") && path.startsWith(pattern.replace(/\*+$/, ""))),
  );

const coversName = (names: readonly string[] = none, name: string): boolean =>
  names.length === 0 || names.includes(name);

/** True if the rule allows the request. */
export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!lists(rule.verbs, attributes.verb)) return false;
  if (attributes.is === "path") return coversPath(rule.nonResourceURLs, attributes.path);
  const resource =
    attributes.subresource === "" ? attributes.resource : `${attributes.resource}/${attributes.subresource}`;
  return (
    lists(rule.apiGroups, attributes.group) &&
    coversResource(rule.resources, resource) &&
    coversName(rule.resourceNames, attributes.name)
  );
}

/** A rule with one verb, and one resource in one group with at most one name, or one path. */
interface Permission {
  readonly verb: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string;
  readonly path?: string;
}

function permissionsOf(rule: PolicyRule): Permission[] {
  const { verbs, apiGroups = none, resources = none, resourceNames = none, nonResourceURLs = none } = rule;
  const onResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb): Permission[] =>
        resourceNames.length === 0
          ? [{ verb, group, resource }]
          : resourceNames.map((name) => ({ verb, group, resource, name })),
      ),
    ),
  );
  return [...onResources, ...nonResourceURLs.flatMap((path) => verbs.map((verb) => ({ verb, path })))];
}

function covers(rule: PolicyRule, { verb, group, resource, name, path }: Permission): boolean {
  if (!lists(rule.verbs, verb)) return false;
  if (path !== undefined) return coversPath(rule.nonResourceURLs, path);
  const { resourceNames = none } = rule;
  const named = resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name));
  return lists(rule.apiGroups, group ?? "") && coversResource(rule.resources, resource ?? "") && named;
}

/**
 * What `wanted` grants but `held` does not cover, in the real server's format: rules that differ only in their verbs are merged, sorted by
 * text. Empty if everything is covered.
 */
export function missingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): string[] {
  const missing = wanted.flatMap(permissionsOf).filter((permission) => !held.some((rule) => covers(rule, permission)));
  const texts = new Set<string>();
  const byResource = new Map<string, { readonly permission: Permission; readonly verbs: string[] }>();
  for (const permission of missing) {
    const { verb, group, resource, name, path } = permission;
    if (path !== undefined) {
      texts.add(`{NonResourceURLs:${goQuotedList([path])}, Verbs:${goQuotedList([verb])}}`);
      continue;
    }
    const key = JSON.stringify([group, resource, name]);
    const same = byResource.get(key);
    if (same === undefined) byResource.set(key, { permission, verbs: [verb] });
    else same.verbs.push(verb);
  }
  for (const { permission, verbs } of byResource.values()) {
    const { group = "", resource = "", name } = permission;
    const names = name === undefined ? "" : `ResourceNames:${goQuotedList([name])}, `;
    texts.add(
      `{APIGroups:${goQuotedList([group])}, Resources:${goQuotedList([resource])}, ${names}Verbs:${goQuotedList(verbs)}}`,
    );
  }
  return [...texts].sort();
}
