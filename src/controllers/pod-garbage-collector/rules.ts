/** The rules of the pod garbage collector, in the order in which a scan evaluates them. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

interface TerminatedFacts extends Facts {
  readonly phase: string;
  /** How many pods have terminated, in all namespaces. */
  readonly ended: number;
  readonly threshold: number;
}

/** Terminated pods are kept up to a threshold. */
export const terminated: Rule<TerminatedFacts> = rule<TerminatedFacts>({
  id: "terminated",
  looksAt: ["status.phase of all pods", "status.reason Evicted", "metadata.creationTimestamp", "the threshold"],
  chooses:
    "Finished pods are kept up to the threshold (12,500). Excess ones are deleted: evicted ones first, then the oldest.",
  sentence: ({ phase, ended, threshold }) =>
    `${phase}; ${ended} pods have ended, and ${threshold} are kept → delete it`,
  example: { phase: "Succeeded", ended: 12_501, threshold: 12_500 },
  source: "gc_controller.go gcTerminated",
});

interface NodeFacts extends Facts {
  readonly node: string;
}

/** Pods on an out-of-service node need not wait for its kubelet. */
export const outOfService: Rule<NodeFacts> = rule<NodeFacts>({
  id: "out-of-service",
  looksAt: ["metadata.deletionTimestamp", "the node's condition Ready", "its taint node.kubernetes.io/out-of-service"],
  chooses:
    "A pod that is being deleted on a node that is not ready and tainted as out of service is marked failed and deleted at once.",
  sentence: ({ node }) =>
    `it is being deleted, and its node ${node} is not ready and out of service → fail it, delete it at once`,
  example: { node: "node-1" },
  source: "gc_controller.go gcTerminating",
});

/** Pods on a node that is gone are deleted. */
export const orphaned: Rule<NodeFacts> = rule<NodeFacts>({
  id: "orphaned",
  looksAt: ["spec.nodeName", "the nodes in the cache, for 40 s", "the node on the API server"],
  chooses:
    "A pod whose node has been missing from the cache for 40 s, and does not exist on the API server either, is marked failed and deleted at once.",
  sentence: ({ node }) => `its node ${node} does not exist → fail it, delete it at once`,
  example: { node: "node-1" },
  source: "gc_controller.go gcOrphaned",
});

/** The API server has a node that the cache lacks. */
export const nodeExists: Rule<NodeFacts> = rule<NodeFacts>({
  id: "node-exists",
  looksAt: ["the node on the API server"],
  chooses: "A pod whose node exists on the API server stays, whatever the cache shows.",
  sentence: ({ node }) => `the API server has its node ${node}, which the cache does not show → keep it`,
  example: { node: "node-1" },
  source: "gc_controller.go discoverDeletedNodes, checkIfNodeExists",
});

/** Pods without a node have no kubelet to terminate them. */
export const unscheduled: Rule<Facts> = rule<Facts>({
  id: "unscheduled",
  looksAt: ["metadata.deletionTimestamp", "spec.nodeName"],
  chooses: "A pod that is being deleted and has no node is marked failed and deleted at once.",
  sentence: () => "it is being deleted, and has no node → fail it, delete it at once",
  example: {},
  source: "gc_controller.go gcUnscheduledTerminating",
});

/** All of them. */
export const rules: readonly Rule[] = [terminated, outOfService, orphaned, nodeExists, unscheduled];
