/** Taints and tolerations. Source: component-helpers v0.36 scheduling/corev1/helpers.go; api v0.36 core/v1/toleration.go. */
import type { Node, Pod, Taint, Toleration } from "../../api/types.ts";

/** Whether the toleration matches the taint. */
export function tolerates({ key = "", operator = "", value = "", effect = "" }: Toleration, taint: Taint): boolean {
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  switch (operator) {
    case "":
    case "Equal":
      return value === (taint.value ?? "");
    case "Exists":
      return true;
    default:
      return false;
  }
}

/** The first taint with NoSchedule or NoExecute that the pod does not tolerate. */
export function untoleratedTaint(pod: Pod, node: Node): Taint | undefined {
  const tolerations = pod.spec?.tolerations ?? [];
  return (node.spec?.taints ?? []).find(
    (taint) =>
      (taint.effect === "NoSchedule" || taint.effect === "NoExecute") &&
      !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
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
