/** Kinds of the groups apps, batch, autoscaling, policy, events, coordination, discovery, node, scheduling. */
import { clusterWide, namespaced, type Example, type Json } from "./example.ts";

const labels = { app: "a" };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
const once = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };

const slice: Json = {
  addressType: "IPv4",
  endpoints: [
    {
      addresses: ["192.0.2.1"],
      conditions: { ready: true },
      hostname: "h",
      nodeName: "n",
      zone: "z",
      targetRef: { kind: "Pod", name: "p" },
      hints: { forZones: [{ name: "z" }] },
    },
  ],
  ports: [{ name: "a", port: 80, protocol: "TCP", appProtocol: "http" }],
};

export const workloadExamples: readonly Example[] = [
  namespaced("apps/v1", "deployments", { spec: { selector, template, replicas: 1 } }),
  namespaced("apps/v1", "replicasets", { spec: { selector, template, replicas: 1 } }),
  namespaced("apps/v1", "statefulsets", { spec: { selector, template, serviceName: "s" } }),
  namespaced("apps/v1", "daemonsets", { spec: { selector, template } }),
  namespaced("apps/v1", "controllerrevisions", { data: { a: 1 }, revision: 1 }),
  namespaced("batch/v1", "jobs", { spec: { template: once } }),
  namespaced("batch/v1", "cronjobs", { spec: { schedule: "* * * * *", jobTemplate: { spec: { template: once } } } }),
  namespaced("policy/v1", "poddisruptionbudgets", { spec: { minAvailable: 1, selector } }),
  namespaced("autoscaling/v2", "horizontalpodautoscalers", {
    spec: {
      minReplicas: 1,
      maxReplicas: 2,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 5 } } },
      ],
    },
  }),
  namespaced("autoscaling/v1", "horizontalpodautoscalers", {
    spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } },
  }),
  namespaced("coordination.k8s.io/v1", "leases", {
    spec: {
      holderIdentity: "h",
      leaseDurationSeconds: 5,
      leaseTransitions: 1,
      renewTime: "2026-01-02T03:04:05.000006Z",
    },
  }),
  namespaced("events.k8s.io/v1", "events", {
    regarding: { apiVersion: "v1", kind: "Pod", name: "p", namespace: "{ns}" },
    eventTime: "2026-01-02T03:04:05.000006Z",
    reportingController: "example.com/c",
    reportingInstance: "i",
    action: "Do",
    reason: "Why",
    type: "Normal",
  }),
  namespaced("discovery.k8s.io/v1", "endpointslices", slice),
  clusterWide("node.k8s.io/v1", "runtimeclasses", {
    handler: "h",
    overhead: { podFixed: { cpu: "1" } },
    scheduling: { nodeSelector: labels, tolerations: [{ key: "a", operator: "Exists", effect: "NoSchedule" }] },
  }),
  clusterWide("scheduling.k8s.io/v1", "priorityclasses", { value: 1, preemptionPolicy: "Never" }),
];
