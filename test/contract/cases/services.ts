/** Node ports, load balancers and policies of Services; devices for administrators; fields of disabled features. */
import { get, paths, patch, post, put, settle, type Case, type Table } from "../case.ts";

type Json = Readonly<Record<string, unknown>>;

const service = (spec: Json, metadata: Json = {}): unknown => ({
  metadata: { name: "s", ...metadata },
  spec: { selector: { a: "b" }, ports: [{ port: 80 }], ...spec },
});

/** Creates Services as dry runs. */
const news = (name: string, ...specs: readonly Json[]): Case => ({
  name,
  steps: specs.map((spec) => post(paths.services, service(spec), "dryRun=All")),
});

/** Changes one Service in dry runs. */
const changes = (name: string, spec: Json, ...specs: readonly Json[]): Case => ({
  name,
  steps: [
    post(paths.services, service(spec)),
    settle,
    get(`${paths.services}/s`),
    ...specs.map((more) =>
      put(`${paths.services}/s`, service(more, { resourceVersion: "{2.metadata.resourceVersion}" }), "dryRun=All"),
    ),
  ],
});

const balancer: Json = { type: "LoadBalancer", loadBalancerClass: "a.b/c", ports: [{ port: 80, nodePort: 30_380 }] };
const local: Json = { type: "LoadBalancer", externalTrafficPolicy: "Local" };
const twoPorts: readonly Json[] = [
  { name: "a", port: 80 },
  { name: "b", port: 80, protocol: "UDP" },
];

const request = (more: Json): Json => ({
  devices: { requests: [{ name: "r", exactly: { deviceClassName: "c", ...more } }] },
});
const claims = "/apis/resource.k8s.io/v1/namespaces/{ns}";

export const services: Table = {
  name: "services",
  cases: [
    news(
      "node ports of new Services",
      { type: "NodePort", ports: twoPorts },
      { type: "NodePort", ports: [{ port: 80, nodePort: 31 }] },
      { type: "LoadBalancer", allocateLoadBalancerNodePorts: false },
      local,
      { ports: [{ port: 80, nodePort: 30_001 }] },
      {
        type: "NodePort",
        ports: [
          { name: "a", port: 80, nodePort: 30_001 },
          { name: "b", port: 81, nodePort: 30_001 },
        ],
      },
    ),
    news(
      "traffic policies of a new Service",
      { externalTrafficPolicy: "Local" },
      { type: "NodePort", externalTrafficPolicy: "Some" },
      { type: "NodePort", healthCheckNodePort: 30_002 },
      { internalTrafficPolicy: "" },
      { trafficDistribution: "PreferFar" },
      { loadBalancerClass: "a.b/c", allocateLoadBalancerNodePorts: true },
      { type: "LoadBalancer", loadBalancerClass: "a b" },
      { sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds: 86_401 } } },
      { ports: [{ port: 80, targetPort: 65_536, appProtocol: "a b" }] },
    ),
    news(
      "warnings of the server",
      { externalIPs: ["FD00::0001", "fd00::2", "1.2.3.4"] },
      { type: "LoadBalancer", loadBalancerIP: "FD00::1" },
      { clusterIP: "None", loadBalancerIP: "::ffff:1.2.3.4", externalIPs: ["1.2.3.4"], sessionAffinity: "ClientIP" },
      { externalIPs: ["01.2.3.4"] },
      { trafficDistribution: "PreferClose" },
      { type: "ExternalName", externalName: "a.b", externalIPs: ["1.2.3.4"] },
    ),
    changes(
      "a load balancer class cannot be changed",
      balancer,
      { type: "LoadBalancer" },
      { ...balancer, loadBalancerClass: "a.b/d" },
      { type: "ClusterIP", loadBalancerClass: "a.b/c" },
      { type: "ClusterIP", loadBalancerClass: "a.b/d" },
    ),
    changes(
      "ports keep their node ports by name",
      { type: "NodePort", ports: [{ port: 80, nodePort: 30_180 }] },
      { type: "NodePort", ports: [{ port: 81 }] },
      { type: "NodePort", ports: [{ port: 80 }, { port: 81 }] },
      {
        type: "NodePort",
        ports: [
          { name: "a", port: 81, nodePort: 30_180 },
          { name: "b", port: 80, nodePort: 30_180 },
        ],
      },
      { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports: [{ port: 80 }] },
      { type: "ClusterIP", ports: [{ port: 80, nodePort: 30_180 }] },
      { type: "ClusterIP", ports: [{ port: 80, nodePort: 30_181 }] },
    ),
    changes(
      "a health check keeps its node port",
      { ...local, ports: [{ port: 80, nodePort: 30_280 }], healthCheckNodePort: 30_281 },
      local,
      { ...local, healthCheckNodePort: 30_282 },
      { type: "LoadBalancer" },
    ),
    {
      name: "admin access to devices only in labelled namespaces",
      steps: [
        post(`${claims}/resourceclaims`, { metadata: { name: "a" }, spec: request({ adminAccess: true }) }),
        post(`${claims}/resourceclaimtemplates`, {
          metadata: { name: "a" },
          spec: { spec: request({ adminAccess: true }) },
        }),
        post(`${claims}/resourceclaims`, { metadata: { name: "a" }, spec: request({ selectors: [{ cel: {} }] }) }),
        patch("merge", "/api/v1/namespaces/{ns}", {
          metadata: { labels: { "resource.kubernetes.io/admin-access": "true" } },
        }),
        settle,
        post(`${claims}/resourceclaims`, { metadata: { name: "a" }, spec: request({ adminAccess: true }) }),
      ],
    },
    {
      name: "fields behind disabled features are dropped",
      steps: [
        post(paths.pods, {
          metadata: { name: "a" },
          spec: {
            schedulingGroup: { podGroupName: "A_b" },
            containers: [{ name: "c", image: "i", lifecycle: { stopSignal: "SIGNONE" } }],
            volumes: [{ name: "v", projected: { sources: [{ podCertificate: {}, clusterTrustBundle: {} }] } }],
          },
          status: { qosClass: "Guaranteed" },
        }),
      ],
    },
    {
      name: "node features are sorted",
      steps: [["b"], ["B", "A"], ["A", "A"], ["A", "B/c"]].map((declaredFeatures, index) =>
        post("/api/v1/nodes", { metadata: { name: `{ns}-${index}` }, status: { declaredFeatures } }, "dryRun=All"),
      ),
    },
  ],
};
