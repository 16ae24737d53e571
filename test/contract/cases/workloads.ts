/** Defaulting and validation of workload kinds, Services and small kinds. */
import { patch, paths, pod, post, put, workload, type Step, type Table } from "../case.ts";

const p = paths;
const makes = (name: string, path: string, body: unknown): { name: string; steps: Step[] } => ({
  name,
  steps: [post(path, body)],
});
const podWith = (name: string, spec: Record<string, unknown>): { name: string; steps: Step[] } =>
  makes(`a pod ${name}`, p.pods, pod("a", {}, spec));
const container = (name: string, more: Record<string, unknown>): { name: string; steps: Step[] } =>
  podWith(`whose container ${name}`, { containers: [{ name: "c", image: "i", ...more }] });
const template = (labels: unknown, spec: Record<string, unknown> = {}): unknown => ({
  metadata: { labels },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
const replicaSet = (name: string, spec: Record<string, unknown>): { name: string; steps: Step[] } =>
  makes(`a ReplicaSet ${name}`, p.replicasets, workload("a", spec));
const deployment = (name: string, spec: Record<string, unknown>): { name: string; steps: Step[] } =>
  makes(`a Deployment ${name}`, p.deployments, workload("a", spec));
const updates = (name: string, path: string, body: unknown, change: unknown): { name: string; steps: Step[] } => ({
  name,
  steps: [post(path, body), patch("strategic", `${path}/a`, change)],
});
const service = (name: string, spec: Record<string, unknown>): { name: string; steps: Step[] } =>
  makes(`a Service ${name}`, p.services, { metadata: { name: "a" }, spec });
const jobTemplate = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
const labelled = (labels: unknown): { name: string; steps: Step[] } =>
  makes(`labels ${JSON.stringify(labels).slice(0, 40)}`, p.configmaps, { metadata: { name: "a", labels } });
const annotated = (annotations: unknown): { name: string; steps: Step[] } =>
  makes(`annotations ${JSON.stringify(annotations).slice(0, 40)}`, p.configmaps, {
    metadata: { name: "a", annotations },
  });
const owned = (name: string, ownerReferences: unknown): { name: string; steps: Step[] } =>
  makes(`owner references ${name}`, p.configmaps, { metadata: { name: "a", ownerReferences } });
const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "o", uid: "u" };

export const workloads: Table = {
  name: "workloads",
  cases: [
    makes("a Deployment with its defaults", p.deployments, workload("a")),
    makes("a StatefulSet with its defaults", p.statefulsets, workload("a", { serviceName: "s" })),
    makes("a DaemonSet with its defaults", p.daemonsets, workload("a")),
    makes("a Job with its defaults", p.jobs, { metadata: { name: "a" }, spec: { template: jobTemplate } }),
    makes("a CronJob with its defaults", p.cronjobs, {
      metadata: { name: "a" },
      spec: { schedule: "* * * * *", jobTemplate: { spec: { template: jobTemplate } } },
    }),
    makes("a ReplicationController with its defaults", p.replicationcontrollers, {
      metadata: { name: "a" },
      spec: { template: template({ a: "b" }) },
    }),
    makes("a PersistentVolumeClaim with its defaults", p.persistentvolumeclaims, {
      metadata: { name: "a" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1024Mi" } } },
    }),
    makes("a PodDisruptionBudget with its defaults", p.poddisruptionbudgets, {
      metadata: { name: "a" },
      spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } },
    }),
    makes("a ServiceAccount", p.serviceaccounts, { metadata: { name: "a" }, automountServiceAccountToken: false }),
    makes("a ResourceQuota", p.resourcequotas, {
      metadata: { name: "a" },
      spec: { hard: { pods: "2", "requests.cpu": "1000m", "limits.memory": "1024Mi" } },
    }),
    makes("a LimitRange", p.limitranges, {
      metadata: { name: "a" },
      spec: { limits: [{ type: "Container", max: { cpu: "2" }, default: { memory: "1Gi" }, min: { cpu: "100m" } }] },
    }),
    podWith("with many fields", {
      initContainers: [{ name: "i", image: "k:latest" }],
      containers: [
        {
          name: "c",
          image: "registry.example.com:5000/i:v1",
          command: ["x"],
          ports: [
            { containerPort: 80, name: "http" },
            { containerPort: 53, protocol: "UDP" },
          ],
          env: [
            { name: "A", value: "" },
            { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
          ],
          livenessProbe: { httpGet: { port: 80 } },
          readinessProbe: { tcpSocket: { port: "http" }, periodSeconds: 3 },
          resources: { limits: { cpu: "1", memory: "128Mi" }, requests: { cpu: "0.5" } },
          volumeMounts: [{ name: "v", mountPath: "/v" }],
          lifecycle: { preStop: { exec: { command: ["y"] } } },
          securityContext: { privileged: false },
          stdin: false,
          tty: true,
        },
      ],
      volumes: [
        { name: "v" },
        { name: "s", secret: { secretName: "s" } },
        { name: "m", configMap: { name: "m" } },
        { name: "h", hostPath: { path: "/x" } },
        { name: "d", downwardAPI: { items: [{ path: "p", fieldRef: { fieldPath: "metadata.labels" } }] } },
      ],
      nodeSelector: { a: "b" },
      tolerations: [{ key: "k", operator: "Equal", value: "v", effect: "NoSchedule" }],
      hostAliases: [],
      automountServiceAccountToken: false,
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, podAffinityTerm: { topologyKey: "x", labelSelector: { matchLabels: { a: "b" } } } },
          ],
        },
      },
    }),
    podWith("with hostNetwork", {
      hostNetwork: true,
      containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }],
    }),
    podWith("without containers", { containers: [] }),
    podWith("with two containers of the same name", {
      containers: [
        { name: "c", image: "i" },
        { name: "c", image: "j" },
      ],
    }),
    podWith("with an init container of the same name", { initContainers: [{ name: "c", image: "i" }] }),
    podWith("with an invalid restart policy", { restartPolicy: "Sometimes" }),
    podWith("with an invalid DNS policy", { dnsPolicy: "Mine" }),
    podWith("with a deadline of 0", { activeDeadlineSeconds: 0 }),
    podWith("with a missing service account", { serviceAccountName: "other" }),
    podWith("with a missing priority class", { priorityClassName: "other" }),
    podWith("with a system priority class", { priorityClassName: "system-node-critical" }),
    podWith("with its own priority", { priority: 5 }),
    podWith("with an invalid toleration", {
      tolerations: [
        { operator: "Equal" },
        { key: "a", effect: "Never" },
        { key: "b", operator: "Exists", value: "x" },
        { key: "c", tolerationSeconds: 5 },
      ],
    }),
    podWith("that already tolerates unready nodes", {
      tolerations: [
        { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 },
      ],
    }),
    podWith("that tolerates everything", { tolerations: [{ operator: "Exists" }] }),
    podWith("with an invalid node selector", { nodeSelector: { "a b": "c" } }),
    podWith("with two volumes of the same name", { volumes: [{ name: "v" }, { name: "v" }] }),
    podWith("with a volume of two types", { volumes: [{ name: "v", emptyDir: {}, hostPath: { path: "/x" } }] }),
    podWith("with a volume without a name", { volumes: [{ emptyDir: {} }] }),
    podWith("with an invalid hostname", { hostname: "A.b" }),
    container("has no name", { name: undefined }),
    container("has an invalid name", { name: "C_" }),
    container("has no image", { image: undefined }),
    container("has a port out of range", { ports: [{ containerPort: 70000 }] }),
    container("has a port without a number", { ports: [{ name: "x" }] }),
    container("has two ports of the same name", {
      ports: [
        { containerPort: 1, name: "x" },
        { containerPort: 2, name: "x" },
      ],
    }),
    container("has a port with an invalid name", { ports: [{ containerPort: 1, name: "Too_Long_A_Port_Name" }] }),
    container("has a port with an unknown protocol", { ports: [{ containerPort: 1, protocol: "XYZ" }] }),
    container("has env without a name", { env: [{ value: "x" }] }),
    container("has env with an invalid name", { env: [{ name: "a=b" }] }),
    container("has env with an empty source", { env: [{ name: "A", valueFrom: {} }] }),
    container("has env with two values", {
      env: [{ name: "A", value: "x", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
    }),
    container("mounts a missing volume", { volumeMounts: [{ name: "v", mountPath: "/v" }] }),
    container("has an invalid pull policy", { imagePullPolicy: "Maybe" }),
    container("requests more than its limit", { resources: { limits: { cpu: "1" }, requests: { cpu: "2" } } }),
    container("requests a negative quantity", { resources: { requests: { cpu: "-1" } } }),
    container("requests an unknown resource", { resources: { requests: { coffee: "1" } } }),
    container("requests an invalid quantity", { resources: { requests: { cpu: "lots" } } }),
    container("requests quantities in all notations", {
      resources: {
        requests: { cpu: "1000m", memory: "1024Mi", "ephemeral-storage": "1e3", "example.com/x": "2" },
        limits: { cpu: "1.5", memory: "1.5Gi", "example.com/x": "2" },
      },
    }),
    container("has a probe without a handler", { livenessProbe: {} }),
    container("has a probe with two handlers", { livenessProbe: { httpGet: { port: 80 }, tcpSocket: { port: 80 } } }),
    container("has a liveness probe that must succeed twice", {
      livenessProbe: { httpGet: { port: 80 }, successThreshold: 2 },
    }),
    replicaSet("without a selector", { selector: undefined }),
    replicaSet("with an empty selector", { selector: {} }),
    replicaSet("whose selector does not match its template", { selector: { matchLabels: { app: "b" } } }),
    replicaSet("whose template has no labels", { template: template(undefined) }),
    replicaSet("with negative replicas", { replicas: -1 }),
    replicaSet("with 0 replicas", { replicas: 0 }),
    replicaSet("with negative minReadySeconds", { minReadySeconds: -1 }),
    replicaSet("whose template has no containers", { template: template({ app: "a" }, { containers: [] }) }),
    replicaSet("whose pods would not restart", { template: template({ app: "a" }, { restartPolicy: "Never" }) }),
    replicaSet("whose pods have a deadline", { template: template({ app: "a" }, { activeDeadlineSeconds: 5 }) }),
    replicaSet("with expressions in its selector", {
      selector: {
        matchExpressions: [
          { key: "app", operator: "In", values: ["a", "b"] },
          { key: "x", operator: "DoesNotExist" },
        ],
      },
    }),
    replicaSet("with an invalid operator", {
      selector: { matchExpressions: [{ key: "app", operator: "Is", values: ["a"] }] },
    }),
    replicaSet("with In and no values", { selector: { matchExpressions: [{ key: "app", operator: "In" }] } }),
    replicaSet("with Exists and values", {
      selector: { matchExpressions: [{ key: "app", operator: "Exists", values: ["a"] }] },
    }),
    replicaSet("with replicas that are not a number", { replicas: "3" }),
    replicaSet("with replicas beyond int32", { replicas: 3_000_000_000 }),
    replicaSet("with replicas that are not an integer", { replicas: 1.5 }),
    updates("a ReplicaSet cannot change its selector", p.replicasets, workload("a"), {
      spec: { selector: { matchLabels: { x: "y" } }, template: { metadata: { labels: { x: "y" } } } },
    }),
    updates("a ReplicaSet can change its template", p.replicasets, workload("a"), {
      spec: { template: { spec: { containers: [{ name: "c", image: "new" }] } } },
    }),
    {
      name: "a ReplicaSet's status is written",
      steps: [
        post(p.replicasets, workload("a")),
        patch("merge", `${p.replicasets}/a/status`, { status: { replicas: 1, readyReplicas: 2 } }),
        patch("merge", `${p.replicasets}/a/status`, { status: { replicas: -1 } }),
        patch("merge", `${p.replicasets}/a/status`, {
          status: { replicas: 3, readyReplicas: 1, availableReplicas: 2 },
        }),
      ],
    },
    deployment("with strategy Recreate", { strategy: { type: "Recreate" } }),
    deployment("with strategy Recreate and rollingUpdate", {
      strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } },
    }),
    deployment("with an unknown strategy", { strategy: { type: "Slowly" } }),
    deployment("with maxSurge 0 and maxUnavailable 0", {
      strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
    }),
    deployment("with an invalid percentage", { strategy: { rollingUpdate: { maxSurge: "many" } } }),
    deployment("with maxUnavailable above 100%", { strategy: { rollingUpdate: { maxUnavailable: "200%" } } }),
    deployment("whose deadline is too short", { progressDeadlineSeconds: 5, minReadySeconds: 5 }),
    deployment("with a negative history limit", { revisionHistoryLimit: -1 }),
    deployment("that is paused", { paused: true, replicas: 0 }),
    updates("a Deployment cannot change its selector", p.deployments, workload("a"), {
      spec: { selector: { matchLabels: { x: "y" } }, template: { metadata: { labels: { x: "y" } } } },
    }),
    makes("a ReplicationController without a template", p.replicationcontrollers, {
      metadata: { name: "a" },
      spec: { selector: { a: "b" } },
    }),
    makes("a ReplicationController without a selector", p.replicationcontrollers, {
      metadata: { name: "a" },
      spec: { template: template({}) },
    }),
    makes("a ReplicationController whose selector does not match", p.replicationcontrollers, {
      metadata: { name: "a" },
      spec: { selector: { a: "c" }, template: template({ a: "b" }) },
    }),
    updates("a pod can change its image", p.pods, pod("a"), { spec: { containers: [{ name: "c", image: "new" }] } }),
    updates("a pod can add tolerations", p.pods, pod("a"), {
      spec: {
        tolerations: [
          { key: "new", operator: "Exists" },
          { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
          { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
        ],
      },
    }),
    updates("a pod cannot remove its deadline", p.pods, pod("a", {}, { activeDeadlineSeconds: 50 }), {
      spec: { activeDeadlineSeconds: null },
    }),
    updates("a pod cannot extend its deadline", p.pods, pod("a", {}, { activeDeadlineSeconds: 50 }), {
      spec: { activeDeadlineSeconds: 60 },
    }),
    service("with a port", { ports: [{ port: 80 }], selector: { a: "b" } }),
    service("without ports", { selector: { a: "b" } }),
    service("without a ClusterIP", { clusterIP: "None", selector: { a: "b" } }),
    service("with two unnamed ports", { ports: [{ port: 80 }, { port: 81 }] }),
    service("with a duplicate port", {
      ports: [
        { port: 80, name: "a" },
        { port: 80, name: "b" },
      ],
    }),
    service("with an unknown type", { type: "Mine", ports: [{ port: 80 }] }),
    service("with an external name", { type: "ExternalName", externalName: "example.com" }),
    service("without its external name", { type: "ExternalName" }),
    service("with a port out of range", { ports: [{ port: 0 }, { port: 70000, name: "x" }] }),
    service("with session affinity", { sessionAffinity: "ClientIP", ports: [{ port: 80 }] }),
    service("with an unknown affinity", { sessionAffinity: "Mine", ports: [{ port: 80 }] }),
    updates(
      "a Service cannot change its address",
      p.services,
      { metadata: { name: "a" }, spec: { ports: [{ port: 80 }] } },
      { spec: { clusterIP: "10.0.9.9", clusterIPs: ["10.0.9.9"] } },
    ),
    {
      name: "a Service updated without its address keeps it",
      steps: [
        post(p.services, { metadata: { name: "a" }, spec: { ports: [{ port: 80 }] } }),
        put(`${p.services}/a`, {
          metadata: { name: "a", resourceVersion: "{0.metadata.resourceVersion}" },
          spec: { ports: [{ port: 81 }] },
        }),
      ],
    },
    makes("a Service with an invalid name", p.services, {
      metadata: { name: "1a" },
      spec: { ports: [{ port: 80 }] },
    }),
    labelled({ a: "b" }),
    labelled({ "a/b/c": "d" }),
    labelled({ "": "d" }),
    labelled({ "-a": "b" }),
    labelled({ a: "-b" }),
    labelled({ a: "x".repeat(64) }),
    labelled({ ["a".repeat(64)]: "b" }),
    labelled({ "Example.com/a": "b" }),
    labelled({ "/a": "b" }),
    labelled({ "example.com/": "b" }),
    labelled({}),
    annotated({ a: "any text: at all" }),
    annotated({ "A/b": "c" }),
    annotated({ "a b": "c" }),
    annotated({ a: "x".repeat(300_000) }),
    owned("of one owner", [owner]),
    owned("to a controller", [{ ...owner, controller: true, blockOwnerDeletion: true }]),
    owned("to two controllers", [
      { ...owner, controller: true },
      { ...owner, name: "p", uid: "v", controller: true },
    ]),
    owned("without a uid", [{ ...owner, uid: "" }]),
    owned("without a kind and an apiVersion", [{ name: "o", uid: "u" }]),
    owned("to an Event", [{ ...owner, apiVersion: "v1", kind: "Event" }]),
    owned("with explicit false values", [{ ...owner, controller: false, blockOwnerDeletion: false }]),
    makes("a generateName that is too long", p.configmaps, { metadata: { generateName: `${"a".repeat(70)}-` } }),
    makes("an invalid generateName", p.configmaps, { metadata: { generateName: "A_" } }),
    makes("a name and a generateName", p.configmaps, { metadata: { name: "a", generateName: "x-" } }),
    makes("a ConfigMap with binary data", p.configmaps, {
      metadata: { name: "a" },
      data: { k: "" },
      binaryData: { b: "AAEC" },
      immutable: true,
    }),
    makes("a ConfigMap with an invalid key", p.configmaps, { metadata: { name: "a" }, data: { "a b": "c" } }),
    makes("a ConfigMap with a duplicate key", p.configmaps, {
      metadata: { name: "a" },
      data: { k: "" },
      binaryData: { k: "AAEC" },
    }),
    updates(
      "an immutable ConfigMap cannot be changed",
      p.configmaps,
      { metadata: { name: "a" }, data: { k: "v" }, immutable: true },
      { data: { k: "w" } },
    ),
    updates(
      "an immutable ConfigMap cannot become mutable",
      p.configmaps,
      { metadata: { name: "a" }, data: { k: "v" }, immutable: true },
      { immutable: false },
    ),
    updates(
      "a Secret cannot change its type",
      p.secrets,
      { metadata: { name: "a" }, type: "Opaque" },
      { type: "example.com/x" },
    ),
    makes("a Lease with a negative duration", p.leases, {
      metadata: { name: "a" },
      spec: { holderIdentity: "x", leaseDurationSeconds: -1 },
    }),
    makes("a Lease with an empty spec", p.leases, { metadata: { name: "a" }, spec: {} }),
  ],
};
