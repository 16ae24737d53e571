import { binding, definition, ofWidget, role, webhook } from "./cluster-objects.ts";
import {
  apps,
  budget,
  claim,
  condition,
  controller,
  cronJob,
  data,
  ingress,
  job,
  kubeletStatus,
  pod,
  podsHave,
  type Row,
  service,
  space,
  volume,
  widget,
  widgets,
  widgetStatus,
  workload,
} from "./row.ts";

const onlyFirst = { nodeSelector: { "kubernetes.io/hostname": "fake-0" } };
const named = { container: { ports: [{ name: "http", containerPort: 80 }] } };
export const healthyWorkloads: readonly Row[] = [
  { name: "a pod that runs", target: "pod/p-fine", objects: [pod("p-fine")] },
  {
    name: "a pod whose ConfigMap is optional",
    target: "pod/p-optional",
    objects: [pod("p-optional", { container: { envFrom: [{ configMapRef: { name: "nope", optional: true } }] } })],
  },
  {
    phase: "by hand",
    name: "a pod that crashed long ago",
    target: "pod/p-old",
    objects: [pod("p-old")],
    afterwards: podsHave(
      "p-old",
      kubeletStatus(
        {
          restartCount: 2,
          state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
          lastState: {
            terminated: { exitCode: 1, startedAt: "2025-12-31T00:00:00Z", finishedAt: "2025-12-31T23:00:00Z" },
          },
        },
        { isReady: true },
      ),
    ),
  },
  {
    phase: "by hand",
    name: "a pod that has succeeded",
    target: "pod/p-done",
    objects: [pod("p-done", { restartPolicy: "Never" })],
    afterwards: podsHave("p-done", { phase: "Succeeded" }),
  },
  {
    name: "a Deployment that is rolled out",
    target: "deploy/d-fine",
    objects: [workload("Deployment", "d-fine", { pods: named })],
  },
  {
    name: "a Deployment that is scaled to 0",
    target: "deploy/d-zero",
    objects: [workload("Deployment", "d-zero", { spec: { replicas: 0 } })],
  },
  {
    name: "a Deployment that was rolled out twice",
    target: "deploy/d-twice",
    objects: [workload("Deployment", "d-twice")],
    afterwards: async (hand) => {
      await hand.pods("d-twice", 2);
      await hand.patch(`${apps}/deployments/d-twice`, {
        spec: { template: { metadata: { annotations: { a: "b" } } } },
      });
    },
  },
  {
    name: "a Deployment that is paused after its rollout",
    target: "deploy/d-rest",
    objects: [workload("Deployment", "d-rest")],
    afterwards: async (hand) => {
      await hand.pods("d-rest", 2);
      await hand.patch(`${apps}/deployments/d-rest`, { spec: { paused: true } });
    },
  },
  { name: "a ReplicaSet without an owner", target: "rs/r-fine", objects: [workload("ReplicaSet", "r-fine")] },
  {
    name: "a ReplicaSet that is scaled to 0",
    target: "rs/r-zero",
    objects: [workload("ReplicaSet", "r-zero", { spec: { replicas: 0 } })],
  },
  { name: "a ReplicationController", target: "rc/rc-fine", objects: [controller("rc-fine")] },
  { name: "a StatefulSet", target: "sts/s-fine", objects: [workload("StatefulSet", "s-fine")] },
  {
    name: "a StatefulSet with OnDelete, whose old pods stay",
    target: "sts/s-stays",
    objects: [workload("StatefulSet", "s-stays", { spec: { updateStrategy: { type: "OnDelete" } } })],
    afterwards: async (hand) => {
      await hand.pods("s-stays", 2);
      await hand.patch(`${apps}/statefulsets/s-stays`, {
        spec: { template: { metadata: { annotations: { a: "b" } } } },
      });
    },
  },
  { name: "a DaemonSet", target: "ds/ds-fine", objects: [workload("DaemonSet", "ds-fine", { pods: onlyFirst })] },
  {
    name: "a DaemonSet for nodes that there are none of",
    target: "ds/ds-none",
    objects: [workload("DaemonSet", "ds-none", { pods: { nodeSelector: { disk: "ssd" } } })],
  },
  { name: "a Job that is complete", target: "job/j-fine", objects: [job("j-fine")] },
  { name: "a CronJob that is not due", target: "cj/cj-fine", objects: [cronJob("cj-fine")] },
];

export const healthyOthers: readonly Row[] = [
  { name: "a Service", target: "svc/svc-fine", objects: [service("svc-fine", { selector: { app: "d-fine" } })] },
  {
    name: "a Service to a named port",
    target: "svc/svc-named",
    objects: [service("svc-named", { selector: { app: "d-fine" }, ports: [{ port: 80, targetPort: "http" }] })],
  },
  {
    name: "a headless Service",
    target: "svc/svc-headless",
    objects: [service("svc-headless", { clusterIP: "None", selector: { app: "s-fine" } })],
  },
  {
    name: "a Service for a name outside",
    target: "svc/svc-outside",
    objects: [service("svc-outside", { type: "ExternalName", externalName: "example.com" })],
  },
  {
    name: "a Service whose endpoints were written by hand",
    target: "svc/svc-hand",
    objects: [
      service("svc-hand", {}),
      {
        apiVersion: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        metadata: { name: "svc-hand-1", labels: { "kubernetes.io/service-name": "svc-hand" } },
        addressType: "IPv4",
        endpoints: [{ addresses: ["10.9.9.9"] }],
        ports: [{ name: "", port: 80 }],
      },
    ],
  },
  { name: "the Service of the API server", target: "svc/kubernetes", namespace: "default" },
  {
    name: "an Ingress with an address",
    target: "ing/i-fine",
    objects: [ingress("i-fine")],
    afterwards: (hand) =>
      hand.status(`/apis/networking.k8s.io/v1/namespaces/${space}/ingresses/i-fine`, {
        loadBalancer: { ingress: [{ ip: "10.0.0.9" }] },
      }),
  },
  {
    name: "a claim that is bound",
    target: "pvc/c-fine",
    objects: [volume("v-fine", { storageClassName: "by-hand" }), claim("c-fine", { storageClassName: "by-hand" })],
  },
  { name: "a volume that is bound", target: "pv/v-fine" },
  { name: "a volume that is free", target: "pv/v-free", objects: [volume("v-free")] },
  { name: "a node", target: "node/fake-1" },
  { name: "a namespace", target: "ns/table" },
  { name: "a ConfigMap", target: "cm/m-fine", objects: [data("ConfigMap", "m-fine")] },
  { name: "a Secret", target: "secret/secret-fine", objects: [data("Secret", "secret-fine")] },
  { name: "a ServiceAccount", target: "sa/default" },
  { name: "a Role", target: "role/role-fine", objects: [role("Role", "role-fine")] },
  {
    name: "a RoleBinding",
    target: "rolebinding/rb-fine",
    objects: [binding("RoleBinding", "rb-fine", { role: ["Role", "role-fine"] })],
  },
  { name: "a ClusterRoleBinding", target: "clusterrolebinding/cluster-admin" },
  { name: "a budget that lets a pod be evicted", target: "pdb/b-fine", objects: [budget("b-fine", "d-twice", 1)] },
  {
    name: "a quota with room",
    target: "quota/q-fine",
    objects: [
      {
        ...data("ResourceQuota", "q-fine"),
        spec: { hard: { "count/secrets": "1000", "count/podtemplates": "0" } },
      },
    ],
  },
  {
    name: "a NetworkPolicy",
    target: "netpol/np-fine",
    objects: [
      {
        apiVersion: "networking.k8s.io/v1",
        kind: "NetworkPolicy",
        metadata: { name: "np-fine" },
        spec: { podSelector: {} },
      },
    ],
  },
  { name: "a CRD", target: "crd/widgets.example.com" },
  { name: "a PriorityClass", target: "priorityclass/system-node-critical" },
  {
    name: "a custom resource that is Ready",
    target: "widget/w-fine",
    objects: [widget("w-fine")],
    afterwards: widgetStatus("w-fine", condition("Ready", "True")),
  },
  {
    name: "a custom resource in phase Running",
    target: "widget/w-runs",
    objects: [widget("w-runs")],
    afterwards: widgetStatus("w-runs", { phase: "Running" }),
  },
  {
    name: "a custom resource that is Ready, and not Upgrading",
    target: "widget/w-calm",
    objects: [widget("w-calm")],
    afterwards: (hand) =>
      hand.status(`${widgets}/w-calm`, {
        conditions: [
          ...(condition("Ready", "True")["conditions"] as []),
          ...(condition("Upgrading", "False")["conditions"] as []),
        ],
      }),
  },
  {
    name: "a custom resource without a status, whose Deployment is rolled out",
    target: "widget/w-quiet",
    objects: [widget("w-quiet")],
    afterwards: async (hand) => {
      const meta = await ofWidget(hand, "w-quiet");
      await hand.create(`${apps}/deployments`, workload("Deployment", "w-quiet-web", { meta }));
    },
  },
  {
    name: "a validating webhook with endpoints",
    target: "validatingwebhookconfigurations/vw-fine",
    objects: [
      webhook("ValidatingWebhookConfiguration", "vw-fine", {
        service: { namespace: space, name: "svc-fine", port: 80 },
      }),
    ],
  },
];

/** The prerequisites of other rows: CRDs and namespaces. */
export const ground: readonly Record<string, unknown>[] = [
  definition("widgets", "Widget"),
  definition("gizmos", "Gizmo", "v1alpha1"),
  data("Namespace", space),
  data("Namespace", "tight"),
  data("Namespace", "strict", { labels: { "pod-security.kubernetes.io/enforce": "restricted" } }),
  data("Namespace", "hooked", { labels: { hooked: "yes" } }),
  data("Namespace", "leaving"),
];

export const groundWithin: readonly Record<string, unknown>[] = [
  { ...data("ResourceQuota", "none", { namespace: "tight" }), spec: { hard: { pods: "0" } } },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    metadata: { name: "there" },
    spec: { controller: "example.com/there" },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "waits" },
    provisioner: "example.com/disk",
    volumeBindingMode: "WaitForFirstConsumer",
  },
  webhook("ValidatingWebhookConfiguration", "hooked", {
    service: { namespace: "hooked", name: "nope" },
    failurePolicy: "Fail",
    namespaceSelector: { matchLabels: { hooked: "yes" } },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
  }),
  role("ClusterRole", "bob", [
    { apiGroups: ["apps", "example.com"], resources: ["deployments", "widgets"], verbs: ["get"] },
  ]),
  binding("ClusterRoleBinding", "bob", { role: ["ClusterRole", "bob"], user: "bob" }),
];
