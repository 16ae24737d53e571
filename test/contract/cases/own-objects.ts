/** Objects that the API server itself maintains: APIServices, flow schemas, priority levels; and writes that need two permissions. */
import { apply, del, get, paths, post, put, settle, watching, type Step, type Table } from "../case.ts";
import { definitions, established, twoVersions } from "./definition-steps.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}";
const flow = "/apis/flowcontrol.apiserver.k8s.io/v1";
const services = "/apis/apiregistration.k8s.io/v1/apiservices";
const as = (user: string, step: Step): Step => ({ ...step, headers: { "impersonate-user": user } });

const user = "{ns}-user";
const rights = (verbs: readonly string[]): Step[] => [
  post(`${rbac}/roles`, {
    metadata: { name: "r" },
    rules: [
      { apiGroups: [""], resources: ["configmaps", "serviceaccounts"], verbs },
      { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs },
    ],
  }),
  post(`${rbac}/rolebindings`, {
    metadata: { name: "b" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
  }),
  settle,
];
const addresses = "/apis/networking.k8s.io/v1/ipaddresses";
const service = (name: string, clusterIP: string): object => ({
  metadata: { name },
  spec: { clusterIP, ports: [{ port: 80 }] },
});
const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
const lease = { metadata: { name: "a" }, spec: {} };

export const ownObjects: Table = {
  name: "kinds-own-objects",
  cases: [
    ...["v1.", "v1.apps", "v2.autoscaling", "v1.apiextensions.k8s.io", "v1.apiregistration.k8s.io"].map((name) => ({
      name: `the APIService ${name}`,
      ordersTimes: true,
      steps: [get(`${services}/${name}`)],
    })),
    {
      name: "predefined flow schemas",
      ordersTimes: true,
      steps: [
        "exempt",
        "catch-all",
        "probes",
        "system-leader-election",
        "system-node-high",
        "kube-scheduler",
        "none",
      ].map((name) => get(`${flow}/flowschemas/${name}`)),
    },
    {
      name: "predefined priority levels",
      ordersTimes: true,
      steps: ["exempt", "catch-all", "system", "leader-election", "workload-low", "none"].map((name) =>
        get(`${flow}/prioritylevelconfigurations/${name}`),
      ),
    },
    {
      name: "an APIService for each version of each group of custom resources",
      steps: [
        ...established({ versions: twoVersions({ type: "object" }, { type: "object" }) }),
        get(`${services}/v1.{ns}.example.com`),
        del(`${definitions}/widgets.{ns}.example.com`),
        watching(
          services,
          1,
          "fieldSelector=metadata.name=v1.{ns}.example.com&resourceVersion={3.metadata.resourceVersion}",
        ),
        get(`${services}/v1.{ns}.example.com`),
      ],
    },
    {
      name: "an IPAddress reserves its address, and each Service has one",
      steps: [
        post(addresses, {
          metadata: { name: "10.0.77.77" },
          spec: { parentRef: { resource: "services", namespace: "{ns}", name: "x" } },
        }),
        settle,
        post(paths.services, service("a", "10.0.77.77")),
        post(paths.services, service("a", "10.0.77.78")),
        post(addresses, { metadata: { name: "10.0.77.78" }, spec: { parentRef: { resource: "services", name: "x" } } }),
        del(`${paths.services}/a`),
        del(`${addresses}/10.0.77.77`),
        settle,
        get(`${addresses}/10.0.77.78`),
        post(paths.services, service("b", "10.0.77.77")),
      ],
    },
    {
      name: "a user who may update but not create cannot create by an update",
      steps: [
        ...rights(["get", "update", "patch"]),
        as(user, put("/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/a", lease)),
        as(
          user,
          put("/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/a", {
            ...lease,
            spec: { leaseDurationSeconds: -1 },
          }),
        ),
        as(user, put(`${paths.configmaps}/a`, map)),
        as(user, put(`${paths.serviceaccounts}/a`, { metadata: { name: "a" } })),
        as(user, apply(`${paths.configmaps}/a`, "m", map)),
        as(user, apply(`${paths.configmaps}/a`, "m", { ...map, data: { "a b": "c" } })),
        post(paths.configmaps, map),
        as(user, apply(`${paths.configmaps}/a`, "m", { ...map, data: { a: "b" } })),
      ],
    },
    {
      name: "a user who may do both can",
      steps: [
        ...rights(["create", "update", "patch"]),
        as(user, put("/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/a", lease)),
        as(user, apply(`${paths.configmaps}/a`, "m", map)),
      ],
    },
  ],
};
