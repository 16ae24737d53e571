/**
 * Six small controllers: root CA ConfigMaps and ServiceAccounts in each namespace, aggregated ClusterRoles, claims for ephemeral volumes,
 * TTL annotations of nodes, warnings about expressions in admission policies.
 */
import {
  ClusterRoles,
  Nodes,
  PersistentVolumeClaims,
  Pods,
  ServiceAccounts,
  ValidatingAdmissionPolicies,
} from "../../../src/api/kinds.ts";
import { clusterroleAggregation } from "../../../src/controllers/clusterrole-aggregation/clusterrole-aggregation.ts";
import { ephemeralVolume } from "../../../src/controllers/ephemeral-volume/ephemeral-volume.ts";
import { rootCaCertificatePublisher } from "../../../src/controllers/root-ca-certificate-publisher/root-ca-certificate-publisher.ts";
import { serviceaccount } from "../../../src/controllers/serviceaccount/serviceaccount.ts";
import { ttl } from "../../../src/controllers/ttl/ttl.ts";
import { validatingAdmissionPolicyStatus } from "../../../src/controllers/validatingadmissionpolicy-status/validatingadmissionpolicy-status.ts";
import { type Allowed, namespaceInBody, ownFieldManager } from "../differences.ts";
import { podState } from "../objects.ts";
import { isSettled } from "../scripts/published/acts.ts";
import { randomScript } from "../scripts/published/grammar.ts";
import { scripts } from "../scripts/published/index.ts";
import { policyState } from "../scripts/published/policy-acts.ts";
import type { Suite } from "../suite.ts";

/** Each API server has its own certificate authority. Any value that is not a certificate is kept. */
function arranged<T extends object>(body: T): T {
  const { data } = body as { readonly data?: Readonly<Record<string, string>> | null };
  const isCa = data?.["ca.crt"]?.startsWith("-----BEGIN CERTIFICATE-----") === true;
  return isCa ? { ...body, data: { ...data, "ca.crt": "the server's authority" } } : body;
}

const late: Allowed = {
  id: "an object that is not in the cache yet is created or updated again",
  category: "noise",
  upstream: "pkg/controller/certificates/rootcacertpublisher/publisher.go:syncNamespace",
  why: "a key that is added again may be synced before the cache contains the last sync's write: the server rejects the second write",
  matches: ({ what, theirs, ours }) =>
    /^(create|update) (configmaps|persistentvolumeclaims|serviceaccounts) 409$/.test(what) ||
    (what === "Event Warning" && /create PVC \S+: .* already exists/.test(JSON.stringify([theirs, ours]))),
};

const firstAccount: Allowed = {
  id: "the ServiceAccount of a new namespace exists already",
  category: "noise",
  upstream: "pkg/controller/serviceaccount/serviceaccounts_controller.go:syncNamespace",
  why: "each script begins with a namespace and its ServiceAccount, as all tests here do: the controller may be faster",
  matches: ({ what }) => what === "create serviceaccounts 201",
};

const appliesNothing = (write: unknown): boolean => {
  const { body } = (write ?? {}) as { readonly body?: { readonly rules?: unknown } };
  return body !== undefined && body.rules === undefined;
};

const nothingAgain: Allowed = {
  id: "an apply without rules is repeated",
  category: "noise",
  upstream: "pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go:syncClusterRole",
  why: "rules of other writers are kept in a role that selects none: an apply without rules is repeated whenever any ClusterRole of the cluster changes, even one of another script",
  matches: ({ what, path, theirs, ours }) =>
    what === "patch clusterroles.rbac.authorization.k8s.io 200" && path === "" && appliesNothing(theirs ?? ours),
};

export const published: Suite = {
  name: "published",
  oracle:
    "root-ca-certificate-publisher-controller,clusterrole-aggregation-controller,ephemeral-volume-controller,serviceaccount-controller,ttl-controller,validatingadmissionpolicy-status-controller",
  ours: [
    rootCaCertificatePublisher,
    clusterroleAggregation,
    ephemeralVolume,
    serviceaccount,
    ttl,
    validatingAdmissionPolicyStatus,
  ],
  // A script removes a claim of a pod.
  runsWithout: ["persistentvolumeclaim-protection"],
  kinds: [
    { kind: ServiceAccounts },
    { kind: ClusterRoles },
    { kind: PersistentVolumeClaims },
    { kind: Pods, compared: podState },
    { kind: Nodes },
    { kind: ValidatingAdmissionPolicies, compared: policyState },
  ],
  arranged,
  isSettled: (stage) => isSettled(stage, { strict: true }),
  hasPendingWrites: async (_log, stage) => !(await isSettled(stage, { strict: false })),
  // A role is synced whenever any role changes: until the cache shows that it has its rules, they are applied again.
  repeated: (what) => what === "patch clusterroles.rbac.authorization.k8s.io 200",
  scripts,
  random: randomScript,
  seeds: { short: 6, long: 100 },
  randomSteps: 20,
  width: 16,
  differences: [ownFieldManager, namespaceInBody, late, firstAccount, nothingAgain],
};
