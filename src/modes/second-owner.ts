/** Whether something else already reconciles these objects: two controllers on one object do everything twice. */
import { Leases, type Kind, pathOf } from "../api/kind.ts";
import { keyOf } from "../api/key.ts";
import type { ManagedFieldsEntry, StoredObject } from "../api/object.ts";
import { StatusError, type Status } from "../api/status-error.ts";
import { parseTime } from "../api/time.ts";
import { readAll, type Transport } from "../api/transport.ts";
import type { Lease } from "../api/types.ts";
import type { Client } from "../client/verbs.ts";
import type { ControllerDefinition } from "../controller/definition.ts";

/**
 * What is known of another owner. `unknown`: the evidence could not be read. `none found` is not `none`: a
 * kube-controller-manager without leader election that has nothing to do leaves no trace.
 */
export interface SecondOwner {
  readonly is: "active" | "none found" | "unknown";
  /** `kube-controller-manager`, `another kubectl reconcile`. */
  readonly who: string;
  /** One clause: `Lease kube-system/kube-controller-manager, renewed 3 s ago`. */
  readonly evidence: string;
}

/** Who runs a controller on a cluster of its own accord. */
type Component = "kube-controller-manager" | "kube-scheduler";

const recentMs = 60_000;

/**
 * Looks for whoever runs the controller elsewhere, kube-controller-manager for most: first its Lease, judged by the server's own
 * clock, then its recent writes to objects of the kind. Only reads.
 */
export async function findSecondOwner(
  transport: Transport,
  client: Client,
  controller: Pick<ControllerDefinition, "for" | "runBy">,
  namespace: string | undefined,
): Promise<SecondOwner> {
  const { for: kind, runBy: manager = "kube-controller-manager" } = controller;
  if (manager === "nobody") {
    return { is: "none found", who: "anybody", evidence: "it works on what is marked for it alone" };
  }
  const lease = await readLease(transport, manager);
  if (lease.is !== "none found") return lease;
  // What writes to objects of every kind leaves no trace of its own on any.
  if (kind === undefined) return { ...lease, evidence: `no Lease kube-system/${manager}` };
  const write = await lastWrite(client, manager, kind, namespace);
  if (write === undefined)
    return {
      is: "none found",
      who: manager,
      evidence: `no Lease kube-system/${manager}, no recent write of it to ${kind.plural}`,
    };
  const agoMs = lease.serverNow - write.at;
  const evidence = `${kind.kind} ${write.key} was written by ${manager} ${ago(agoMs)}`;
  return agoMs < recentMs
    ? { is: "active", who: manager, evidence }
    : { is: "none found", who: manager, evidence: `no Lease kube-system/${manager}; ${evidence}` };
}

/** `3 s ago`, `4 min ago`, `2 h ago`. */
function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s ago`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min ago` : `${Math.round(seconds / 3600)} h ago`;
}

async function readLease(
  transport: Transport,
  manager: Component,
): Promise<SecondOwner & { readonly serverNow: number }> {
  const path = pathOf(Leases, { namespace: "kube-system", name: manager });
  const answer = await transport.send({
    method: "GET",
    path,
    headers: { accept: "application/json" },
    signal: new AbortController().signal,
  });
  const body: unknown = JSON.parse(new TextDecoder().decode(await readAll(answer.body)) || "{}");
  const date = answer.header("date");
  const serverNow = date === undefined ? 0 : parseTime(date);
  if (answer.status === 404) return { is: "none found", who: manager, evidence: "no Lease", serverNow };
  if (answer.status === 403) {
    return {
      is: "unknown",
      who: manager,
      evidence: `Lease kube-system/${manager} may not be read by this user`,
      serverNow,
    };
  }
  if (answer.status !== 200) throw new StatusError(answer.status, body as Status);
  const { spec } = body as Lease;
  if (spec?.renewTime === undefined || (spec.holderIdentity ?? "") === "") {
    return { is: "none found", who: manager, evidence: `Lease kube-system/${manager} has no holder`, serverNow };
  }
  const agoMs = serverNow - parseTime(spec.renewTime);
  const evidence = `Lease kube-system/${manager}, renewed ${ago(agoMs)}`;
  return {
    is: agoMs <= (spec.leaseDurationSeconds ?? 15) * 1000 ? "active" : "none found",
    who: manager,
    evidence,
    serverNow,
  };
}

/** The latest write of the component to an object of the kind, as far as managedFields tell. */
async function lastWrite(
  client: Client,
  manager: Component,
  kind: Kind,
  namespace: string | undefined,
): Promise<{ readonly key: string; readonly at: number } | undefined> {
  const page = await client.list(kind, { limit: 500, ...(namespace !== undefined && { namespace }) });
  let latest: { key: string; at: number } | undefined;
  for (const object of page.items) {
    for (const entry of object.metadata.managedFields ?? []) {
      const at = writtenAt(entry, manager);
      if (at !== undefined && at > (latest?.at ?? 0)) latest = { key: keyOf(object satisfies StoredObject), at };
    }
  }
  return latest;
}

function writtenAt(entry: ManagedFieldsEntry, manager: Component): number | undefined {
  return entry.manager === manager && entry.time !== undefined ? parseTime(entry.time) : undefined;
}
