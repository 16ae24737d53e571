/** Addresses and ranges that are valid, but not in canonical form: most cause warnings, some are refused. */
import { patch, paths, post, type Case, type Step, type Table } from "../case.ts";

type Json = Readonly<Record<string, unknown>>;

const { pods, services } = paths;
const named = (name: string, more: Json = {}): Json => ({ metadata: { name, ...more } });
const dry = (path: string, body: Json): Step => post(path, body, "dryRun=All");
const relabelled = (path: string): Step => patch("merge", path, { metadata: { labels: { a: "b" } } }, "dryRun=All");

const nodes = "/api/v1/nodes";
const slices = "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices";
const endpoints = "/api/v1/namespaces/{ns}/endpoints";
const policies = "/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies";
const ingresses = "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses";
const long = "2001:db8:0:0::1";
const upper = "2001:DB8::2";
const container = { name: "c", image: "i" };

const slice = (addressType: string, ...addresses: readonly string[]): Step =>
  dry(slices, { ...named("s"), addressType, endpoints: [{ addresses }], ports: [] });
const aliases = {
  containers: [container],
  hostAliases: [{ ip: "10.1.2.3" }, { ip: upper, hostnames: ["a"] }],
  dnsConfig: { nameservers: ["10.1.2.3", long] },
};
const block = (cidr: string, ...except: readonly string[]): Json => ({ ipBlock: { cidr, except } });

const cases: readonly Case[] = [
  {
    name: "ranges of a node's pods",
    steps: [
      dry(nodes, { ...named("{ns}-a"), spec: { podCIDRs: ["2001:DB8::/64"] } }),
      dry(nodes, { ...named("{ns}-a"), spec: { podCIDRs: ["10.0.0.0/24", "2001:db8:0::/64"] } }),
      dry(nodes, { ...named("{ns}-a"), spec: { podCIDRs: ["10.0.0.1/24"] } }),
      dry(nodes, { ...named("{ns}-a"), spec: { podCIDRs: ["::ffff:10.0.0.0/120"] } }),
    ],
  },
  {
    name: "addresses in pods and their templates",
    steps: [
      dry(pods, { ...named("a"), spec: aliases }),
      dry(paths.deployments, {
        ...named("a"),
        spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec: aliases } },
      }),
      dry(pods, { ...named("a"), spec: { ...aliases, dnsConfig: { nameservers: ["::ffff:10.1.2.3", "010.1.2.3"] } } }),
    ],
  },
  {
    name: "addresses in the status of a pod",
    steps: [
      post(pods, { ...named("a"), spec: { containers: [container] } }),
      ...[
        { podIP: long, podIPs: [{ ip: long }], hostIP: upper, hostIPs: [{ ip: upper }, { ip: "10.1.2.3" }] },
        { podIP: "::ffff:10.1.2.3", podIPs: [{ ip: "::ffff:10.1.2.3" }] },
        { podIP: "2001:db8::1" },
      ].map((status) => patch("merge", `${pods}/a/status`, { status }, "dryRun=All")),
    ],
  },
  {
    name: "addresses in EndpointSlices",
    steps: [
      slice("IPv6", long, "2001:db8::1", upper),
      slice("IPv6", "::ffff:10.1.2.3"),
      slice("IPv4", "010.1.2.3"),
      slice("FQDN", "a.b.c"),
      post(slices, { ...named("t"), addressType: "FQDN", endpoints: [{ addresses: ["a.b"] }], ports: [] }),
      relabelled(`${slices}/t`),
    ],
  },
  {
    name: "addresses in Endpoints",
    steps: [
      post(endpoints, {
        ...named("a"),
        subsets: [
          { addresses: [{ ip: "10.1.2.3" }], ports: [{ port: 1 }] },
          { addresses: [{ ip: long }], notReadyAddresses: [{ ip: upper }], ports: [{ port: 1 }] },
        ],
      }),
      relabelled(`${endpoints}/a`),
      patch(
        "merge",
        `${endpoints}/a`,
        { metadata: { labels: { "endpoints.kubernetes.io/managed-by": "endpoint-controller" } } },
        "dryRun=All",
      ),
    ],
  },
  {
    name: "ranges in NetworkPolicies",
    steps: [
      post(policies, {
        ...named("a"),
        spec: {
          podSelector: {},
          egress: [{ to: [{ podSelector: {} }, block("2001:DB8::/32", "2001:db8:0:0::/64")] }],
          ingress: [{ from: [block("10.0.0.0/8", "10.1.0.0/16")] }, { from: [block("0::/0")] }],
        },
      }),
      relabelled(`${policies}/a`),
      ...["10.1.2.3/8", "010.0.0.0/8", "10.0.0.0/08", "::ffff:10.0.0.0/104", "2001:db8::1/64"].map((cidr) =>
        dry(policies, { ...named("b"), spec: { podSelector: {}, ingress: [{ from: [block(cidr)] }] } }),
      ),
    ],
  },
  {
    name: "ranges of a Service's clients, and addresses of balancers",
    steps: [
      post(services, {
        ...named("a"),
        spec: {
          type: "LoadBalancer",
          allocateLoadBalancerNodePorts: false,
          ports: [{ port: 1 }],
          loadBalancerSourceRanges: ["10.0.0.0/8", "2001:DB8::/32", " 2001:db8:0::/48"],
        },
      }),
      dry(services, {
        ...named("b"),
        spec: {
          type: "LoadBalancer",
          allocateLoadBalancerNodePorts: false,
          ports: [{ port: 1 }],
          loadBalancerSourceRanges: ["10.1.2.3/8"],
        },
      }),
      patch(
        "merge",
        `${services}/a/status`,
        { status: { loadBalancer: { ingress: [{ hostname: "h" }, { ip: long, ipMode: "VIP" }, { ip: "10.1.2.3" }] } } },
        "dryRun=All",
      ),
      post(ingresses, { ...named("a"), spec: { defaultBackend: { service: { name: "s", port: { number: 1 } } } } }),
      patch(
        "merge",
        `${ingresses}/a/status`,
        { status: { loadBalancer: { ingress: [{ ip: upper }, { hostname: "h" }, { ip: "10.1.2.3" }] } } },
        "dryRun=All",
      ),
    ],
  },
];

export const addressNotations: Table = { name: "addresses", cases };
