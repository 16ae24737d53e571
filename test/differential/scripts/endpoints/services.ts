/** Changes of Services by users. */
import type { Stage } from "../../stage.ts";
import type { Script, Step } from "../../suite.ts";
import { makeNode, makeService, patchService } from "./acts.ts";
import { goesWithItsService } from "./grammar.ts";
import { begin, pod } from "./pods.ts";

const act = (name: string, does: (stage: Stage) => Promise<unknown>): Step => ({ name, act: does });
const node = (name: string, zone: string): Step =>
  act(`create node ${name} in zone ${zone}`, (stage) => makeNode(stage, name, { zone }));
const service = (spec: object, metadata: object = {}): Step =>
  act(`create a Service with ${JSON.stringify({ spec, metadata })}`, (stage) => makeService(stage, spec, metadata));
const patch = (spec: object, metadata: object = {}): Step =>
  act(`patch the Service with ${JSON.stringify({ spec, metadata })}`, (stage) => patchService(stage, spec, metadata));
const remove: Step = {
  ...goesWithItsService,
  ...act("delete the Service", (stage) => stage.remove("services", "web")),
};

const port = (name: string, targetPort: number | string, more: object = {}): object => ({
  name,
  port: 80,
  targetPort,
  ...more,
});
const other = { port: 81 };

const ports: readonly Script[] = [
  {
    name: "a named port is a different port in each pod",
    steps: [
      node("one", "a"),
      service({ ports: [port("http", "web"), port("admin", 9000, other)] }),
      pod("a", { ips: ["10.1.0.1"], ports: { web: 8080 } }),
      pod("b", { ips: ["10.1.0.2"], at: 2, ports: { web: 8081 } }),
      pod("c", { ips: ["10.1.0.3"], at: 3 }),
      pod("d", { ips: ["10.1.0.4"], at: 4, sidecarPorts: { web: 8080 } }),
      patch({ ports: [port("http", "absent"), port("admin", 9000, other)] }),
      patch({ ports: [port("http", "absent")] }),
      patch({ ports: [port("http", "web")] }),
    ],
  },
  {
    name: "ports are sorted, whatever their order in the Service",
    steps: [
      node("one", "a"),
      service({
        ports: [
          port("zeta", 1, { protocol: "UDP" }),
          port("alpha", 2, { port: 81, appProtocol: "kubernetes.io/h2c" }),
          port("beta", 3, { port: 82 }),
          port("gamma", 4, { port: 83, protocol: "SCTP" }),
        ],
      }),
      pod("a", { ips: ["10.1.0.1"] }),
      patch({ ports: [port("beta", 3, { port: 82 }), port("alpha", 2, { port: 81 })] }),
    ],
  },
];

const kinds: readonly Script[] = [
  {
    name: "a headless Service, without and with ports",
    steps: [
      node("one", "a"),
      service({ clusterIP: "None", ports: null }),
      pod("a", { ips: ["10.1.0.1"] }),
      patch({ ports: [port("http", 8080)] }),
      pod("b", { ips: ["10.1.0.2"], at: 2 }),
    ],
  },
  {
    name: "slices of a Service without a selector are left to the user",
    steps: [
      begin,
      pod("a", { ips: ["10.1.0.1"] }),
      patch({ selector: null }),
      pod("b", { ips: ["10.1.0.2"], at: 2 }),
      patch({ selector: { app: "web" } }),
      patch({ selector: { app: "other" } }),
    ],
  },
  {
    name: "a Service that becomes an ExternalName keeps its endpoints",
    steps: [
      begin,
      pod("a", { ips: ["10.1.0.1"] }),
      patch({ type: "ExternalName", externalName: "example.com", clusterIP: null, clusterIPs: null }),
      pod("b", { ips: ["10.1.0.2"], at: 2 }),
      patch({ type: "ClusterIP", externalName: null }),
    ],
  },
  {
    name: "a selector with several labels",
    steps: [
      node("one", "a"),
      service({ selector: { app: "web", tier: "front" } }),
      pod("a", { ips: ["10.1.0.1"], labels: { tier: "front", app: "web" } }),
      pod("b", { ips: ["10.1.0.2"], at: 2, labels: { app: "web" } }),
      act("add the missing label to pod b", (stage) =>
        stage.patch("pods", "b", { metadata: { labels: { tier: "front" } } }),
      ),
    ],
  },
  {
    name: "a Service is deleted and recreated",
    steps: [begin, pod("a", { ips: ["10.1.0.1"] }), remove, pod("b", { ips: ["10.1.0.2"], at: 2 }), service({})],
  },
  {
    name: "a terminating Service gets no new slices",
    steps: [
      node("one", "a"),
      service({}, { finalizers: ["example.com/hold"] }),
      pod("a", { ips: ["10.1.0.1"] }),
      remove,
      pod("b", { ips: ["10.1.0.2"], at: 2 }),
      patch({ ports: [port("http", 8081)] }),
    ],
  },
  {
    name: "two Services select the same pods",
    steps: [
      begin,
      service({ ports: [port("other", 9090)] }, { name: "other" }),
      pod("a", { ips: ["10.1.0.1"] }),
      { ...goesWithItsService, ...act("delete one", (stage) => stage.remove("services", "other")) },
      pod("b", { ips: ["10.1.0.2"], at: 2 }),
    ],
  },
];

const labels: readonly Script[] = [
  {
    name: "labels of a Service are copied to its slices",
    steps: [
      node("one", "a"),
      service({}, { labels: { team: "red", "service.kubernetes.io/headless": "mine" } }),
      pod("a", { ips: ["10.1.0.1"] }),
      patch({}, { labels: { team: "blue" } }),
      patch({}, { labels: { "endpointslice.kubernetes.io/managed-by": "me" } }),
      patch({}, { labels: { team: null } }),
    ],
  },
];

const families: readonly Script[] = [
  {
    name: "dual-stack, single-stack and again dual-stack",
    steps: [
      node("one", "a"),
      service({ ipFamilyPolicy: "RequireDualStack" }),
      pod("a", { ips: ["10.1.0.1", "2001:db8:0:0::0:1"] }),
      pod("b", { ips: ["10.1.0.2"], at: 2 }),
      patch({ ipFamilyPolicy: "SingleStack" }),
      patch({ ipFamilyPolicy: "PreferDualStack" }),
    ],
  },
  {
    name: "IPv6 only",
    steps: [
      node("one", "a"),
      service({ ipFamilies: ["IPv6"], ipFamilyPolicy: "SingleStack", clusterIP: "None" }),
      pod("a", { ips: ["10.1.0.1", "2001:DB8::1:0:0:1"] }),
      pod("b", { ips: ["10.1.0.2"], at: 2 }),
    ],
  },
];

const distribution = (trafficDistribution: string): Script => ({
  name: `traffic distribution ${trafficDistribution}`,
  steps: [
    node("one", "a"),
    node("two", "b"),
    node("three", ""),
    service({ trafficDistribution }),
    pod("a", { ips: ["10.1.0.1"] }),
    pod("b", { ips: ["10.1.0.2"], at: 2, node: "two" }),
    pod("c", { ips: ["10.1.0.3"], at: 3, node: "three" }),
    pod("d", { ips: ["10.1.0.4"], at: 4, ready: false }),
    patch({ trafficDistribution: null }),
    patch({ trafficDistribution }),
    patch({}, { annotations: { "service.kubernetes.io/topology-mode": "Disabled" } }),
    act("delete a pod", (stage) => stage.remove("pods", "a")),
  ],
});

const distributions: readonly Script[] = [
  ...["PreferClose", "PreferSameZone", "PreferSameNode"].map(distribution),
  {
    name: "a change from one traffic distribution to another",
    steps: [
      node("one", "a"),
      service({ trafficDistribution: "PreferSameNode" }),
      pod("a", { ips: ["10.1.0.1"] }),
      patch({ trafficDistribution: "PreferClose" }),
      patch({ trafficDistribution: "PreferSameNode" }),
    ],
  },
];

export const services: readonly Script[] = [...ports, ...kinds, ...labels, ...families, ...distributions];
