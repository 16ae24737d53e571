/** The rules by which a DaemonSet keeps one pod on each node that should run one. */
import { pluralize } from "../../api/pluralize.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import { batchSizes } from "../../controller/workload/slow-start.ts";

/** Nodes that should not run a pod, by reason, most common first. */
export interface LeftOut extends Facts {
  readonly why: string;
  readonly nodes: number;
  /** The first such node. */
  readonly first: string;
}

/** `1 node is left out (worker-2: a taint that …)`; empty if there are none. */
function leftOutInWords(leftOut: readonly LeftOut[]): string {
  const nodes = leftOut.reduce((sum, each) => sum + each.nodes, 0);
  if (nodes === 0) return "";
  const reasons = leftOut.map(({ why, first, nodes: many }) =>
    many === 1 ? `${first}: ${why}` : `${first} and ${many - 1} more: ${why}`,
  );
  return `${pluralize(nodes, "node")} ${nodes === 1 ? "is" : "are"} left out (${reasons.join("; ")})`;
}

const looksAtNodes = [
  "spec.template: nodeName, nodeSelector, required node affinity, tolerations",
  "name, labels and taints of every node",
];

interface Named extends Facts {
  /** Names of the first few. */
  readonly names: readonly string[];
  readonly count: number;
}

/** `web-a, web-b and 3 more`. */
export function named({ names, count }: Named): string {
  return count > names.length ? `${names.join(", ")} and ${count - names.length} more` : names.join(", ");
}

interface CreateFacts extends Named {
  readonly desired: number;
  /** How many nodes lack a pod; may exceed what one sync creates. */
  readonly missing: number;
  readonly leftOut: readonly LeftOut[];
}

/** Nodes that should run a pod but have none get one. */
export const createPods: Rule<CreateFacts> = rule<CreateFacts>({
  id: "create-pods",
  looksAt: [...looksAtNodes, "the pods of each node"],
  chooses:
    "Each node that should run a pod and has none gets one, whose node affinity names it; at most 250 per sync, in batches of 1, 2, 4, …; the first error stops further batches.",
  sentence: ({ desired, missing, count, leftOut, ...names }) => {
    const batches = batchSizes(count);
    const how = batches.length > 1 ? `, in batches of ${batches.join(", ")}` : "";
    const others = leftOutInWords(leftOut);
    const lack = `${missing} of ${pluralize(desired, "node")} that should run one ${missing === 1 ? "has" : "have"} none`;
    return `${lack} → create ${count}, for ${named({ ...names, count })}${how}${others === "" ? "" : `; ${others}`}`;
  },
  example: { names: ["worker-3"], count: 1, desired: 3, missing: 1, leftOut: [] },
  source: "daemon_controller.go podsShouldBeOnNode, syncNodes",
});

interface MisplacedFacts extends Named {
  readonly node: string;
  readonly why: string;
}

/** Pods on nodes that should not run one are deleted. */
export const deleteMisplaced: Rule<MisplacedFacts> = rule<MisplacedFacts>({
  id: "delete-misplaced",
  looksAt: [...looksAtNodes, "the pods of each node"],
  chooses:
    "A pod on a node that should not run one is deleted; if only a taint without NoExecute keeps new pods away, it may stay.",
  sentence: ({ node, why, ...names }) =>
    `${node}${names.count > 1 ? " and others" : ""} should not run one: ${why} → delete ${named(names)}`,
  example: {
    names: ["web-x7k2p"],
    count: 1,
    node: "worker-2",
    why: "a taint that the template does not tolerate, dedicated=gpu:NoExecute",
  },
  source: "daemon_controller.go podsShouldBeOnNode, NodeShouldRunDaemonPod",
});

/** Of several pods on a node, one stays. */
export const deleteExcess: Rule<Named> = rule<Named>({
  id: "delete-excess",
  looksAt: ["the pods of each node: whether they are bound, their age, their template"],
  chooses:
    "If several pods run on a node, the oldest one stays, bound ones before others; with maxSurge, one of the current template and one of an earlier template.",
  sentence: (names) =>
    `${names.count === 1 ? "its node has" : "their nodes have"} an older one already → delete ${named(names)}`,
  example: { names: ["web-x7k2p"], count: 1 },
  source: "daemon_controller.go podsShouldBeOnNode, podByCreationTimestampAndPhase",
});

/** A pod that has failed is deleted, to be replaced. */
export const deleteFailed: Rule<Named> = rule<Named>({
  id: "delete-failed",
  looksAt: ["phase of each pod", "when a failed pod was last deleted on its node"],
  chooses:
    "A failed pod is deleted, so that its node gets a new one: at once the first time, then after 1 s · 2ⁿ for each failure on that node, at most 15 minutes.",
  sentence: (names) => `${named(names)} ${names.count === 1 ? "has" : "have"} failed → delete, to be replaced`,
  example: { names: ["web-x7k2p"], count: 1 },
  source: "daemon_controller.go podsShouldBeOnNode, failedPodsBackoffKey",
});

interface BackoffFacts extends Named {
  readonly inMs: number;
}

/** Pods fail in too quick succession. */
export const keepFailed: Rule<BackoffFacts> = rule<BackoffFacts>({
  id: "keep-failed",
  looksAt: ["phase of each pod", "when a failed pod was last deleted on its node"],
  chooses: "A failed pod stays during the back-off of its node; the key is requeued after the full back-off.",
  sentence: ({ inMs, ...names }) =>
    `${named(names)} ${names.count === 1 ? "has" : "have"} failed again too soon → keep, requeue in ${inMs / 1000} s`,
  example: { names: ["web-x7k2p"], count: 1, inMs: 4000 },
  source: "daemon_controller.go podsShouldBeOnNode, client-go backoff.go IsInBackOffSinceUpdate",
});

/** A succeeded pod is deleted, to be replaced. */
export const deleteSucceeded: Rule<Named> = rule<Named>({
  id: "delete-succeeded",
  looksAt: ["phase of each pod"],
  chooses:
    "A pod that has succeeded is deleted, so that its node gets a new one: pods of a DaemonSet are meant to run on.",
  sentence: (names) => `${named(names)} ${names.count === 1 ? "has" : "have"} succeeded → delete, to be replaced`,
  example: { names: ["web-x7k2p"], count: 1 },
  source: "daemon_controller.go podsShouldBeOnNode",
});

interface NoNodeFacts extends Named {
  readonly node: string;
}

/** A pod waits for a node that is gone. */
export const deleteWithoutNode: Rule<NoNodeFacts> = rule<NoNodeFacts>({
  id: "delete-without-node",
  looksAt: ["names of the nodes", "the node that each unbound pod is for"],
  chooses: "A pod that is not bound yet, for a node that does not exist, is deleted: the scheduler can never bind it.",
  sentence: ({ node, ...names }) => `the node ${node} does not exist, for which it waits → delete ${named(names)}`,
  example: { names: ["web-x7k2p"], count: 1, node: "worker-9" },
  source: "daemon_controller.go getUnscheduledPodsWithoutNode",
});

interface SteadyFacts extends Facts {
  readonly desired: number;
  readonly leftOut: readonly LeftOut[];
}

/** Every node has what it should have. */
export const steady: Rule<SteadyFacts> = rule<SteadyFacts>({
  id: "steady",
  looksAt: [...looksAtNodes, "the pods of each node"],
  chooses: "If every node that should run a pod has one, and no other node does, no pod is created or deleted.",
  sentence({ desired, leftOut }) {
    const others = leftOutInWords(leftOut);
    const have =
      desired === 0
        ? "no node should run one"
        : `${pluralize(desired, "node")} ${desired === 1 ? "has its pod" : "have their pods"}`;
    return `${have}${others === "" ? "" : `, ${others}`} → nothing to do`;
  },
  example: {
    desired: 2,
    leftOut: [{ why: "the template's node selector or affinity does not match", nodes: 1, first: "worker-3" }],
  },
  source: "daemon_controller.go manage, NodeShouldRunDaemonPod",
});

/** All of them, in the order in which a sync evaluates them. */
export const podRules: readonly Rule[] = [
  deleteFailed,
  keepFailed,
  deleteSucceeded,
  deleteMisplaced,
  deleteExcess,
  deleteWithoutNode,
  createPods,
  steady,
];
