/** Steps of cases about admission policies: each case has policies of its own, which are about its namespace alone. */
import { pass, post, settle, type Step } from "../case.ts";

type Json = Record<string, unknown>;

const group = "/apis/admissionregistration.k8s.io/v1";
export const validatingPolicies: string = `${group}/validatingadmissionpolicies`;
export const validatingBindings: string = `${group}/validatingadmissionpolicybindings`;
export const mutatingPolicies: string = `${group}/mutatingadmissionpolicies`;
export const mutatingBindings: string = `${group}/mutatingadmissionpolicybindings`;

/** A rule about ConfigMaps, unless it says otherwise. */
export const rule = (more: Json = {}): Json => ({
  operations: ["CREATE", "UPDATE"],
  apiGroups: [""],
  apiVersions: ["v1"],
  resources: ["configmaps"],
  ...more,
});

export const here: Json = { matchLabels: { "kubernetes.io/metadata.name": "{ns}" } };

/** What a policy is about: ConfigMaps of the case's namespace, unless it says otherwise. */
export const constraints = (more: Json = {}): Json => ({ namespaceSelector: here, resourceRules: [rule()], ...more });

/** A policy; `n` tells several of a case apart. */
export const policy = (spec: Json, n = ""): Json => ({
  metadata: { name: `{ns}-p${n}` },
  spec: { matchConstraints: constraints(), ...spec },
});

/** A binding of a policy. */
export const binding = (spec: Json = {}, n = ""): Json => ({
  metadata: { name: `{ns}-b${n}` },
  spec: { policyName: `{ns}-p${n}`, ...spec },
});

/** The real server looks at policies once a second. */
export const untilInForce: readonly Step[] = [settle, pass, pass];

/** A policy that validates and its binding, in force. */
export const validating = (spec: Json, bound: Json = {}): Step[] => [
  post(validatingPolicies, policy(spec)),
  post(validatingBindings, binding({ validationActions: ["Deny"], ...bound })),
  ...untilInForce,
];

/** A policy that mutates and its binding, in force. */
export const mutating = (spec: Json, bound: Json = {}): Step[] => [
  post(mutatingPolicies, policy({ reinvocationPolicy: "Never", ...spec })),
  post(mutatingBindings, binding(bound)),
  ...untilInForce,
];

/** Mutations by apply configurations. */
export const applying = (...expressions: readonly string[]): Json => ({
  mutations: expressions.map((expression) => ({ patchType: "ApplyConfiguration", applyConfiguration: { expression } })),
});

/** Mutations by JSON patches. */
export const patching = (...expressions: readonly string[]): Json => ({
  mutations: expressions.map((expression) => ({ patchType: "JSONPatch", jsonPatch: { expression } })),
});

/** Validations of nothing but expressions. */
export const expecting = (...expressions: readonly string[]): Json => ({
  validations: expressions.map((expression) => ({ expression })),
});
