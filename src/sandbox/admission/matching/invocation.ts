/**
 * Whether a webhook or a policy matches an operation, and at which version. Source: apiserver v0.36
 * admission/plugin/webhook/generic/webhook.go ShouldCallHook.
 */
import type { Selector } from "../../../api/labels.ts";
import type { AdmissionAttributes, GroupVersionKind, GroupVersionResource } from "../../context/attributes.ts";
import type { RequestScope } from "../../context/server.ts";
import type { Resource } from "../../registry/resource.ts";
import { ruleMatches, type Rule } from "./rules.ts";
import { matchesNamespace, matchesObject } from "./selectors.ts";

/** What a webhook or a policy matches. */
export interface MatchCriteria {
  readonly rules: readonly Rule[];
  /** Never matched, whatever the rules say. */
  readonly excluded?: readonly Rule[];
  /** Matches every operation if there are no rules. */
  readonly isOpen?: boolean;
  /** `Equivalent`: also matches requests for the same objects by another group or version than in the rules. */
  readonly matchPolicy: string;
  readonly namespaceSelector: Selector;
  readonly objectSelector: Selector;
}

/** How a matched operation is presented: at the version of the matching rule. */
export interface Invocation {
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
}

/** Undefined if it does not match. @throws StatusError 404 if it would match, but its namespace does not exist. */
export function invocationOf(criteria: MatchCriteria, attributes: AdmissionAttributes): Invocation | undefined {
  const inNamespace = matchesNamespace(criteria.namespaceSelector, attributes);
  if (inNamespace === false || !matchesObject(criteria.objectSelector, attributes)) return undefined;
  const { excluded = [], rules, isOpen = false } = criteria;
  if (excluded.length > 0 && matchOf({ ...criteria, rules: excluded }, attributes) !== undefined) return undefined;
  const { resource, kind } = attributes;
  const found = isOpen && rules.length === 0 ? { resource, kind } : matchOf(criteria, attributes);
  if (found !== undefined && inNamespace !== true) throw inNamespace;
  return found;
}

const matchOf = (criteria: MatchCriteria, attributes: AdmissionAttributes): Invocation | undefined =>
  exactMatch(criteria, attributes) ?? equivalentMatch(criteria, attributes);

function exactMatch({ rules }: MatchCriteria, attributes: AdmissionAttributes): Invocation | undefined {
  const { resource, kind } = attributes;
  return rules.some((rule) => ruleMatches(rule, { attributes, resource })) ? { resource, kind } : undefined;
}

/** Earlier rules take precedence. */
function equivalentMatch(
  { rules, matchPolicy }: MatchCriteria,
  attributes: AdmissionAttributes,
): Invocation | undefined {
  if (matchPolicy !== "Equivalent") return undefined;
  const others = equivalents(attributes.scope);
  for (const rule of others.length === 0 ? [] : rules) {
    for (const { group, version, plural, kind } of others) {
      const resource = { group, version, resource: plural };
      if (!ruleMatches(rule, { attributes, resource })) continue;
      const { scope, kind: requestKind } = attributes;
      // Subresources with separate object kinds have the same kind in all versions.
      return { resource, kind: requestKind.kind === scope.served.kind ? { group, version, kind } : requestKind };
    }
  }
  return undefined;
}

const known = new WeakMap<readonly Resource[], Map<string, readonly Resource[]>>();

/** The other resources that serve the same objects. */
function equivalents({ server, served, resource, subresource }: RequestScope): readonly Resource[] {
  const { resources } = server.registry;
  let byStorage = known.get(resources);
  if (byStorage === undefined) known.set(resources, (byStorage = new Map()));
  let same = byStorage.get(resource.storage);
  if (same === undefined) {
    same = resources.filter(({ storage }) => storage === resource.storage);
    byStorage.set(resource.storage, same);
  }
  return same.filter(
    (other) => other.apiVersion !== served.apiVersion && (subresource === "" || other.subresources.has(subresource)),
  );
}
