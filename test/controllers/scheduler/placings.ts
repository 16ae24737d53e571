/** Pods, nodes and the expected placement, for our scheduler and for the real one. */
import type { NodeParts, PodParts } from "../../support/pods.ts";

export type Named<T> = readonly (readonly [name: string, parts: T])[];

const two: Named<NodeParts> = [
  ["a", { labels: { disk: "ssd", zone: "one" } }],
  ["b", { labels: { disk: "hdd", zone: "two" } }],
];

const affinityTo = (app: string, topologyKey = "zone"): object => ({
  labelSelector: { matchLabels: { app } },
  topologyKey,
});

const spreadOver = (topologyKey: string): object => ({
  topologyKey,
  maxSkew: 1,
  whenUnsatisfiable: "DoNotSchedule",
  labelSelector: { matchLabels: { app: "web" } },
});

const nodeAffinity = (key: string, operator: string, values: readonly string[]): object => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key, operator, values }] }],
    },
  },
});

export interface Placing {
  readonly name: string;
  readonly nodes: Named<NodeParts>;
  readonly first?: Named<PodParts>;
  readonly pod: PodParts;
  /** Undefined: the pod is not scheduled, with this message. */
  readonly node?: string;
  readonly message?: string;
}

// Untyped, because the types of affinity are large: the rows contain only what they need.
export const specOf = (spec: object): PodParts => ({ spec });

export const placings: readonly Placing[] = [
  { name: "a node selector", nodes: two, pod: specOf({ nodeSelector: { disk: "hdd" } }), node: "b" },
  {
    name: "a node selector that no node has",
    nodes: two,
    pod: specOf({ nodeSelector: { disk: "tape" } }),
    message: "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.",
  },
  {
    name: "required node affinity",
    nodes: two,
    pod: specOf({ affinity: nodeAffinity("disk", "NotIn", ["ssd"]) }),
    node: "b",
  },
  {
    name: "preferred node affinity",
    nodes: two,
    pod: specOf({
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 10, preference: { matchExpressions: [{ key: "disk", operator: "In", values: ["hdd"] }] } },
            { weight: 1, preference: { matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] } },
          ],
        },
      },
    }),
    node: "b",
  },
  {
    name: "a taint",
    nodes: [
      ["a", { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }] }],
      ["b", {}],
    ],
    pod: {},
    node: "b",
  },
  {
    name: "a taint that is tolerated, and a full node beside it",
    nodes: [
      ["a", { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }] }],
      ["b", { allocatable: { pods: "0" } }],
    ],
    pod: specOf({ tolerations: [{ key: "gpu", operator: "Exists" }] }),
    node: "a",
  },
  {
    name: "a taint that is only to be avoided",
    nodes: [
      ["a", { taints: [{ key: "slow", effect: "PreferNoSchedule" }] }],
      ["b", {}],
    ],
    pod: {},
    node: "b",
  },
  {
    name: "a cordoned node, a tainted one and a full one",
    nodes: [
      ["a", { unschedulable: true, taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }] }],
      ["b", { taints: [{ key: "gpu", effect: "NoExecute" }] }],
      ["c", { allocatable: { cpu: "1" } }],
    ],
    pod: { requests: { cpu: "1500m" } },
    message:
      "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable.",
  },
  {
    name: "room taken by a pod that stands there",
    nodes: [
      ["a", {}],
      ["b", {}],
    ],
    first: [["big", { requests: { cpu: "3" }, ...specOf({ nodeName: "a" }) }]],
    pod: { requests: { cpu: "2" } },
    node: "b",
  },
  {
    name: "init containers that need more than the containers",
    nodes: [["a", {}]],
    pod: specOf({
      initContainers: [
        { name: "side", image: "i", restartPolicy: "Always", resources: { requests: { cpu: "1" } } },
        { name: "init", image: "i", resources: { requests: { cpu: "3500m" } } },
      ],
    }),
    message: "0/1 nodes are available: 1 Insufficient cpu.",
  },
  {
    name: "no more than the pods that a node takes",
    nodes: [["a", { allocatable: { pods: "1" } }]],
    first: [["other", {}]],
    pod: {},
    message: "0/1 nodes are available: 1 Too many pods.",
  },
  {
    name: "a host port that is taken",
    nodes: [["a", {}]],
    first: [
      ["other", specOf({ containers: [{ name: "c", image: "i", ports: [{ containerPort: 80, hostPort: 80 }] }] })],
    ],
    pod: specOf({ containers: [{ name: "c", image: "i", ports: [{ containerPort: 80, hostPort: 80 }] }] }),
    message: "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.",
  },
  {
    name: "affinity to a pod",
    nodes: two,
    first: [["db", { labels: { app: "db" }, ...specOf({ nodeName: "b" }) }]],
    pod: specOf({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [affinityTo("db")] } } }),
    node: "b",
  },
  {
    name: "affinity to a pod that is nowhere",
    nodes: two,
    pod: specOf({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [affinityTo("db")] } } }),
    message: "0/2 nodes are available: 2 node(s) didn't match pod affinity rules.",
  },
  {
    name: "anti-affinity to a pod",
    nodes: two,
    first: [["db", { labels: { app: "db" }, ...specOf({ nodeName: "b" }) }]],
    pod: specOf({
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [affinityTo("db")] } },
    }),
    node: "a",
  },
  {
    name: "a pod that keeps others away",
    nodes: two,
    first: [
      [
        "db",
        {
          labels: { app: "db" },
          ...specOf({
            nodeName: "a",
            affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [affinityTo("web")] } },
          }),
        },
      ],
    ],
    pod: { labels: { app: "web" } },
    node: "b",
  },
  {
    name: "a topology spread constraint, where the other zone has more room",
    nodes: two,
    first: [
      ["web-1", { labels: { app: "web" }, ...specOf({ nodeName: "a" }) }],
      ["big", { requests: { cpu: "3" }, ...specOf({ nodeName: "b" }) }],
    ],
    pod: { labels: { app: "web" }, ...specOf({ topologySpreadConstraints: [spreadOver("zone")] }) },
    node: "b",
  },
  {
    name: "a topology spread constraint that cannot be kept",
    nodes: [...two, ["c", {}]],
    first: [
      ["web-1", { labels: { app: "web" }, ...specOf({ nodeName: "a" }) }],
      ["big", { requests: { cpu: "4" }, ...specOf({ nodeName: "b" }) }],
    ],
    pod: {
      labels: { app: "web" },
      requests: { cpu: "1" },
      ...specOf({
        topologySpreadConstraints: [spreadOver("zone")],
        containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1" } } }],
      }),
    },
    message:
      "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match pod topology spread constraints, 1 node(s) didn't match pod topology spread constraints (missing required label).",
  },
  { name: "no nodes at all", nodes: [], pod: {}, message: "no nodes available to schedule pods" },
];
