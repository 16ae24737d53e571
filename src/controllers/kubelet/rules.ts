/** The rules of the simulated kubelet. */
import { type Rule, rule } from "../../controller/api/rule.ts";

interface AcceptFacts extends Readonly<Record<string, unknown>> {
  readonly node: string;
  readonly containers: number;
}

/** A pod bound to a simulated node is accepted. */
export const accept: Rule<AcceptFacts> = rule<AcceptFacts>({
  id: "accept",
  looksAt: ["spec.nodeName", "the node's annotations"],
  chooses: "A pod bound to one of its nodes is accepted: its containers are being created.",
  sentence: ({ node, containers }) =>
    `${node} accepts it, ${containers === 1 ? "1 container" : `${containers} containers`} to start`,
  example: { node: "node-1", containers: 2 },
  source: "pkg/kubelet/kubelet.go HandlePodAdditions, SyncPod",
});

interface ReportFacts extends Readonly<Record<string, unknown>> {
  readonly happened: readonly string[];
  readonly phase: string;
  readonly ready: boolean;
}

/** Events of containers change the pod's status. */
export const report: Rule<ReportFacts> = rule<ReportFacts>({
  id: "report",
  looksAt: [
    "what containers and probes have done since",
    "the annotations sandbox.kubectl-reconcile.io/…",
    "the ConfigMaps and Secrets that containers need",
  ],
  chooses: "What happened to the containers is written into the pod's status, with the resulting phase and conditions.",
  sentence: ({ happened, phase, ready }) =>
    `${happened.length > 0 ? `${happened.join(", ")} → ` : ""}${phase}, ${ready ? "ready" : "not ready"}`,
  example: { happened: ["main started"], phase: "Running", ready: true },
  source: "pkg/kubelet/status/status_manager.go syncPod; kubelet_pods.go generateAPIPodStatus",
});

interface StopFacts extends Readonly<Record<string, unknown>> {
  readonly graceSeconds: number;
  readonly running: number;
}

/** The containers of a pod that is being deleted are stopped. */
export const stop: Rule<StopFacts> = rule<StopFacts>({
  id: "stop",
  looksAt: ["metadata.deletionTimestamp", "metadata.deletionGracePeriodSeconds"],
  chooses:
    "The containers of a pod that is being deleted are signalled to stop; any still running after the grace period are killed.",
  sentence: ({ graceSeconds, running }) =>
    `it is being deleted, ${running} running → stop them within ${graceSeconds} s`,
  example: { graceSeconds: 30, running: 1 },
  source: "pkg/kubelet/kubelet.go SyncTerminatingPod",
});

interface RemoveFacts extends Readonly<Record<string, unknown>> {
  readonly node: string;
}

/** A terminated pod is removed. */
export const remove: Rule<RemoveFacts> = rule<RemoveFacts>({
  id: "remove",
  looksAt: ["metadata.deletionTimestamp", "that no container runs any more"],
  chooses:
    "Once its containers have terminated, a pod that is being deleted is removed from the API with a grace period of 0.",
  sentence: ({ node }) => `all containers on ${node} have terminated → remove it`,
  example: { node: "node-1" },
  source: "pkg/kubelet/status/status_manager.go syncPod, canBeDeleted",
});

/** The rules for pods. */
export const rules: readonly Rule[] = [accept, report, stop, remove];

interface HeartbeatFacts extends Readonly<Record<string, unknown>> {
  readonly everySeconds: number;
}

/** The Lease is renewed. */
export const heartbeat: Rule<HeartbeatFacts> = rule<HeartbeatFacts>({
  id: "heartbeat",
  looksAt: ["Lease in kube-node-lease", "the node's annotation sandbox.kubectl-reconcile.io/silent"],
  chooses: "The Lease of a node that is not silent is renewed every 10 s.",
  sentence: ({ everySeconds }) => `renew its Lease, every ${everySeconds} s`,
  example: { everySeconds: 10 },
  source: "component-helpers apimachinery/lease/controller.go",
});

interface NodeStatusFacts extends Readonly<Record<string, unknown>> {
  readonly missing: readonly string[];
}

/** The status is completed. */
export const nodeStatus: Rule<NodeStatusFacts> = rule<NodeStatusFacts>({
  id: "node-status",
  looksAt: ["status of the Node: conditions, allocatable, addresses"],
  chooses: "The status of a simulated node is completed: condition Ready, addresses, capacity for pods.",
  sentence: ({ missing }) => `${missing.join(", ")} missing → write them`,
  example: { missing: ["condition Ready", "addresses"] },
  source: "pkg/kubelet/kubelet_node_status.go",
});

interface TaintFacts extends Readonly<Record<string, unknown>> {
  readonly taint: string;
}

/** The taint not-ready is removed. */
export const liftTaint: Rule<TaintFacts> = rule<TaintFacts>({
  id: "lift-taint",
  looksAt: ["spec.taints of a node that is ready"],
  chooses:
    "The taint not-ready, with which a node is created, is removed once it is ready. In kube-controller-manager, the node lifecycle controller does this.",
  sentence: ({ taint }) => `it is ready → remove ${taint}`,
  example: { taint: "node.kubernetes.io/not-ready" },
  source: "pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoScheduleTaintingPass",
});

/** The rules for nodes. */
export const nodeRules: readonly Rule[] = [heartbeat, nodeStatus, liftTaint];
