/**
 * The policies in force: those with a binding. Source: apiserver v0.36 admission/plugin/policy/generic/policy_source.go; differs: a policy
 * takes effect as soon as it is stored, and policies and bindings are ordered by name.
 */
import type { RequestScope } from "../../context/server.ts";
import { derived } from "../../meta/derived.ts";
import { isFields, textOf, type ApiObject, type Fields } from "../../meta/object.ts";
import type { Entry } from "../../storage/entry.ts";
import { criteriaOf } from "../matching/criteria.ts";
import type { MatchCriteria } from "../matching/invocation.ts";

/** Policies that mutate objects, or that validate them. */
export type PolicyType = "mutating" | "validating";

/** A policy or a binding, with its match criteria. */
export interface Matching {
  readonly object: ApiObject;
  readonly spec: Fields;
  readonly name: string;
  /** Undefined: everything that the policy matches. */
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

/** Policies do not apply to policies or bindings, nor to reviews: mistakes could not be repaired. */
function isExempt({ served: { group: own, plural } }: RequestScope): boolean {
  return reviews.has(own) || (own === group && plural.includes("admissionpolic"));
}

/** True if a policy of the type with a binding may match the request. */
export function hasPolicies(scope: RequestScope, type: PolicyType): boolean {
  if (!scope.server.admission.has(plugins[type])) return false;
  return collection(scope, `${type}admissionpolicybindings`).size > 0 && !isExempt(scope);
}

/** All policies of the type, with their bindings. */
export function policiesOf(scope: RequestScope, type: PolicyType): PolicyHook[] {
  const bindings = new Map<string, Matching[]>();
  for (const entry of collection(scope, `${type}admissionpolicybindings`).range({})) {
    const binding = bindingOf(entry);
    const policy = textOf(binding.spec["policyName"]);
    bindings.set(policy, [...(bindings.get(policy) ?? []), binding]);
  }
  const policies = collection(scope, `${type}admissionpolicies`);
  return [...bindings].flatMap(([name, bound]) => {
    const entry = policies.get("", name);
    return entry === undefined ? [] : [{ policy: policyOf(entry), bindings: bound }];
  });
}

const policyOf = derived((entry: Entry) => matchingOf(entry, "matchConstraints"));
const bindingOf = derived((entry: Entry) => matchingOf(entry, "matchResources"));

function matchingOf({ object }: Entry, key: "matchConstraints" | "matchResources"): Matching {
  const spec = object.spec ?? {};
  const resources = spec[key];
  const criteria = isFields(resources) ? { ...criteriaOf(resources), isOpen: true } : undefined;
  return { object, spec, name: object.metadata.name ?? "", criteria };
}
