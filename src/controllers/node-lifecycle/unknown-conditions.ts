/** The conditions of a silent node. Pure. Source: node_lifecycle_controller.go tryUpdateNodeHealth. */
import { formatTime } from "../../api/time.ts";
import type { Node, NodeCondition } from "../../api/types.ts";

/** What kubelets report. NetworkUnavailable belongs to the network plugin. */
const reported: readonly string[] = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** The node's conditions, with everything that its kubelet reports set to Unknown. `now` is in ms since 1970. */
export function unknownConditions(node: Node, now: number): readonly NodeCondition[] {
  const before = node.status?.conditions ?? [];
  const lastTransitionTime = formatTime(now);
  const changed = before.map((condition) => {
    if (!reported.includes(condition.type) || condition.status === "Unknown") return condition;
    const reason = "NodeStatusUnknown";
    const message = "Kubelet stopped posting node status.";
    return { ...condition, status: "Unknown", reason, message, lastTransitionTime };
  });
  const missing = reported.filter((type) => !before.some((condition) => condition.type === type));
  const added = missing.map((type) => ({
    type,
    status: "Unknown",
    reason: "NodeStatusNeverUpdated",
    message: "Kubelet never posted node status.",
    lastHeartbeatTime: node.metadata.creationTimestamp,
    lastTransitionTime,
  }));
  return [...changed, ...added];
}
