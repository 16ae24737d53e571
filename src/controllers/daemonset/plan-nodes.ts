/**
 * What to do about the pods of each node, rollouts aside: a pure comparison of the pods with the nodes that should run one.
 * Source: kubernetes v1.36 pkg/controller/daemon/daemon_controller.go podsShouldBeOnNode, manage, getUnscheduledPodsWithoutNode.
 */
import type { DaemonSet, Node, Pod } from "../../api/types.ts";
import { isPodAvailable, isPodReady } from "../../controller/workload/pod-status.ts";
import { oldestFirst, type PodsByNode } from "./daemon-pods.ts";
import { hashLabel } from "./new-pod.ts";
import type { NodeFits } from "../../api/node-fit/daemon-fit.ts";
import { allowsSurge, minReadySeconds } from "./spec.ts";

/** Why a pod is deleted. */
export type Removal =
  /** It has failed; back-off may delay its deletion. */
  | "failed"
  | "succeeded"
  /** Its node has an older one. */
  | "excess"
  /** A surge pod has replaced it. */
  | "superseded"
  /** Its node should neither run nor keep one. */
  | "misplaced"
  /** It waits for a node that does not exist. */
  | "no node";

/** A pod to be deleted. */
export interface PodToRemove {
  readonly pod: Pod;
  readonly node: string;
  readonly why: Removal;
}

/** What to do about the pods of the nodes. */
export interface NodesPlan {
  /** Names of the nodes that get a pod. */
  readonly create: readonly string[];
  readonly remove: readonly PodToRemove[];
}

/** What plans and counts are based on. */
export interface NodesInput {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  readonly pods: PodsByNode;
  readonly fitOf: NodeFits;
  /** Of the current template. */
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Plans all nodes, in their order. */
export function planNodes(input: NodesInput): NodesPlan {
  const create: string[] = [];
  const remove: PodToRemove[] = [];
  for (const node of input.nodes) {
    const plan = planNode(input, node);
    if (plan.create) create.push(node.metadata.name);
    remove.push(...plan.remove.map((each) => ({ ...each, node: node.metadata.name })));
  }
  return { create, remove: [...remove, ...waitingForNoNode(input)] };
}

/** What to do about the pods of one node. */
interface NodePlan {
  readonly create: boolean;
  readonly remove: readonly Omit<PodToRemove, "node">[];
}

/** Plans one node. */
function planNode(input: NodesInput, node: Node): NodePlan {
  const { shouldRun, mayStay } = input.fitOf(node);
  const pods = input.pods.get(node.metadata.name);
  if (pods === undefined) return { create: shouldRun, remove: [] };
  const remaining = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (!mayStay) return { create: false, remove: remaining.map((pod) => ({ pod, why: "misplaced" })) };
  const ended = remaining.flatMap((pod) => removalOfEnded(pod));
  const running = oldestFirst(remaining.filter((pod) => removalOfEnded(pod).length === 0));
  if (!allowsSurge(input.set)) {
    return { create: false, remove: [...ended, ...running.slice(1).map((pod) => ({ pod, why: "excess" as const }))] };
  }
  // With a surge, a terminating pod does not hold up its replacement.
  return { create: shouldRun && running.length === 0, remove: [...ended, ...superseded(input, running)] };
}

function removalOfEnded(pod: Pod): NodePlan["remove"] {
  const phase = pod.status?.phase;
  if (phase === "Failed") return [{ pod, why: "failed" }];
  return phase === "Succeeded" ? [{ pod, why: "succeeded" }] : [];
}

/**
 * The oldest pod of the current template stays, and so does the oldest of all earlier templates, but only as long as it is ready and the
 * new one is not yet available.
 */
function superseded({ set, hash, now }: NodesInput, running: readonly Pod[]): NodePlan["remove"] {
  const isNew = ({ metadata }: Pod): boolean => (metadata.labels?.[hashLabel] ?? "") === hash;
  const newest = running.find(isNew);
  const earlier = running.find((pod) => !isNew(pod));
  const excess = running.filter((pod) => pod !== newest && pod !== earlier);
  const remove: { readonly pod: Pod; readonly why: Removal }[] = excess.map((pod) => ({ pod, why: "excess" }));
  if (newest === undefined || earlier === undefined) return remove;
  const isReplaced = !isPodReady(earlier) || isPodAvailable(newest, minReadySeconds(set), now);
  return isReplaced ? [...remove, { pod: earlier, why: "superseded" }] : remove;
}

/** The scheduler will never bind these pods, and nothing else deletes them. */
function waitingForNoNode({ nodes, pods }: NodesInput): PodToRemove[] {
  const exists = new Set(nodes.map(({ metadata }) => metadata.name));
  return [...pods].flatMap(([node, all]) => {
    if (exists.has(node)) return [];
    const unbound = all.filter(({ spec }) => (spec?.nodeName ?? "") === "");
    return unbound.map((pod) => ({ pod, node, why: "no node" as const }));
  });
}
