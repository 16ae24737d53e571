/** Who keeps simulated nodes alive: kwok, for example, renews their Leases as a kubelet does. */
import { nodeLeaseNamespace } from "../../../api/node-lease.ts";
import { Leases, Nodes } from "../../../api/kinds.ts";
import type { ManagedFieldsEntry } from "../../../api/object.ts";
import { parseTime, readTime } from "../../../api/time.ts";
import type { Lease, Node } from "../../../api/types.ts";
import type { Client } from "../../../client/api/verbs.ts";
import { isSilent, isSimulated } from "../../../controllers/kubelet/simulated.ts";
import { type Idle, isOurs, joined, type Look, nothingSeen, pageSize, readable, type Sign, writtenAt } from "./sign.ts";

const leaseSeconds = 40;
/** A kubelet without Leases writes a node's status more often than that. */
const statusMs = 60_000;

/** Signs of another kubelet. Only reads; what cannot be read is reported as unseen. */
export async function nodeHeartbeats(client: Client, controller: string): Promise<Look> {
  const [nodes, leases] = await Promise.all([
    readable(client.list(Nodes, { limit: pageSize })),
    readable(client.list(Leases, { namespace: nodeLeaseNamespace, limit: pageSize })),
  ]);
  if (nodes === "absent") return nothingSeen;
  if (nodes === "forbidden") {
    return { ...nothingSeen, unseen: [{ what: "nodes", why: "no right to list", isDecisive: true }] };
  }
  const readLeases = leases === "forbidden" || leases === "absent" ? undefined : leases.items;
  const simulated = nodes.items.filter((node) => isSimulated(node) && !isSilent(node));
  const looks = simulated.map((node) => atNode(node, leaseOf(node, readLeases), controller));
  const unseen = { what: `Leases in ${nodeLeaseNamespace}`, why: "no right to list", isDecisive: true };
  return joined([
    ...looks,
    {
      ...nothingSeen,
      seen: simulated.length === 0 ? [] : [`${simulated.length} simulated nodes`],
      unseen: leases === "forbidden" ? [unseen] : [],
    },
  ]);
}

function leaseOf({ metadata }: Node, leases: readonly Lease[] | undefined): Lease | undefined {
  return leases?.find((lease) => lease.metadata.name === metadata.name);
}

function atNode(node: Node, lease: Lease | undefined, controller: string): Look {
  const { name, managedFields = [] } = node.metadata;
  const signs: Sign[] = [];
  const renewedAt = readTime(lease?.spec?.renewTime);
  const holder = (lease?.metadata.managedFields ?? []).find(isForeign)?.manager;
  if (renewedAt !== undefined && holder !== undefined) {
    signs.push({
      clause: `the Lease of Node ${name} was renewed by ${holder}`,
      at: renewedAt,
      isOwn: true,
      by: holder,
    });
  }
  for (const entry of managedFields.filter(writesHeartbeat)) {
    const at = writtenAt(entry);
    const by = entry.manager ?? "";
    if (at !== undefined)
      signs.push({ clause: `the status of Node ${name} was written by ${by}`, at, isOwn: true, by });
  }
  const durationMs = (lease?.spec?.leaseDurationSeconds ?? leaseSeconds) * 1000;
  const since = Math.max(
    parseTime(node.metadata.creationTimestamp),
    // A Lease that an earlier run of ours renewed is no sign of another kubelet.
    ...(renewedAt === undefined || holder === undefined ? [] : [renewedAt + durationMs]),
    ...signs.filter(({ clause }) => clause.startsWith("the status")).map(({ at }) => at + statusMs),
  );
  const idle: Idle = {
    clause: `Node ${name} has had no heartbeat${renewedAt !== undefined && holder === undefined ? " but ours" : ""}`,
    since,
    controller,
  };
  return { ...nothingSeen, signs, idles: [idle] };
}

function isForeign({ manager = "" }: ManagedFieldsEntry): boolean {
  return manager !== "" && !isOurs(manager);
}

/** Excludes kube-controller-manager, which writes the status of silent nodes, and users. */
function writesHeartbeat(entry: ManagedFieldsEntry): boolean {
  const { manager = "", subresource } = entry;
  return (
    subresource === "status" &&
    isForeign(entry) &&
    manager !== "kube-controller-manager" &&
    !manager.startsWith("kubectl")
  );
}
