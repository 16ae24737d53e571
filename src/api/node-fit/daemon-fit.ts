/**
 * Which nodes should run a pod of a DaemonSet. Resources do not count: capacity is up to the scheduler.
 * Source: kubernetes v1.36 pkg/controller/daemon/daemon_controller.go NodeShouldRunDaemonPod, predicates.
 */
import type { DaemonSet, Node } from "../types.ts";
import { nodeSelected } from "./node-affinity.ts";
import { taintText } from "../taints.ts";
import { firstUntolerated } from "./taints.ts";
import { daemonTolerations } from "./daemon-tolerations.ts";

/** Whether a node is suitable for a DaemonSet. */
export interface NodeFit {
  /** If it lacks a pod, one should be created. */
  readonly shouldRun: boolean;
  /** An existing pod may stay, even if a taint keeps new ones away. */
  readonly mayStay: boolean;
  /** Why none should be created: `a taint that it does not tolerate, dedicated=gpu:NoSchedule`. */
  readonly why?: string;
}

/** Judges nodes for one DaemonSet; each node, as cached, is judged once. */
export type NodeFits = (node: Node) => NodeFit;

const fits: NodeFit = { shouldRun: true, mayStay: true };

/** The fits of this DaemonSet. */
export function nodeFits(set: DaemonSet): NodeFits {
  const { template } = set.spec ?? {};
  const tolerations = daemonTolerations(template?.spec);
  const fixed = template?.spec?.nodeName ?? "";
  const known = new Map<Node, NodeFit>();
  const judge = (node: Node): NodeFit => {
    if (fixed !== "" && fixed !== node.metadata.name) {
      return { shouldRun: false, mayStay: false, why: `the template names the node ${fixed}` };
    }
    if (template !== undefined && !nodeSelected(template, node)) {
      return { shouldRun: false, mayStay: false, why: "the template's node selector or affinity does not match" };
    }
    const taint = firstUntolerated(node, { tolerations });
    if (taint === undefined) return fits;
    const mayStay = firstUntolerated(node, { tolerations, effects: ["NoExecute"] }) === undefined;
    return { shouldRun: false, mayStay, why: `a taint that the template does not tolerate, ${taintText(taint)}` };
  };
  return (node) => {
    const before = known.get(node);
    if (before !== undefined) return before;
    const fit = judge(node);
    known.set(node, fit);
    return fit;
  };
}
