/** Kinds of the groups networking, rbac, storage, resource, flowcontrol, certificates, and of groups about the API server itself. */
import { clusterWide, namespaced, type Example, type Json } from "./example.ts";

const rbac = "rbac.authorization.k8s.io/v1";
const storage = "storage.k8s.io/v1";
const flow = "flowcontrol.apiserver.k8s.io/v1";
const devices = "resource.k8s.io/v1";
const registration = "admissionregistration.k8s.io/v1";

/** A certificate request for the name `a`, made with openssl; its key was not kept. */
const signingRequest =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIRk1HNENBUUF3RERFS01BZ0dBMVVFQXd3QllUQlpNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQQpCTjBldDlPY01uTkhPUjJkZlg5QWZDQkRuSmFmY2pJVmlxbzJKVFV0Nk8xNFBVNU5sTHRGSnVTZ2ZKS0pld3UrCm44eUU2Q3g0TThLM1p4RlFtYTNwMTdHZ0FEQUtCZ2dxaGtqT1BRUURBZ05IQURCRUFpQUl1OEo1Zy9HSXZIeGsKQjJGNTU1YmZsQWFWc0U2RVhQM0VFc0VaNTlxUWRnSWdSdTBXVzZzWTdQWGJQM2tjV3BZbEFNUGFhQTFxYUxOSwpEUWU2QThPTWJrST0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==";

const rules: readonly Json[] = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
const subjects: readonly Json[] = [{ kind: "ServiceAccount", name: "s", namespace: "n" }];
const device = (more: Json = {}): Json => ({
  devices: { requests: [{ name: "r", exactly: { deviceClassName: "c", count: 1, allocationMode: "ExactCount" } }] },
  ...more,
});
const opaque = { driver: "d.example.com", parameters: { kind: "K", apiVersion: "v1" } };
const flowRules: readonly Json[] = [
  {
    subjects: [{ kind: "User", user: { name: "u" } }],
    resourceRules: [{ verbs: ["get"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] }],
  },
];

/** A rule for a resource that is not served, so that no other request matches it. */
const elsewhere: Json = {
  operations: ["CREATE"],
  apiGroups: ["nowhere.example.com"],
  apiVersions: ["v1"],
  resources: ["nothings"],
  scope: "Namespaced",
};
const webhook: Json = {
  name: "a.example.com",
  clientConfig: { service: { namespace: "n", name: "s", path: "/p", port: 443 } },
  rules: [elsewhere],
  failurePolicy: "Ignore",
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  timeoutSeconds: 5,
  namespaceSelector: { matchLabels: { a: "b" } },
  matchConditions: [{ name: "m", expression: "true" }],
};
const constraints: Json = { resourceRules: [elsewhere] };

export const clusterExamples: readonly Example[] = [
  namespaced("networking.k8s.io/v1", "ingresses", {
    spec: {
      rules: [
        {
          host: "a.example.com",
          http: {
            paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } }],
          },
        },
      ],
    },
  }),
  namespaced("networking.k8s.io/v1", "networkpolicies", {
    spec: {
      podSelector: {},
      ingress: [{ from: [{ ipBlock: { cidr: "192.0.2.0/24", except: ["192.0.2.0/25"] } }], ports: [{ port: 80 }] }],
    },
  }),
  clusterWide("networking.k8s.io/v1", "ingressclasses", { spec: { controller: "example.com/c" } }),
  clusterWide(
    "networking.k8s.io/v1",
    "ipaddresses",
    { spec: { parentRef: { resource: "services", namespace: "n", name: "s" } } },
    { name: "192.0.2.{i}", newOnly: true },
  ),
  clusterWide("networking.k8s.io/v1", "servicecidrs", { spec: { cidrs: ["192.0.2.0/24"] } }, { newOnly: true }),
  namespaced(rbac, "roles", { rules }),
  clusterWide(rbac, "clusterroles", { rules }),
  namespaced(rbac, "rolebindings", {
    subjects,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
  }),
  clusterWide(rbac, "clusterrolebindings", {
    subjects,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "nobody" },
  }),
  clusterWide(storage, "storageclasses", {
    provisioner: "p.example.com",
    parameters: { a: "b" },
    reclaimPolicy: "Retain",
    volumeBindingMode: "WaitForFirstConsumer",
    allowedTopologies: [{ matchLabelExpressions: [{ key: "k", values: ["v"] }] }],
  }),
  clusterWide(storage, "csidrivers", { spec: { attachRequired: true, tokenRequests: [{ audience: "a" }] } }),
  clusterWide(storage, "csinodes", {
    spec: { drivers: [{ name: "d.example.com", nodeID: "n", topologyKeys: ["k"], allocatable: { count: 1 } }] },
  }),
  namespaced(storage, "csistoragecapacities", { storageClassName: "s", capacity: "1Gi", nodeTopology: {} }),
  clusterWide(storage, "volumeattachments", {
    spec: { attacher: "a.example.com", nodeName: "n", source: { persistentVolumeName: "p" } },
  }),
  clusterWide(storage, "volumeattributesclasses", { driverName: "d.example.com", parameters: { a: "b" } }),
  namespaced(devices, "resourceclaims", { spec: device() }),
  namespaced(devices, "resourceclaimtemplates", { spec: { spec: device() } }),
  clusterWide(devices, "deviceclasses", {
    spec: {
      selectors: [{ cel: { expression: "true" } }],
      config: [{ opaque }],
      extendedResourceName: "e.example.com/r",
    },
  }),
  clusterWide(devices, "resourceslices", {
    spec: {
      driver: "d.example.com",
      pool: { name: "p", generation: 1, resourceSliceCount: 1 },
      nodeName: "n",
      devices: [{ name: "d", attributes: { a: { string: "s" } }, capacity: { c: { value: "1" } } }, { name: "e" }],
    },
  }),
  clusterWide(flow, "flowschemas", {
    spec: { priorityLevelConfiguration: { name: "p" }, matchingPrecedence: 5, rules: flowRules },
  }),
  clusterWide(flow, "prioritylevelconfigurations", {
    spec: {
      type: "Limited",
      limited: {
        nominalConcurrencyShares: 5,
        limitResponse: { type: "Queue", queuing: { queues: 8, handSize: 2, queueLengthLimit: 5 } },
      },
    },
  }),
  clusterWide("certificates.k8s.io/v1", "certificatesigningrequests", {
    spec: { request: signingRequest, signerName: "example.com/s", usages: ["client auth"], expirationSeconds: 600 },
  }),
  clusterWide(registration, "validatingwebhookconfigurations", { webhooks: [webhook] }),
  clusterWide(registration, "mutatingwebhookconfigurations", {
    webhooks: [{ ...webhook, reinvocationPolicy: "Never" }],
  }),
  clusterWide(registration, "validatingadmissionpolicies", {
    spec: {
      matchConstraints: constraints,
      validations: [{ expression: "true", message: "m", reason: "Invalid" }],
      failurePolicy: "Ignore",
      variables: [{ name: "v", expression: "true" }],
    },
  }),
  clusterWide(registration, "validatingadmissionpolicybindings", {
    spec: { policyName: "p", validationActions: ["Deny"], matchResources: constraints },
  }),
  clusterWide(registration, "mutatingadmissionpolicies", {
    spec: {
      matchConstraints: constraints,
      reinvocationPolicy: "Never",
      mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }],
    },
  }),
  clusterWide(registration, "mutatingadmissionpolicybindings", {
    spec: { policyName: "p", matchResources: constraints },
  }),
  clusterWide(
    "apiregistration.k8s.io/v1",
    "apiservices",
    {
      spec: {
        group: "{n}.example.com",
        version: "v1",
        groupPriorityMinimum: 1,
        versionPriority: 1,
        service: { namespace: "n", name: "s" },
        insecureSkipTLSVerify: true,
      },
    },
    { name: "v1.{n}.example.com", newOnly: true },
  ),
];

export const reviewExamples: readonly Example[] = [
  clusterWide("authentication.k8s.io/v1", "tokenreviews", { spec: { token: "t" } }, { newOnly: true }),
  clusterWide("authentication.k8s.io/v1", "selfsubjectreviews", {}, { newOnly: true }),
  clusterWide(
    "authorization.k8s.io/v1",
    "subjectaccessreviews",
    { spec: { user: "u", groups: ["system:masters"], resourceAttributes: { verb: "get", resource: "pods" } } },
    { newOnly: true },
  ),
  clusterWide(
    "authorization.k8s.io/v1",
    "selfsubjectaccessreviews",
    { spec: { nonResourceAttributes: { path: "/a", verb: "get" } } },
    { newOnly: true },
  ),
  clusterWide("authorization.k8s.io/v1", "selfsubjectrulesreviews", { spec: { namespace: "n" } }, { newOnly: true }),
];
