/**
 * When a node was last heard of. The times are those of this process: no node's clock is trusted.
 * Source: kubernetes v1.36 pkg/controller/nodelifecycle/node_lifecycle_controller.go tryUpdateNodeHealth.
 */
import { Leases } from "../../api/kinds.ts";
import { parseTime } from "../../api/time.ts";
import type { Lease, Node, NodeCondition } from "../../api/types.ts";
import type { WatchContext } from "../../controller/api/definition.ts";
import { nodeCondition } from "../../controller/workload/node-conditions.ts";

/** What is remembered of a node from one look to the next. */
export interface Health {
  /** Its condition Ready as it was seen last; undefined if it had none. */
  readonly ready: NodeCondition | undefined;
  /** When a sign of life was seen last, in ms since 1970. */
  readonly heardAt: number;
  /** The last renewal of its Lease that was seen, as the Lease says it. */
  readonly renewedAt: string | undefined;
  /** Whether a Lease was seen since its status changed. */
  readonly hasLease: boolean;
}

/** The Lease of a node that its kubelet renews. */
export function leaseOf({ cache }: { readonly cache: WatchContext["cache"] }, node: string): Lease | undefined {
  return cache(Leases).getNamespaced("kube-node-lease", node);
}

/** What a look sees of a node. */
export interface Sight {
  readonly node: Node;
  readonly lease: Lease | undefined;
  readonly now: number;
}

/** What is known of a node after a look at it. */
export function observe(before: Health | undefined, { node, lease, now }: Sight): Health {
  const seen = afterStatus(before, { node, now });
  if (lease === undefined) return seen;
  const renewedAt = lease.spec?.renewTime;
  const isNewer = before?.hasLease !== true || isLater(before.renewedAt, renewedAt);
  return isNewer ? { ...seen, heardAt: now, renewedAt, hasLease: true } : seen;
}

/** A report that is as it was seen last is none. One that is new makes the Lease count anew with the next look. */
function afterStatus(before: Health | undefined, { node, now }: Pick<Sight, "node" | "now">): Health {
  const ready = nodeCondition(node, "Ready");
  const fresh: Health = { ready, heardAt: now, renewedAt: undefined, hasLease: false };
  if (ready === undefined) {
    // Its kubelet has never reported: the time counts from when it was made.
    if (before === undefined) return { ...fresh, heardAt: parseTime(node.metadata.creationTimestamp) };
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
  { ready, heardAt }: Health,
  { gracePeriodMs, startupGracePeriodMs, now }: GracePeriods & { readonly now: number },
): boolean {
  return now > heardAt + (ready === undefined ? startupGracePeriodMs : gracePeriodMs);
}
