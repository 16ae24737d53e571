/** Node taints that keep pods away. Source: component-helpers v0.36 scheduling/corev1/helpers.go. */
import { tolerates } from "../taints.ts";
import type { Node, Pod, Taint, Toleration } from "../types.ts";

/** Effects that keep a pod from a node. */
const keepingAway: readonly string[] = ["NoSchedule", "NoExecute"];

/** The node's first taint with one of these effects that no toleration matches. */
export function firstUntolerated(
  node: Node,
  {
    tolerations,
    effects = keepingAway,
  }: { readonly tolerations: readonly Toleration[]; readonly effects?: readonly string[] },
): Taint | undefined {
  return (node.spec?.taints ?? []).find(
    (taint) => effects.includes(taint.effect) && !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}

/** The first taint with NoSchedule or NoExecute that the pod does not tolerate. */
export function untoleratedTaint(pod: Pod, node: Node): Taint | undefined {
  return firstUntolerated(node, { tolerations: pod.spec?.tolerations ?? [] });
}

/** How many taints with PreferNoSchedule the pod does not tolerate. */
export function avoidedTaints(pod: Pod, node: Node): number {
  const tolerations = (pod.spec?.tolerations ?? []).filter(
    ({ effect = "" }) => effect === "" || effect === "PreferNoSchedule",
  );
  return (node.spec?.taints ?? []).filter(
    (taint) => taint.effect === "PreferNoSchedule" && !tolerations.some((toleration) => tolerates(toleration, taint)),
  ).length;
}

/** The taint equivalent to `spec.unschedulable`. */
export const unschedulableTaint: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
