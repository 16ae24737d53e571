/**
 * The policies that are in force: those with a binding. Source: apiserver v0.36 admission/plugin/policy/generic/policy_source.go;
 * differs: a policy is in force as soon as it is stored, and policies and bindings are taken in the order of their names.
 */
import { selectorOf, type Selector } from "../../../api/labels.ts";
import type { RequestScope } from "../../context/server.ts";
import { fieldsIn, isFields, textOf, type ApiObject, type Fields } from "../../meta/object.ts";
import type { Entry } from "../../storage/entry.ts";
import { textsIn } from "../../validation/checks.ts";
import type { MatchCriteria } from "../matching/invocation.ts";
import type { Rule } from "../matching/rules.ts";

/** Policies that change objects, or those that judge them. */
export type PolicyType = "mutating" | "validating";

/** A policy, or a binding of one, with what it is about. */
export interface Matching {
  readonly object: ApiObject;
  readonly spec: Fields;
  readonly name: string;
  /** Undefined: everything that the policy is about. */
  readonly criteria: MatchCriteria | undefined;
}

/** A policy with its bindings. */
export interface PolicyHook {
  readonly policy: Matching;
  readonly bindings: readonly Matching[];
}

const group = "admissionregistration.k8s.io";
const plugins = { mutating: "MutatingAdmissionPolicy", validating: "ValidatingAdmissionPolicy" } as const;

const collection = ({ server }: RequestScope, plural: string): RequestScope["collection"] =>
  server.store.collection(`${plural}.${group}`, false);

const reviews = new Set(["authentication.k8s.io", "authorization.k8s.io"]);

/** Policies are not asked about themselves, nor about reviews: it could not be mended. */
function isExempt({ served: { group: own, plural } }: RequestScope): boolean {
  return reviews.has(own) || (own === group && plural.includes("admissionpolic"));
}

/** True if there are bindings of policies of the type that may be about the request. */
export function hasPolicies(scope: RequestScope, type: PolicyType): boolean {
  if (!scope.server.admission.has(plugins[type])) return false;
  return collection(scope, `${type}admissionpolicybindings`).size > 0 && !isExempt(scope);
}

/** All policies of the type with their bindings. */
export function policiesOf(scope: RequestScope, type: PolicyType): PolicyHook[] {
  const bindings = new Map<string, Matching[]>();
  for (const entry of collection(scope, `${type}admissionpolicybindings`).range({})) {
    const binding = matchingOf(entry, "matchResources");
    const policy = textOf(binding.spec["policyName"]);
    bindings.set(policy, [...(bindings.get(policy) ?? []), binding]);
  }
  const policies = collection(scope, `${type}admissionpolicies`);
  return [...bindings].flatMap(([name, bound]) => {
    const entry = policies.get("", name);
    return entry === undefined ? [] : [{ policy: matchingOf(entry, "matchConstraints"), bindings: bound }];
  });
}

const known = new WeakMap<Entry, Matching>();

function matchingOf(entry: Entry, key: "matchConstraints" | "matchResources"): Matching {
  let matching = known.get(entry);
  if (matching === undefined) {
    const { object } = entry;
    const spec = object.spec ?? {};
    const resources = spec[key];
    const criteria = isFields(resources) ? criteriaOf(resources) : undefined;
    known.set(entry, (matching = { object, spec, name: object.metadata.name ?? "", criteria }));
  }
  return matching;
}

function criteriaOf(resources: Fields): MatchCriteria {
  return {
    rules: fieldsIn(resources["resourceRules"]).map(ruleOf),
    excluded: fieldsIn(resources["excludeResourceRules"]).map(ruleOf),
    isOpen: true,
    matchPolicy: textOf(resources["matchPolicy"]),
    namespaceSelector: selector(resources["namespaceSelector"]),
    objectSelector: selector(resources["objectSelector"]),
  };
}

/** It has been validated. */
const selector = (value: unknown): Selector => selectorOf(isFields(value) ? value : {});

const ruleOf = (rule: Fields): Rule => ({
  operations: textsIn(rule["operations"]),
  apiGroups: textsIn(rule["apiGroups"]),
  apiVersions: textsIn(rule["apiVersions"]),
  resources: textsIn(rule["resources"]),
  scope: textOf(rule["scope"]),
  resourceNames: textsIn(rule["resourceNames"]),
});
