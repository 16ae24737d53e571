/**
 * The rules that an aggregated ClusterRole should have. Source: kubernetes v1.36
 * pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go syncClusterRole.
 */
import { deepEqual } from "../../api/deep-equal.ts";
import { matches, selectorOf } from "../../api/labels.ts";
import type { ClusterRole } from "../../api/types.ts";

/** A rule of a ClusterRole. */
export type PolicyRule = NonNullable<ClusterRole["rules"]>[number];

/** What was gathered, and from which ClusterRoles. */
export interface Aggregated {
  readonly rules: readonly PolicyRule[];
  /** The names of the selected ClusterRoles, in the order of their rules; each once. */
  readonly from: readonly string[];
}

/**
 * The rules of the ClusterRoles that the selectors match: selector by selector, sorted by name within each. Equal rules appear once; the
 * role itself is never included.
 * @throws RangeError for an invalid selector.
 */
export function aggregated(role: ClusterRole, all: readonly ClusterRole[]): Aggregated {
  const rules: PolicyRule[] = [];
  const from = new Set<string>();
  const others = all
    .filter(({ metadata }) => metadata.name !== role.metadata.name)
    .toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const wanted = selectorOf(selector);
    for (const { metadata, rules: theirs } of others) {
      if (!matches(wanted, metadata.labels)) continue;
      from.add(metadata.name);
      for (const rule of theirs ?? []) if (!rules.some((one) => isSameRule(one, rule))) rules.push(rule);
    }
  }
  return { rules, from: [...from] };
}

/** Whether a role has these rules, in this order. */
export function hasRules({ rules }: ClusterRole, wanted: readonly PolicyRule[]): boolean {
  // The server has null for none.
  const has = rules ?? [];
  return has.length === wanted.length && has.every((rule, n) => isSameRule(rule, wanted[n]));
}

function isSameRule(one: PolicyRule, other: PolicyRule | undefined): boolean {
  return other !== undefined && deepEqual(withoutEmpty(one), withoutEmpty(other));
}

/** A rule as it is applied: an empty list is omitted. */
export function withoutEmpty(rule: PolicyRule): PolicyRule {
  const { resources = [], resourceNames = [], apiGroups = [], nonResourceURLs = [], verbs } = rule;
  return {
    verbs,
    ...(resources.length > 0 && { resources }),
    ...(resourceNames.length > 0 && { resourceNames }),
    ...(apiGroups.length > 0 && { apiGroups }),
    ...(nonResourceURLs.length > 0 && { nonResourceURLs }),
  };
}
