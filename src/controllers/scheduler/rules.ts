/** The rules of the simulated scheduler. */
import { type Rule, rule } from "../../controller/api/rule.ts";

interface PlaceFacts extends Readonly<Record<string, unknown>> {
  readonly node: string;
  readonly nodes: number;
  readonly feasible: number;
  readonly score: number;
  readonly tied: number;
}

/** The pod is bound to the best node. */
export const place: Rule<PlaceFacts> = rule<PlaceFacts>({
  id: "place",
  looksAt: [
    "nodes: labels, taints, spec.unschedulable, status.allocatable",
    "the pods on them, and their requests",
    "the pod's requests, node selector, affinity, tolerations and host ports",
  ],
  chooses: "Of the nodes that pass every filter, the one with the highest score is chosen; ties are broken at random.",
  sentence: ({ node, nodes, feasible, tied }) =>
    `${feasible} of ${nodes} nodes fit → ${node}${tied > 1 ? `, one of ${tied} with equal scores` : ""}`,
  example: { node: "node-1", nodes: 3, feasible: 2, score: 190, tied: 1 },
  source: "pkg/scheduler/schedule_one.go schedulePod, selectHost",
});

interface UnschedulableFacts extends Readonly<Record<string, unknown>> {
  readonly message: string;
  readonly attempts: number;
}

/** The pod fits on no node. */
export const unschedulable: Rule<UnschedulableFacts> = rule<UnschedulableFacts>({
  id: "unschedulable",
  looksAt: ["the objections of each filter to each node"],
  chooses: "If no node is left, the pod is marked Unschedulable; it is retried when nodes or pods change.",
  sentence: ({ message }) => `${message} → wait for a change`,
  example: { message: "0/3 nodes are available: 3 Insufficient cpu.", attempts: 1 },
  source: "pkg/scheduler/schedule_one.go handleSchedulingFailure",
});

interface VolumesFacts extends Readonly<Record<string, unknown>> {
  readonly node: string;
  readonly claims: readonly string[];
}

/** The pod's claims wait for its node. */
export const bindVolumes: Rule<VolumesFacts> = rule<VolumesFacts>({
  id: "bind-volumes",
  looksAt: [
    "the pod's claims, their classes' volumeBindingMode",
    "PersistentVolumes: claimRef, capacity, node affinity",
  ],
  chooses:
    "Claims that wait for a consumer get a free volume that their pod's node can reach, or have one created for it; the pod is bound once they are.",
  sentence: ({ node, claims }) => `${claims.join(", ")}: bind volumes for ${node} → wait for them`,
  example: { node: "node-1", claims: ["data"] },
  source: "pkg/scheduler/framework/plugins/volumebinding/binder.go BindPodVolumes",
});

interface GatedFacts extends Readonly<Record<string, unknown>> {
  readonly gates: readonly string[];
}

/** The pod has scheduling gates. */
export const gated: Rule<GatedFacts> = rule<GatedFacts>({
  id: "gated",
  looksAt: ["spec.schedulingGates"],
  chooses: "A pod with scheduling gates waits until all of them are removed.",
  sentence: ({ gates }) => `held by ${gates.join(", ")} → wait`,
  example: { gates: ["example.com/ready"] },
  source: "pkg/scheduler/framework/plugins/schedulinggates/scheduling_gates.go",
});

/** All of them. */
export const rules: readonly Rule[] = [place, unschedulable, bindVolumes, gated];
