/** The rules of the node lifecycle controller, in the order in which a sync evaluates them. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

interface LabelFacts extends Facts {
  /** `beta.kubernetes.io/os=linux` */
  readonly labels: readonly string[];
}

/** Labels are set under their older names. */
export const relabel: Rule<LabelFacts> = rule<LabelFacts>({
  id: "relabel",
  looksAt: ["metadata.labels: kubernetes.io/os and kubernetes.io/arch, and the same under beta.kubernetes.io"],
  chooses: "The deprecated labels of a node's operating system and architecture follow the current ones.",
  sentence: ({ labels }) => `labels of older names are missing or differ → ${labels.join(", ")}`,
  example: { labels: ["beta.kubernetes.io/os=linux"] },
  source: "node_lifecycle_controller.go reconcileNodeLabels",
});

interface TaintFacts extends Facts {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** Taints keep new pods away. */
export const scheduleTaints: Rule<TaintFacts> = rule<TaintFacts>({
  id: "schedule-taints",
  looksAt: ["status.conditions", "spec.unschedulable", "spec.taints with the effect NoSchedule"],
  chooses:
    "The NoSchedule taints not-ready, unreachable, memory-pressure, disk-pressure, pid-pressure, network-unavailable and unschedulable of a node follow its conditions and its spec.",
  sentence: ({ add, remove }) =>
    `its conditions ask for other NoSchedule taints → ${[...add.map((key) => `add ${key}`), ...remove.map((key) => `remove ${key}`)].join(", ")}`,
  example: { add: ["node.kubernetes.io/unreachable"], remove: [] },
  source: "node_lifecycle_controller.go doNoScheduleTaintingPass",
});

/** Why NoExecute taints are lifted. */
interface LiftFacts extends Facts {
  readonly why: "new" | "ready" | "no node is ready";
}

const liftReasons: Readonly<Record<LiftFacts["why"], string>> = {
  new: "it is seen for the first time",
  ready: "it is ready",
  "no node is ready": "no node of the cluster is ready, so that the fault may be here",
};

/** Taints that evict pods are removed. */
export const lift: Rule<LiftFacts> = rule<LiftFacts>({
  id: "lift",
  looksAt: ["the condition Ready", "spec.taints with the effect NoExecute", "the conditions Ready of all nodes"],
  chooses:
    "The NoExecute taints not-ready and unreachable are removed from a node that is ready or seen for the first time, and from all nodes when none is ready: then no pod is evicted.",
  sentence: ({ why }) => `${liftReasons[why]} → remove its NoExecute taints not-ready and unreachable`,
  example: { why: "ready" },
  source: "node_lifecycle_controller.go markNodeAsReachable, handleDisruption",
});

interface SilentFacts extends Facts {
  readonly seconds: number;
}

/** A node has fallen silent. */
export const silent: Rule<SilentFacts> = rule<SilentFacts>({
  id: "silent",
  looksAt: [
    "renewals of its Lease in kube-node-lease",
    "lastHeartbeatTime of its condition Ready",
    "when these were seen to change",
  ],
  chooses:
    "The conditions of a node become Unknown when neither its Lease nor its status has changed for 50 s, or for 60 s before its first report.",
  sentence: ({ seconds }) => `it has not reported for ${seconds} s → its conditions become Unknown`,
  example: { seconds: 51 },
  source: "node_lifecycle_controller.go tryUpdateNodeHealth",
});

interface SwapFacts extends Facts {
  readonly ready: string;
  readonly taint: string;
}

/** One NoExecute taint replaces the other. */
export const swap: Rule<SwapFacts> = rule<SwapFacts>({
  id: "swap",
  looksAt: ["the condition Ready", "spec.taints with the effect NoExecute"],
  chooses: "If a node changes from not ready to unreachable or back, its taint is replaced at once.",
  sentence: ({ ready, taint }) => `its condition Ready has become ${ready} → taint ${taint} in place of the other one`,
  example: { ready: "Unknown", taint: "node.kubernetes.io/unreachable:NoExecute" },
  source: "node_lifecycle_controller.go processTaintBaseEviction",
});

interface ExecuteFacts extends SwapFacts {
  readonly zone: string;
}

/** Pods are evicted from a node that is not ready. */
export const executeTaint: Rule<ExecuteFacts> = rule<ExecuteFacts>({
  id: "execute-taint",
  looksAt: ["the condition Ready", "the state of its zone", "when a node of the zone was tainted last"],
  chooses:
    "A node that is not ready gets the NoExecute taint not-ready or unreachable in turn: one node every 10 s per zone; in a zone where most nodes are not ready one every 100 s, or none in a small zone; none while no node of the cluster is ready.",
  sentence: ({ ready, taint, zone }) =>
    `its condition Ready is ${ready}, and it is its turn in ${zone === "" ? "the cluster" : `zone ${zone}`} → taint ${taint}`,
  example: { ready: "Unknown", taint: "node.kubernetes.io/unreachable:NoExecute", zone: "" },
  source: "node_lifecycle_controller.go doNoExecuteTaintingPass",
});

interface PodsFacts extends Facts {
  readonly node: string;
  readonly pods: number;
}

/** Pods of a node that is not ready are not ready either. */
export const podsNotReady: Rule<PodsFacts> = rule<PodsFacts>({
  id: "pods-not-ready",
  looksAt: ["the condition Ready of the node", "the condition Ready of its pods"],
  chooses:
    "Pods on a node that has stopped reporting, and pods that are bound to a node that is not ready, become not ready: Services no longer send traffic to them.",
  sentence: ({ node, pods }) => `${node} is not ready → ${pods === 1 ? "1 pod" : `${pods} pods`} on it Ready=False`,
  example: { node: "node-1", pods: 3 },
  source: "pkg/controller/util/node/controller_utils.go MarkPodsNotReady",
});

/** All of them. */
export const rules: readonly Rule[] = [lift, silent, podsNotReady, swap, executeTaint, scheduleTaints, relabel];
