/**
 * Heartbeats of nodes, by Lease. They continue between the steps of a script, until the node stops reporting or the script ends; nothing
 * waits for them.
 */
import { pathOf } from "../../../../src/api/kind.ts";
import { Leases, Nodes } from "../../../../src/api/kinds.ts";
import { formatMicroTime } from "../../../../src/api/time.ts";
import type { StageServer } from "../../stage.ts";

/** Far shorter than the grace period, because on a busy machine heartbeats are late. */
const everyMs = 800;
/** A failing script does not stop its heartbeats, so those of a node end after this time. */
const longestMs = 600_000;
const namespace = "kube-node-lease";
const mergePatch = { "content-type": "application/merge-patch+json" };

/** Per server, until when each node's Lease is renewed, in ms since 1970. */
const beating = new Map<StageServer, Map<string, number>>();

/** Renews the node's Lease immediately and periodically from now on. */
export async function startBeating(server: StageServer, node: string): Promise<void> {
  await renew(server, node);
  nodesBeatingOn(server).set(node, Date.now() + longestMs);
}

/** Returns the nodes of a server. Their Leases are renewed periodically from the first call on. */
function nodesBeatingOn(server: StageServer): Map<string, number> {
  const known = beating.get(server);
  if (known !== undefined) return known;
  const nodes = new Map<string, number>();
  beating.set(server, nodes);
  setInterval(() => {
    for (const [node, until] of nodes) {
      if (Date.now() > until) nodes.delete(node);
      else void renew(server, node).catch(() => undefined);
    }
  }, everyMs).unref();
  return nodes;
}

/** Stops the node's heartbeats. */
export function stopBeating(server: StageServer, node: string): void {
  beating.get(server)?.delete(node);
}

async function renew(server: StageServer, node: string): Promise<void> {
  const renewTime = formatMicroTime(Date.now());
  const path = pathOf(Leases, { namespace, name: node });
  const { status } = await server.request("PATCH", path, { spec: { renewTime } }, mergePatch);
  if (status !== 404) return;
  const lease = { metadata: { name: node }, spec: { holderIdentity: node, leaseDurationSeconds: 40, renewTime } };
  await server.request("POST", pathOf(Leases, { namespace }), lease);
}

/** A node that belongs to no stage and is always ready: without any ready node, none of a cluster's nodes is tainted. */
const anchor = "anchor";

/** Creates the anchor of a cluster, unless it exists. */
export async function dropAnchor(server: StageServer): Promise<void> {
  await startBeating(server, anchor);
  const labels = { "topology.kubernetes.io/zone": anchor };
  await server.request("POST", pathOf(Nodes, {}), { metadata: { name: anchor, labels } });
  const ready = { status: { conditions: [{ type: "Ready", status: "True" }] } };
  await server.request("PATCH", `${pathOf(Nodes, { name: anchor })}/status`, ready, mergePatch);
}

/** Removes all nodes except those of the scripts with this ID: the anchor, and what other scripts have left behind. */
export async function clearOthers(server: StageServer, id: string): Promise<void> {
  stopBeating(server, anchor);
  const { body } = await server.request("GET", pathOf(Nodes, {}));
  for (const { metadata } of body.items as readonly { readonly metadata: { readonly name: string } }[]) {
    if (metadata.name.startsWith(id)) continue;
    stopBeating(server, metadata.name);
    await server.request("DELETE", pathOf(Nodes, { name: metadata.name }));
  }
}
