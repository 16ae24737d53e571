/**
 * Heartbeats of simulated nodes, by Lease and by node status.
 * Source: component-helpers v0.36 apimachinery/lease/controller.go; kubernetes v1.36 pkg/kubelet/kubelet_node_status.go.
 */
import { nodeLeaseNamespace } from "../../api/node-lease.ts";
import { deepEqual } from "../../api/field-changes.ts";
import { Leases, Nodes } from "../../api/kinds.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../../api/status-error.ts";
import { formatMicroTime } from "../../api/time.ts";
import type { Lease, Node } from "../../api/types.ts";
import type { CreateInput } from "../../api/object.ts";
import { runState, type RunState } from "../../controller/api/run-state.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { isSilent, isSimulated } from "./simulated.ts";
import { nodeStatusOf } from "./node.ts";
import { heartbeat, liftTaint, nodeStatus } from "./rules.ts";

const leaseSeconds = 40;
const renewEveryMs = 10_000;

interface Renewed {
  readonly lease: Lease;
  readonly at: number;
}

/** The Leases as last written, by node. */
const renewals: RunState<Map<string, Renewed>> = runState(() => new Map());

/**
 * Completes the status of a simulated node and renews its Lease every 10 s, unless the node is silent.
 * @throws StatusError, TransportError.
 */
export async function syncNode(context: SyncContext): Promise<void> {
  const node = context.cache(Nodes).get(context.key);
  if (node === undefined || !isSimulated(node)) {
    context.state(renewals).delete(context.key);
    return;
  }
  if (isSilent(node)) return;
  await completeStatus(context, node);
  await keepLease(context, node);
}

/**
 * Renews the node's Lease if 10 s have passed since the last renewal, and requeues the key for the next. @throws StatusError,
 * TransportError.
 */
export async function keepLease(context: SyncContext, node: Node): Promise<void> {
  const known = context.state(renewals);
  const last = known.get(context.key);
  const dueInMs = last === undefined ? 0 : last.at + renewEveryMs - context.now();
  if (dueInMs > 0) return again(context, dueInMs);
  const because = context.decide(heartbeat, { everySeconds: renewEveryMs / 1000 });
  const lease = await renew(context, node, last?.lease, { because, signal: context.signal });
  known.set(context.key, { lease, at: context.now() });
  again(context, renewEveryMs);
}

function again(context: SyncContext, ms: number): void {
  context.enqueueAfter(ms, "its next heartbeat is due", { background: true });
}

type Write = Parameters<SyncContext["client"]["update"]>[2];

async function renew(context: SyncContext, node: Node, last: Lease | undefined, write: Write): Promise<Lease> {
  const { client } = context;
  const at = { namespace: nodeLeaseNamespace, name: node.metadata.name };
  const renewTime = formatMicroTime(context.now());
  if (last !== undefined) {
    try {
      return await client.update(Leases, { ...last, spec: { ...last.spec, renewTime } }, write);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }
  try {
    return await client.create(Leases, freshLease(node, renewTime), write);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const there = await client.get(Leases, at, { signal: context.signal });
  const spec = { ...there.spec, holderIdentity: at.name, leaseDurationSeconds: leaseSeconds, renewTime };
  return client.update(Leases, { ...there, spec }, write);
}

function freshLease(node: Node, renewTime: string): CreateInput<Lease> {
  const { name, uid } = node.metadata;
  return {
    metadata: {
      namespace: nodeLeaseNamespace,
      name,
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid }],
    },
    spec: { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime },
  };
}

/** Adds what is missing in the node's status, then removes the taint not-ready. */
async function completeStatus(context: SyncContext, node: Node): Promise<void> {
  const wanted = nodeStatusOf(node, context.now());
  const missing = Object.keys(wanted).filter(
    (field) => !deepEqual(node.status?.[field as keyof typeof wanted], wanted[field as keyof typeof wanted]),
  );
  const at = { namespace: "", name: node.metadata.name };
  if (missing.length > 0) {
    const because = context.decide(nodeStatus, { missing });
    const body = { status: Object.fromEntries(missing.map((field) => [field, wanted[field as keyof typeof wanted]])) };
    const options = { subresource: "status", because, basedOn: node, signal: context.signal };
    await context.client.patch(Nodes, at, { type: "merge", body }, options);
  }
  const taint = "node.kubernetes.io/not-ready";
  const taints = node.spec?.taints ?? [];
  if (!taints.some(({ key }) => key === taint)) return;
  const because = context.decide(liftTaint, { taint });
  const kept = taints.filter(({ key }) => key !== taint);
  const { resourceVersion } = node.metadata;
  const body = { metadata: missing.length > 0 ? {} : { resourceVersion }, spec: { taints: kept } };
  await context.client.patch(Nodes, at, { type: "merge", body }, { because, basedOn: node, signal: context.signal });
}
