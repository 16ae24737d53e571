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

/** A write before the binding was refused. */
export const failed: Rule<UnschedulableFacts> = rule<UnschedulableFacts>({
  id: "failed",
  looksAt: ["the API server's response to the reservation of its ResourceClaims"],
  chooses:
    "If a claim cannot be reserved for the pod, the pod gives up its node and the claims reserved before; it is marked SchedulerError, and retried.",
  sentence: ({ message }) => `${message} → give up the node, and retry`,
  example: {
    message:
      'running PreBind plugin "DynamicResources": add reservation to claim shop/gpu: ResourceClaim.resource.k8s.io "gpu" is invalid: status.reservedFor: Too many: 257: must have at most 256 items',
    attempts: 1,
  },
  source: "pkg/scheduler/schedule_one.go handleBindingCycleError",
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
    "Claims that wait for a consumer get an available volume that their pod's node can reach, or one is provisioned; the pod is bound once they are.",
  sentence: ({ node, claims }) => `${claims.join(", ")}: bind volumes for ${node} → wait for them`,
  example: { node: "node-1", claims: ["data"] },
  source: "pkg/scheduler/framework/plugins/volumebinding/binder.go BindPodVolumes",
});

interface HeldFacts extends Readonly<Record<string, unknown>> {
  readonly why: string;
}

/** The pod is not tried until its device claims exist. */
export const awaitDevices: Rule<HeldFacts> = rule<HeldFacts>({
  id: "await-devices",
  looksAt: [
    "spec.resourceClaims and status.resourceClaimStatuses of the pod",
    "its ResourceClaims: metadata.deletionTimestamp, the pod that controls them; status.devices, where a driver named conditions for the binding",
  ],
  chooses:
    "A pod whose ResourceClaims do not exist, are being deleted, or were created for another pod is not scheduled; one whose devices are still being prepared is not bound. Neither an Event nor a condition says so. It is retried when a claim or its status changes.",
  sentence: ({ why }) => `${why} → wait`,
  example: { why: 'pod "shop/web": ResourceClaim not created yet' },
  source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go PreEnqueue, PreBind",
});

interface ReserveFacts extends Readonly<Record<string, unknown>> {
  readonly node: string;
  readonly claims: readonly string[];
}

/** The pod's device claims are reserved for it. */
export const reserveDevices: Rule<ReserveFacts> = rule<ReserveFacts>({
  id: "reserve-devices",
  looksAt: ["status.allocation and status.reservedFor of the pod's ResourceClaims"],
  chooses: "Before the pod is bound, its claims that have devices and do not list it are reserved for it.",
  sentence: ({ node, claims }) => `${claims.join(", ")}: reserve for the pod, which goes to ${node}`,
  example: { node: "node-1", claims: ["gpu"] },
  source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go PreBind, bindClaim",
});

interface DeallocateFacts extends Readonly<Record<string, unknown>> {
  readonly claim: string;
  readonly nodes: number;
}

/** Without its claim's allocated devices, the pod could run on other nodes. */
export const deallocateDevices: Rule<DeallocateFacts> = rule<DeallocateFacts>({
  id: "deallocate-devices",
  looksAt: [
    "nodes that fit but for the pod's ResourceClaims",
    "status.allocation.nodeSelector and status.reservedFor of these; status.devices, where a driver says that a binding has failed",
  ],
  chooses:
    "If no node is left only because of the devices of a claim, the claim loses them, unless other pods use it: it may get devices elsewhere.",
  sentence: ({ claim, nodes }) =>
    `${claim} has devices that ${nodes} ${nodes === 1 ? "node that fits" : "nodes that fit"} cannot use, and no other pod uses it → deallocate them`,
  example: { claim: "gpu", nodes: 2 },
  source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go PostFilter",
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
export const rules: readonly Rule[] = [
  place,
  unschedulable,
  failed,
  bindVolumes,
  awaitDevices,
  reserveDevices,
  deallocateDevices,
  gated,
];
