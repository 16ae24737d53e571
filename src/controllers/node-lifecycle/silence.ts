/** A node that has fallen silent. Source: node_lifecycle_controller.go tryUpdateNodeHealth, monitorNodeHealth. */
import { Nodes } from "../../api/kinds.ts";
import type { Node } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { nodeCondition } from "../../controller/workload/node-conditions.ts";
import { isSilentTooLong, leaseOf, observe } from "./health.ts";
import { memory } from "./memory.ts";
import type { NodeLifecycleOptions } from "./options.ts";
import { podsKey } from "./pods-not-ready.ts";
import { recordAboutNode } from "./records.ts";
import { silent } from "./rules.ts";
import { unknownConditions } from "./unknown-conditions.ts";

/**
 * Sets the conditions of the node to Unknown, unless a heartbeat has arrived since the last check. Returns whether it wrote.
 * @throws the API server's refusal: 409 if the node has changed, which may be a status report.
 */
export async function becomeUnknown(
  context: SyncContext,
  { node, options }: { readonly node: Node; readonly options: NodeLifecycleOptions },
): Promise<boolean> {
  const remembered = context.state(memory);
  const { name } = node.metadata;
  const now = context.now();
  const lease = leaseOf(context, name);
  const health = observe(remembered.health.get(name), { node, lease, now });
  const wasReady = nodeCondition(node, "Ready")?.status;
  if (wasReady === "Unknown" || !isSilentTooLong(health, { ...options, now })) return false;
  const because = context.decide(silent, { seconds: Math.floor((now - health.heartbeatAt) / 1000) });
  const conditions = unknownConditions(node, now);
  const changed = { ...node, status: { ...node.status, conditions } };
  await context.client.updateStatus(Nodes, changed, { because, basedOn: node, signal: context.signal });
  const ready = nodeCondition(changed, "Ready");
  const renewedAt = lease?.spec?.renewTime;
  remembered.health.set(name, { ready, heartbeatAt: health.heartbeatAt, renewedAt, hasLease: lease !== undefined });
  if (wasReady === "True") {
    recordAboutNode(context, { node, reason: "NodeNotReady", what: "status is now: NodeNotReady" });
    context.enqueue(podsKey(name), "its node is silent");
  }
  return true;
}
