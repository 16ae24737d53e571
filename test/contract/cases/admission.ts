/** Namespaces, quotas, limits, and subresources. */
import { configMap, del, get, patch, paths, pod, post, put, settle, workload, type Step, type Table } from "../case.ts";

const {
  pods,
  replicasets,
  deployments,
  configmaps,
  services,
  resourcequotas,
  limitranges,
  poddisruptionbudgets,
  replicationcontrollers,
} = paths;
const ns = "/api/v1/namespaces/{ns}";

const quota = (hard: Record<string, string>, used: Record<string, string>): Step[] => [
  post(resourcequotas, { metadata: { name: "q" }, spec: { hard } }),
  patch("merge", `${resourcequotas}/q/status`, { status: { hard, used } }),
  settle,
];
const limits = (limit: Record<string, unknown>): Step[] => [
  post(limitranges, { metadata: { name: "l" }, spec: { limits: [{ type: "Container", ...limit }] } }),
  settle,
];
const withResources = (resources: unknown): unknown =>
  pod("a", {}, { containers: [{ name: "c", image: "i", resources }] });
const binding = (target: unknown, metadata: Record<string, unknown> = {}): Step =>
  post(`${pods}/a/binding`, { apiVersion: "v1", kind: "Binding", metadata: { name: "a", ...metadata }, target });
const eviction = (more: Record<string, unknown> = {}): Step =>
  post(`${pods}/a/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" }, ...more });
const running: Step[] = [
  post(pods, pod("a", { labels: { app: "x" } }, { nodeName: "n" })),
  patch("strategic", `${pods}/a/status`, {
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  }),
];
const budget = (status: Record<string, unknown>): Step[] => [
  post(poddisruptionbudgets, {
    metadata: { name: "b" },
    spec: { minAvailable: 1, selector: { matchLabels: { app: "x" } } },
  }),
  patch("merge", `${poddisruptionbudgets}/b/status`, { status: { observedGeneration: 1, expectedPods: 1, ...status } }),
];

export const admission: Table = {
  name: "admission",
  cases: [
    { name: "a namespace with its finalizer and label", steps: [get(ns)] },
    {
      name: "a terminating namespace rejects new objects",
      steps: [del(ns), get(ns), post(configmaps, configMap("a")), post(pods, pod("a")), del(ns)],
    },
    {
      name: "a terminating namespace rejects evictions, bindings and tokens",
      steps: [
        post(pods, pod("a")),
        post(`${ns}/serviceaccounts`, { metadata: { name: "own" } }),
        del(ns),
        post(`${pods}/a/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } }),
        post(`${pods}/a/binding`, { metadata: { name: "a" }, target: { kind: "Node", name: "n" } }),
        post(`${ns}/bindings`, { metadata: { name: "a" }, target: { kind: "Node", name: "n" } }),
        post(`${ns}/serviceaccounts/own/token`, {
          apiVersion: "authentication.k8s.io/v1",
          kind: "TokenRequest",
          spec: {},
        }),
        get(`${pods}/a`),
      ],
    },
    {
      name: "in a namespace that does not exist, evictions and tokens say so",
      steps: ["eviction", "binding"].map((verb) =>
        post(`/api/v1/namespaces/{ns}-none/pods/a/${verb}`, {
          ...(verb === "eviction" && { apiVersion: "policy/v1", kind: "Eviction" }),
          metadata: { name: "a" },
          ...(verb === "binding" && { target: { kind: "Node", name: "n" } }),
        }),
      ),
    },
    {
      name: "a node's addresses occur once",
      steps: [
        post("/api/v1/nodes", { metadata: { name: "{ns}-twice" } }),
        patch("merge", "/api/v1/nodes/{ns}-twice/status", {
          status: {
            addresses: [
              { type: "InternalIP", address: "10.0.0.1" },
              { type: "ExternalIP", address: "10.0.0.1" },
              { type: "InternalIP", address: "10.0.0.1" },
            ],
          },
        }),
        del("/api/v1/nodes/{ns}-twice"),
      ],
    },
    {
      name: "a namespace is finalized",
      steps: [
        del(ns),
        put(`${ns}/finalize`, {
          kind: "Namespace",
          apiVersion: "v1",
          metadata: { name: "{ns}" },
          spec: { finalizers: [] },
        }),
        get(ns),
      ],
    },
    {
      name: "an update does not change the finalizers of a namespace",
      steps: [
        put(ns, { metadata: { name: "{ns}" }, spec: {} }),
        patch("merge", ns, { metadata: { labels: { x: "y" } } }),
      ],
    },
    {
      name: "the name label of a namespace cannot be changed",
      steps: [patch("merge", ns, { metadata: { labels: { "kubernetes.io/metadata.name": "other" } } })],
    },
    {
      name: "a namespace is finalized with its current finalizers",
      steps: [
        put(`${ns}/finalize`, {
          kind: "Namespace",
          apiVersion: "v1",
          metadata: { name: "{ns}" },
          spec: { finalizers: ["kubernetes"] },
        }),
      ],
    },
    {
      name: "namespaces that cannot be deleted",
      steps: [
        del("/api/v1/namespaces/default"),
        del("/api/v1/namespaces/kube-system"),
        del("/api/v1/namespaces/kube-public"),
      ],
    },
    {
      name: "a namespace with an invalid name",
      steps: [
        post("/api/v1/namespaces", { metadata: { name: "a.b" } }),
        post("/api/v1/namespaces", { metadata: { name: "A" } }),
      ],
    },
    {
      name: "a namespace in a namespace",
      steps: [post("/api/v1/namespaces", { metadata: { name: "{ns}-x", namespace: "y" } })],
    },
    {
      name: "a quota without a status rejects everything",
      steps: [
        post(resourcequotas, { metadata: { name: "q" }, spec: { hard: { pods: "2" } } }),
        settle,
        post(pods, pod("a")),
      ],
    },
    {
      name: "a quota counts pods",
      steps: [
        ...quota({ pods: "1" }, { pods: "0" }),
        post(pods, pod("a")),
        post(pods, pod("b")),
        get(`${resourcequotas}/q`),
      ],
    },
    {
      name: "a quota counts the resources that pods request",
      steps: [
        ...quota({ "requests.cpu": "1", "limits.memory": "1Gi" }, { "requests.cpu": "500m", "limits.memory": "0" }),
        post(pods, withResources({ requests: { cpu: "400m" }, limits: { memory: "512Mi" } })),
        get(`${resourcequotas}/q`),
        post(pods, {
          ...(withResources({ requests: { cpu: "200m" }, limits: { memory: "600Mi" } }) as object),
          metadata: { name: "b" },
        }),
      ],
    },
    {
      name: "a quota rejects pods without requests",
      steps: [
        ...quota({ "requests.cpu": "1", "limits.memory": "1Gi" }, { "requests.cpu": "0", "limits.memory": "0" }),
        post(pods, pod("a")),
      ],
    },
    {
      name: "a quota counts objects",
      steps: [
        ...quota(
          { "count/configmaps": "1", configmaps: "3", services: "1" },
          { "count/configmaps": "0", configmaps: "0", services: "1" },
        ),
        post(configmaps, configMap("a")),
        settle,
        post(configmaps, configMap("b")),
        post(services, { metadata: { name: "a" }, spec: { ports: [{ port: 80 }] } }),
        get(`${resourcequotas}/q`),
      ],
    },
    {
      name: "a quota counts ReplicaSets",
      steps: [
        ...quota({ "count/replicasets.apps": "1" }, { "count/replicasets.apps": "0" }),
        post(replicasets, workload("a")),
        settle,
        post(replicasets, workload("b")),
      ],
    },
    {
      name: "a quota is not charged in a dry run",
      steps: [...quota({ pods: "1" }, { pods: "0" }), post(pods, pod("a"), "dryRun=All"), get(`${resourcequotas}/q`)],
    },
    {
      name: "a LimitRange sets missing values",
      steps: [
        ...limits({ default: { cpu: "1", memory: "1Gi" }, defaultRequest: { cpu: "500m" } }),
        post(pods, pod("a")),
      ],
    },
    {
      name: "a LimitRange does not change existing values",
      steps: [
        ...limits({ default: { cpu: "1" }, defaultRequest: { cpu: "500m" } }),
        post(pods, withResources({ limits: { cpu: "700m" } })),
      ],
    },
    {
      name: "a LimitRange has a maximum",
      steps: [...limits({ max: { cpu: "1" } }), post(pods, withResources({ limits: { cpu: "2" } }))],
    },
    {
      name: "a LimitRange has a minimum",
      steps: [
        ...limits({ min: { cpu: "1" } }),
        post(pods, withResources({ requests: { cpu: "500m" }, limits: { cpu: "2" } })),
      ],
    },
    {
      name: "a scale is read and written",
      steps: [
        post(replicasets, workload("a")),
        get(`${replicasets}/a/scale`),
        put(`${replicasets}/a/scale`, {
          apiVersion: "autoscaling/v1",
          kind: "Scale",
          metadata: { name: "a", namespace: "{ns}" },
          spec: { replicas: 3 },
        }),
        get(`${replicasets}/a`),
        patch("merge", `${replicasets}/a/scale`, { spec: { replicas: 0 } }),
      ],
    },
    {
      name: "a Deployment's scale",
      steps: [
        post(
          deployments,
          workload("a", {
            selector: {
              matchLabels: { app: "a" },
              matchExpressions: [
                { key: "b", operator: "NotIn", values: ["y", "x"] },
                { key: "z", operator: "DoesNotExist" },
              ],
            },
          }),
        ),
        get(`${deployments}/a/scale`),
        patch("merge", `${deployments}/a/scale`, { spec: { replicas: 5 } }),
      ],
    },
    {
      name: "a ReplicationController's scale",
      steps: [
        post(replicationcontrollers, {
          metadata: { name: "a" },
          spec: {
            template: { metadata: { labels: { a: "b", c: "d" } }, spec: { containers: [{ name: "c", image: "i" }] } },
          },
        }),
        get(`${replicationcontrollers}/a/scale`),
        patch("merge", `${replicationcontrollers}/a/scale`, { spec: { replicas: 2 } }),
      ],
    },
    {
      name: "a scale with another version",
      steps: [
        post(replicasets, workload("a")),
        put(`${replicasets}/a/scale`, {
          apiVersion: "autoscaling/v1",
          kind: "Scale",
          metadata: { name: "a", namespace: "{ns}", resourceVersion: "1" },
          spec: { replicas: 3 },
        }),
      ],
    },
    {
      name: "an invalid scale",
      steps: [
        post(replicasets, workload("a")),
        put(`${replicasets}/a/scale`, {
          apiVersion: "autoscaling/v1",
          kind: "Scale",
          metadata: { name: "a", namespace: "{ns}" },
          spec: { replicas: -1 },
        }),
        get(`${replicasets}/none/scale`),
        put(`${replicasets}/a/scale`, {
          apiVersion: "autoscaling/v1",
          kind: "Scale",
          metadata: { name: "b", namespace: "{ns}" },
          spec: {},
        }),
      ],
    },
    { name: "a pod is bound", steps: [post(pods, pod("a")), binding({ kind: "Node", name: "n" }), get(`${pods}/a`)] },
    {
      name: "a pod can be bound only once",
      steps: [post(pods, pod("a")), binding({ kind: "Node", name: "n" }), binding({ kind: "Node", name: "m" })],
    },
    {
      name: "a pod is bound with its uid",
      steps: [
        post(pods, pod("a")),
        binding({ kind: "Node", name: "n" }, { uid: "other" }),
        binding({ kind: "Node", name: "n" }, { uid: "{0.metadata.uid}", annotations: { x: "y" } }),
        get(`${pods}/a`),
      ],
    },
    {
      name: "an invalid binding",
      steps: [
        post(pods, pod("a")),
        binding({ kind: "Node" }),
        binding({ kind: "Pod", name: "n" }),
        binding({ kind: "Node", name: "n" }, { name: "b" }),
      ],
    },
    { name: "a binding of a missing pod", steps: [binding({ kind: "Node", name: "n" })] },
    { name: "an eviction of a pending pod", steps: [post(pods, pod("a")), eviction(), get(`${pods}/a`)] },
    { name: "an eviction of a running pod", steps: [...running, eviction(), get(`${pods}/a`)] },
    {
      name: "an eviction with a grace period",
      steps: [...running, eviction({ deleteOptions: { gracePeriodSeconds: 3 } }), get(`${pods}/a`)],
    },
    {
      name: "an eviction that a budget rejects",
      steps: [...running, ...budget({ disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 }), eviction()],
    },
    {
      name: "an eviction that a budget allows",
      steps: [
        ...running,
        ...budget({ disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1 }),
        eviction(),
        get(`${poddisruptionbudgets}/b`),
      ],
    },
    {
      name: "an eviction before the budget has a status",
      steps: [
        ...running,
        ...budget({ observedGeneration: 0, disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0 }),
        eviction(),
      ],
    },
    {
      name: "an eviction of a missing pod",
      steps: [
        eviction(),
        post(`${pods}/b/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } }),
      ],
    },
    {
      name: "an eviction in a dry run",
      steps: [
        ...running,
        post(
          `${pods}/a/eviction`,
          { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } },
          "dryRun=All",
        ),
        get(`${pods}/a`),
      ],
    },
    {
      name: "a new node is tainted and keeps its status",
      steps: [
        post("/api/v1/nodes", { metadata: { name: "{ns}-n" } }),
        post("/api/v1/nodes", {
          metadata: { name: "{ns}-m" },
          spec: { taints: [{ key: "a", effect: "NoSchedule" }], unschedulable: true },
          status: { capacity: { cpu: "4", pods: "10" } },
        }),
        patch("strategic", "/api/v1/nodes/{ns}-n/status", {
          status: { conditions: [{ type: "Ready", status: "True" }], allocatable: { cpu: "3" } },
        }),
        patch("strategic", "/api/v1/nodes/{ns}-n", { spec: { taints: null, podCIDR: "10.1.0.0/24" } }),
        del("/api/v1/nodes/{ns}-n"),
        del("/api/v1/nodes/{ns}-m"),
      ],
    },
    { name: "a missing runtime class", steps: [post(pods, pod("a", {}, { runtimeClassName: "{ns}-r" }))] },
    {
      name: "a runtime class with overhead and a node selector",
      steps: [
        post("/apis/node.k8s.io/v1/runtimeclasses", {
          metadata: { name: "{ns}-r" },
          handler: "h",
          overhead: { podFixed: { cpu: "100m" } },
          scheduling: { nodeSelector: { r: "s" }, tolerations: [{ key: "t", operator: "Exists" }] },
        }),
        settle,
        post(pods, pod("a", {}, { runtimeClassName: "{ns}-r" })),
        del("/apis/node.k8s.io/v1/runtimeclasses/{ns}-r"),
      ],
    },
    {
      name: "a default storage class",
      steps: [
        post("/apis/storage.k8s.io/v1/storageclasses", {
          metadata: { name: "{ns}-s", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
          provisioner: "p",
        }),
        settle,
        post("/api/v1/namespaces/{ns}/persistentvolumeclaims", {
          metadata: { name: "c" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        }),
        del("/apis/storage.k8s.io/v1/storageclasses/{ns}-s"),
      ],
    },
    {
      name: "a resize of a pod before it runs",
      steps: [
        post(pods, pod("a", {}, { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1" } } }] })),
        patch("strategic", `${pods}/a/resize`, {
          spec: { containers: [{ name: "c", resources: { requests: { cpu: "2" } } }] },
        }),
      ],
    },
    {
      name: "an ephemeral container",
      steps: [
        post(pods, pod("a")),
        patch("strategic", `${pods}/a/ephemeralcontainers`, {
          spec: { ephemeralContainers: [{ name: "e", image: "i" }] },
        }),
      ],
    },
    {
      name: "SelfSubjectAccessReview",
      steps: [
        post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
          kind: "SelfSubjectAccessReview",
          apiVersion: "authorization.k8s.io/v1",
          spec: { resourceAttributes: { namespace: "{ns}", verb: "create", resource: "pods" } },
        }),
      ],
    },
    {
      name: "SelfSubjectReview",
      steps: [
        post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {
          kind: "SelfSubjectReview",
          apiVersion: "authentication.k8s.io/v1",
        }),
      ],
    },
    {
      name: "discovery",
      steps: [
        get("/api"),
        get("/apis"),
        get("/api/v1"),
        get("/apis/apps"),
        get("/apis/apps/v1"),
        get("/apis/coordination.k8s.io/v1"),
        get("/version"),
      ],
    },
    { name: "health", steps: [get("/readyz"), get("/livez"), get("/healthz")] },
    {
      name: "subresources that do not exist",
      steps: [
        get(`${pods}/a/nope`),
        post(pods, pod("a")),
        get(`${pods}/a/nope`),
        post(`${pods}/a/status`, {}),
        get(`${configmaps}/a/scale`),
      ],
    },
  ],
};
