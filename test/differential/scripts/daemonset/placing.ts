/** Which nodes get a pod: labels, affinity, names, taints, added and removed nodes. */
import type { Script } from "../../play.ts";
import {
  allEnd,
  allReady,
  comes,
  create,
  type DaemonSetParts,
  full,
  gpu,
  labelled,
  leaves,
  nodes,
  patch,
  podSpec,
  spec,
  type Taint,
  tainted,
  threeNodes,
} from "./acts.ts";

const ssd = { labels: { disk: "ssd" } } as const;
const hdd = { labels: { disk: "hdd" } } as const;

function required(...terms: readonly object[]): object {
  return {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
  };
}

const term = (operator: string, ...values: readonly string[]): object => ({
  matchExpressions: [{ key: "disk", operator, ...(values.length > 0 && { values }) }],
});

/** Begins with a node for each disk type and one without a disk label; then their labels change. */
const byLabels = (name: string, parts: DaemonSetParts): Script => ({
  name: `by labels: ${name}`,
  steps: [
    nodes(ssd, hdd, {}),
    create(parts),
    allReady,
    labelled(3, { disk: "ssd", size: "7" }),
    allReady,
    labelled(1, { disk: "hdd" }),
    allEnd,
    allReady,
    labelled(2, { disk: null, size: "2" }),
    allEnd,
  ],
});

const operator = (key: string, ...values: readonly string[]): Script =>
  byLabels(`${key} ${values.join(" ")}`, { podSpec: required(term(key, ...values)) });

const taintOf = (key: string, effect = "NoSchedule"): Taint => ({ key: `node.kubernetes.io/${key}`, effect });

const byTaint = (name: string, taint: Taint, pods: object = {}): Script => ({
  name: `by taints: ${name}`,
  steps: [
    nodes({}, { taints: [taint] }),
    create({ podSpec: pods }),
    allReady,
    tainted(1, taint),
    allEnd,
    tainted(2),
    allReady,
  ],
});

export const placing: readonly Script[] = [
  { name: "a set on three nodes", steps: [threeNodes, create(), allReady] },
  { name: "a set is created before its nodes", steps: [create(), comes(1), comes(2), allReady] },
  {
    name: "nodes are added and deleted",
    steps: [threeNodes, create(), allReady, leaves(2), comes(4), allReady, comes(2), allReady],
  },
  {
    name: "a pod that was not bound before its node was deleted is deleted with the next sync",
    steps: [threeNodes, create(), leaves(2), patch("annotate the set", { metadata: { annotations: { note: "1" } } })],
  },
  {
    // A node that has a pod of the set already wakes it only if a pod is misplaced.
    name: "a node comes back under its pod, which the status counts with the next sync",
    steps: [
      threeNodes,
      create(),
      allReady,
      leaves(2),
      patch("annotate the set", { metadata: { annotations: { note: "1" } } }),
      { ...comes(2), waitMs: 3000 },
      patch("annotate the set again", { metadata: { annotations: { note: "2" } } }),
    ],
  },
  byLabels("a node selector", { nodeSelector: { disk: "ssd" } }),
  operator("In", "ssd", "nvme"),
  operator("NotIn", "ssd"),
  operator("Exists"),
  operator("DoesNotExist"),
  byLabels("Gt", { podSpec: required({ matchExpressions: [{ key: "size", operator: "Gt", values: ["5"] }] }) }),
  byLabels("Lt", { podSpec: required({ matchExpressions: [{ key: "size", operator: "Lt", values: ["5"] }] }) }),
  byLabels("Gt of a fraction", {
    podSpec: required({ matchExpressions: [{ key: "size", operator: "Gt", values: ["4.5"] }] }),
  }),
  byLabels("Gt of a hexadecimal number, or another term", {
    podSpec: required({ matchExpressions: [{ key: "size", operator: "Gt", values: ["0x1"] }] }, term("In", "hdd")),
  }),
  byLabels("Lt of a number beyond 64 bits", {
    podSpec: required({ matchExpressions: [{ key: "size", operator: "Lt", values: ["99999999999999999999"] }] }),
  }),
  byLabels("one of two terms", { podSpec: required(term("In", "hdd"), term("In", "ssd")) }),
  byLabels("a selector and a term", { nodeSelector: { disk: "ssd" }, podSpec: required(term("Exists")) }),
  byLabels("preferences have no effect", {
    podSpec: {
      affinity: {
        nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: term("Exists") }] },
      },
    },
  }),
  {
    name: "by name: the template has a nodeName",
    steps: [
      threeNodes,
      {
        name: "create the set",
        act: async (stage) => {
          await create({ podSpec: { nodeName: `${stage.namespace}-n2` } }).act(stage);
        },
      },
      allReady,
      tainted(2, full),
    ],
  },
  {
    name: "by name: the affinity has matchFields",
    steps: [
      threeNodes,
      {
        name: "create the set",
        act: async (stage) => {
          const matchFields = [{ key: "metadata.name", operator: "NotIn", values: [`${stage.namespace}-n2`] }];
          await create({ podSpec: required({ matchFields }) }).act(stage);
        },
      },
      allReady,
      patch("change the name in the affinity", (stage) => {
        const matchFields = [{ key: "metadata.name", operator: "In", values: [`${stage.namespace}-n2`] }];
        return { spec: { template: { spec: required({ matchFields }) } } };
      }),
      allEnd,
      allReady,
    ],
  },
  byTaint("NoSchedule", gpu),
  byTaint("NoExecute", full),
  byTaint("PreferNoSchedule", { ...gpu, effect: "PreferNoSchedule" }),
  byTaint("a tolerated taint", gpu, {
    tolerations: [{ key: "dedicated", operator: "Equal", value: "gpu", effect: "NoSchedule" }],
  }),
  byTaint("a toleration with another value", gpu, {
    tolerations: [{ key: "dedicated", value: "cpu", effect: "NoSchedule" }],
  }),
  byTaint("everything is tolerated", full, { tolerations: [{ operator: "Exists" }] }),
  byTaint("not ready, NoExecute", taintOf("not-ready", "NoExecute")),
  byTaint("not ready, NoSchedule", taintOf("not-ready")),
  byTaint("unreachable", taintOf("unreachable", "NoExecute")),
  byTaint("memory pressure", taintOf("memory-pressure")),
  byTaint("unschedulable", taintOf("unschedulable")),
  byTaint("network unavailable", taintOf("network-unavailable")),
  byTaint("network unavailable, with hostNetwork", taintOf("network-unavailable"), { hostNetwork: true }),
  byTaint("the set's own toleration, with tolerationSeconds", taintOf("not-ready", "NoExecute"), {
    tolerations: [
      { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 },
      { key: "other", operator: "Exists" },
    ],
  }),
  {
    name: "a pod on the wrong node is counted as misscheduled until the taint is removed",
    steps: [nodes({}, {}), create(), allReady, tainted(1, gpu), tainted(1), tainted(1, gpu, full), allEnd, tainted(1)],
  },
  {
    name: "the template gets and loses a toleration",
    steps: [
      nodes({}, { taints: [gpu] }),
      create({ rolling: [2, 0] }),
      allReady,
      podSpec("tolerate everything", { tolerations: [{ operator: "Exists" }] }),
      allEnd,
      allReady,
      podSpec("tolerate nothing", { tolerations: null }),
      allEnd,
      allReady,
    ],
  },
  {
    name: "the template selects other nodes",
    steps: [
      nodes(ssd, hdd),
      create({ nodeSelector: { disk: "ssd" } }),
      allReady,
      podSpec("select other disks", { nodeSelector: { disk: "hdd" } }),
      allEnd,
      allReady,
      podSpec("select no node", { nodeSelector: { disk: "none" } }),
      allEnd,
      spec("set revisionHistoryLimit, with no pods desired", { revisionHistoryLimit: 1 }),
    ],
  },
];
