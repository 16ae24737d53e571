/**
 * When a node's last heartbeat was observed. The times are those of this process: no node's clock is trusted.
 * Source: kubernetes v1.36 pkg/controller/nodelifecycle/node_lifecycle_controller.go tryUpdateNodeHealth.
 */
import { nodeLeaseNamespace } from "../../api/node-lease.ts";
import { Leases } from "../../api/kinds.ts";
import { parseTime } from "../../api/time.ts";
import type { Lease, Node, NodeCondition } from "../../api/types.ts";
import type { WatchContext } from "../../controller/api/definition.ts";
import { nodeCondition } from "../../controller/workload/node-conditions.ts";

/** What is remembered about a node from one check to the next. */
export interface Health {
  /** Its condition Ready as last observed; undefined if it had none. */
  readonly ready: NodeCondition | undefined;
  /** When a heartbeat was last observed, in ms since 1970. */
  readonly heartbeatAt: number;
  /** The last observed renewal of its Lease, as in the Lease. */
  readonly renewedAt: string | undefined;
  /** Whether a Lease was observed since its status changed. */
  readonly hasLease: boolean;
}

/** The Lease that a node's kubelet renews. */
export function leaseOf({ cache }: { readonly cache: WatchContext["cache"] }, node: string): Lease | undefined {
  return cache(Leases).getNamespaced(nodeLeaseNamespace, node);
}

/** What a check observes of a node. */
export interface Sight {
  readonly node: Node;
  readonly lease: Lease | undefined;
  readonly now: number;
}

/** What is known about a node after a check. */
export function observe(before: Health | undefined, { node, lease, now }: Sight): Health {
  const seen = afterStatus(before, { node, now });
  if (lease === undefined) return seen;
  const renewedAt = lease.spec?.renewTime;
  const isNewer = before?.hasLease !== true || isLater(before.renewedAt, renewedAt);
  return isNewer ? { ...seen, heartbeatAt: now, renewedAt, hasLease: true } : seen;
}

/** An unchanged status is not a heartbeat. After a new one, the next check counts the Lease afresh. */
function afterStatus(before: Health | undefined, { node, now }: Pick<Sight, "node" | "now">): Health {
  const ready = nodeCondition(node, "Ready");
  const fresh: Health = { ready, heartbeatAt: now, renewedAt: undefined, hasLease: false };
  if (ready === undefined) {
    // Its kubelet has never reported: time counts from the node's creation.
    if (before === undefined) return { ...fresh, heartbeatAt: parseTime(node.metadata.creationTimestamp) };
    return { ...before, ready };
  }
  if (before?.ready === undefined) return fresh;
  return before.ready.lastHeartbeatTime === ready.lastHeartbeatTime ? before : fresh;
}

function isLater(before: string | undefined, after: string | undefined): boolean {
  return before !== undefined && after !== undefined && parseTime(before) < parseTime(after);
}

/** How long a node may be silent: longer before its first report. */
export interface GracePeriods {
  readonly gracePeriodMs: number;
  readonly startupGracePeriodMs: number;
}

/** Whether the node has been silent for longer than it may. */
export function isSilentTooLong(
  { ready, heartbeatAt }: Health,
  { gracePeriodMs, startupGracePeriodMs, now }: GracePeriods & { readonly now: number },
): boolean {
  return now > heartbeatAt + (ready === undefined ? startupGracePeriodMs : gracePeriodMs);
}
