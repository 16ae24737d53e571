/** Whether a node accepts pods. */
import { taintText } from "../api/taints.ts";
import { isGoodState } from "./conditions.ts";
import { readTime } from "../api/time.ts";
import type { Node, Taint } from "../api/types.ts";
import { type Examined, type Finding, type Item, kubectl, refOf, since } from "./diagnosis.ts";
import type { Look } from "./look.ts";

/** By its conditions and `spec.unschedulable`. */
export function examineNode(_look: Look, item: Item<Node>): Examined {
  const { spec, status, metadata } = item.object;
  const at = refOf(item);
  const findings: Finding[] = [];
  const conditions = status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === "Ready");
  const advice = [kubectl(`describe node ${metadata.name}`)];
  if (ready === undefined) findings.push({ at, why: "not ready: no kubelet has reported for it", advice });
  for (const { type, status: is, reason = "", message = "", lastTransitionTime } of conditions) {
    // By convention every other condition of a node is good if it is False, unless it names a good state: NetworkingReady.
    if (is === (type === "Ready" || isGoodState(type) ? "True" : "False")) continue;
    const what = type === "Ready" ? "not ready" : `condition ${type} is ${is}`;
    findings.push({ at, why: `${what}: ${reason}: ${message}`, ...since(readTime(lastTransitionTime)), advice });
  }
  if (spec?.unschedulable === true) {
    findings.push({
      at,
      why: "it is cordoned: no new pods are scheduled to it",
      advice: [kubectl(`uncordon ${metadata.name}`)],
    });
  }
  const taints = spec?.taints ?? [];
  // Otherwise the findings say why it has them.
  if (findings.length === 0) {
    for (const taint of taints.filter((each) => isOfConditions(each) && each.effect !== "PreferNoSchedule"))
      findings.push({ at, why: `taint ${taintText(taint)} keeps pods away, though its conditions are good`, advice });
  }
  return {
    says:
      findings.length === 0
        ? "it is ready and schedulable"
        : findings.length === 1
          ? (findings[0]?.why ?? "")
          : `it has ${findings.length} problems`,
    reached: findings.length === 0,
    findings,
    seen: ["its status"],
    unseen: [],
    notes: taints
      .filter((taint) => !isOfConditions(taint))
      .map((taint) => `taint ${taintText(taint)}: only pods that tolerate it`),
  };
}

/** Whether Kubernetes sets the taint, mostly from the node's conditions. */
function isOfConditions({ key }: Taint): boolean {
  return key.startsWith("node.kubernetes.io/");
}
