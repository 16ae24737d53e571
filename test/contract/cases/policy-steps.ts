/** Steps of cases about admission policies: each case has its own policies, which apply only to its namespace. */
import { pass, post, settle, type Step } from "../case.ts";

type Json = Record<string, unknown>;

const group = "/apis/admissionregistration.k8s.io/v1";
export const validatingPolicies: string = `${group}/validatingadmissionpolicies`;
export const validatingBindings: string = `${group}/validatingadmissionpolicybindings`;
export const mutatingPolicies: string = `${group}/mutatingadmissionpolicies`;
export const mutatingBindings: string = `${group}/mutatingadmissionpolicybindings`;

/** A rule for ConfigMaps by default. */
export const rule = (more: Json = {}): Json => ({
  operations: ["CREATE", "UPDATE"],
  apiGroups: [""],
  apiVersions: ["v1"],
  resources: ["configmaps"],
  ...more,
});

export const here: Json = { matchLabels: { "kubernetes.io/metadata.name": "{ns}" } };

/** Match constraints: by default ConfigMaps in the namespace of the case. */
export const constraints = (more: Json = {}): Json => ({ namespaceSelector: here, resourceRules: [rule()], ...more });

/** A policy; `n` distinguishes several policies of a case. */
export const policy = (spec: Json, n = ""): Json => ({
  metadata: { name: `{ns}-p${n}` },
  spec: { matchConstraints: constraints(), ...spec },
});

/** A binding of a policy. */
export const binding = (spec: Json = {}, n = ""): Json => ({
  metadata: { name: `{ns}-b${n}` },
  spec: { policyName: `{ns}-p${n}`, ...spec },
});

/** The real server refreshes its policies once a second. */
export const untilInForce: readonly Step[] = [settle, pass, pass];

/** Creates a validating policy and its binding, and waits until they are in force. */
export const validating = (spec: Json, bound: Json = {}): Step[] => [
  post(validatingPolicies, policy(spec)),
  post(validatingBindings, binding({ validationActions: ["Deny"], ...bound })),
  ...untilInForce,
];

/** Creates a mutating policy and its binding, and waits until they are in force. */
export const mutating = (spec: Json, bound: Json = {}): Step[] => [
  post(mutatingPolicies, policy({ reinvocationPolicy: "Never", ...spec })),
  post(mutatingBindings, binding(bound)),
  ...untilInForce,
];

/** Mutations with apply configurations. */
export const applying = (...expressions: readonly string[]): Json => ({
  mutations: expressions.map((expression) => ({ patchType: "ApplyConfiguration", applyConfiguration: { expression } })),
});

/** Mutations with JSON patches. */
export const patching = (...expressions: readonly string[]): Json => ({
  mutations: expressions.map((expression) => ({ patchType: "JSONPatch", jsonPatch: { expression } })),
});

/** Validations that consist only of expressions. */
export const expecting = (...expressions: readonly string[]): Json => ({
  validations: expressions.map((expression) => ({ expression })),
});
