/** Kinds of the core group. */
import { clusterWide, namespaced, type Example, type Json } from "./example.ts";

const labels = { app: "a" };
const podSpec = { containers: [{ name: "c", image: "i" }] };
const template = { metadata: { labels }, spec: podSpec };

const volume: Json = {
  capacity: { storage: "1Gi" },
  accessModes: ["ReadWriteOnce"],
  persistentVolumeReclaimPolicy: "Retain",
  hostPath: { path: "/a" },
};

const service: Json = {
  selector: labels,
  type: "LoadBalancer",
  ports: [{ name: "a", port: 80, targetPort: "http" }],
  externalIPs: ["192.0.2.1"],
  loadBalancerSourceRanges: ["192.0.2.0/24"],
};

const endpoints: Json = {
  subsets: [
    {
      addresses: [{ ip: "192.0.2.1", nodeName: "n", targetRef: { kind: "Pod", name: "p" } }],
      notReadyAddresses: [{ ip: "2001:db8::1" }],
      ports: [{ name: "a", port: 80, protocol: "TCP" }],
    },
  ],
};

const range: Json = {
  limits: [{ type: "Container", max: { cpu: "2" }, min: { cpu: "1" }, default: { cpu: "2" } }, { type: "Pod" }],
};

const event: Json = {
  involvedObject: { apiVersion: "v1", kind: "Pod", name: "p", namespace: "{ns}" },
  reason: "Why",
  message: "m",
  type: "Normal",
};

export const coreExamples: readonly Example[] = [
  namespaced("v1", "configmaps", { data: { a: "b" }, binaryData: { c: "YQ==" } }),
  namespaced("v1", "secrets", { type: "kubernetes.io/basic-auth", data: { username: "YQ==" } }),
  namespaced("v1", "serviceaccounts", { secrets: [{ name: "s" }], imagePullSecrets: [{ name: "p" }] }),
  namespaced("v1", "endpoints", endpoints),
  namespaced("v1", "events", event),
  namespaced("v1", "limitranges", { spec: range }),
  namespaced("v1", "resourcequotas", { spec: { hard: { pods: "1", "requests.cpu": "1" }, scopes: ["NotBestEffort"] } }),
  namespaced("v1", "podtemplates", { template }),
  namespaced("v1", "pods", { spec: podSpec }),
  namespaced("v1", "replicationcontrollers", { spec: { selector: labels, template } }),
  namespaced("v1", "services", { spec: service }),
  namespaced("v1", "persistentvolumeclaims", {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  }),
  clusterWide("v1", "persistentvolumes", { spec: volume }),
  clusterWide("v1", "nodes", {
    spec: {
      podCIDR: "192.0.2.0/24",
      podCIDRs: ["192.0.2.0/24"],
      providerID: "p",
      taints: [{ key: "a", value: "b", effect: "NoSchedule" }],
    },
  }),
  clusterWide("v1", "namespaces", {}),
];
