/** Whether a node accepts pods. */
import { nodeLeaseNamespace } from "../api/node-lease.ts";
import { taintText } from "../api/taints.ts";
import { isGoodState } from "./conditions.ts";
import { formatAge } from "../api/duration.ts";
import { Leases } from "../api/kinds.ts";
import { readTime } from "../api/time.ts";
import type { Node, Taint } from "../api/types.ts";
import { type Advice, type Examined, type Finding, type Item, kubectl, refOf, since } from "./diagnosis.ts";
import { aside, type Look } from "./look.ts";

/**
 * How long a kubelet that renews its Lease every 10 s may be silent before kube-controller-manager takes the node for unreachable.
 * Source: kubernetes v1.36 pkg/controller/nodelifecycle/config/v1alpha1/defaults.go NodeMonitorGracePeriod.
 */
const graceMs = 50_000;

/** By its conditions, `spec.unschedulable`, and its kubelet's Lease. */
export function examineNode(look: Look, item: Item<Node>): Examined {
  const { spec, status, metadata } = item.object;
  const at = refOf(item);
  const advice = adviceFor(item.object);
  const findings: Finding[] = [...notRunning(look, item)];
  for (const { type, status: is, reason = "", message = "", lastTransitionTime } of status?.conditions ?? []) {
    // By convention every other condition of a node is good if it is False, unless it names a good state: NetworkingReady.
    if (type === "Ready" || is === (isGoodState(type) ? "True" : "False")) continue;
    const why = `condition ${type} is ${is}: ${reason}: ${message}`;
    findings.push({ at, why, ...since(readTime(lastTransitionTime)), advice });
  }
  const lease = leaseOf(look, item);
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
    seen: ["its status", ...lease.seen],
    unseen: aside(lease.unseen),
    notes: [
      ...lease.notes,
      ...taints
        .filter((taint) => !isOfConditions(taint))
        .map((taint) => `taint ${taintText(taint)}: only pods that tolerate it`),
    ],
  };
}

/** Why the node runs no pods, or may not: its condition Ready, or a kubelet that is silent. */
export function notRunning(look: Look, item: Item<Node>): readonly Finding[] {
  const at = refOf(item);
  const advice = adviceFor(item.object);
  const ready = item.object.status?.conditions?.find(({ type }) => type === "Ready");
  if (ready === undefined) return [{ at, why: "not ready: no kubelet has reported for it", advice }];
  if (ready.status !== "True") {
    const why = `not ready: ${ready.reason ?? ""}: ${ready.message ?? ""}`;
    return [{ at, why, ...since(readTime(ready.lastTransitionTime)), advice }];
  }
  const { silentMs } = leaseOf(look, item);
  if (silentMs === undefined) return [];
  const age = formatAge(silentMs);
  const why = `its kubelet has not renewed its Lease for ${age}, though condition Ready is still True: is the node lifecycle controller running?`;
  return [{ at, why, since: look.now - silentMs, advice }];
}

function adviceFor({ metadata }: Node): readonly Advice[] {
  return [kubectl(`describe node ${metadata.name}`)];
}

interface NodeLease extends Pick<Examined, "seen" | "unseen"> {
  /** How long its kubelet has not renewed it, in ms, if that is too long. */
  readonly silentMs?: number;
  readonly notes: readonly string[];
}

/** What the Lease of a node's kubelet shows. All are listed, because `why -A` needs each. */
function leaseOf(look: Look, { object: { metadata } }: Item<Node>): NodeLease {
  const { objects, unseen } = look.list(Leases, nodeLeaseNamespace);
  const lease = objects.find(({ metadata: { name } }) => name === metadata.name);
  const renewedAt = readTime(lease?.spec?.renewTime);
  if (unseen.length > 0) return { seen: [], unseen, notes: [] };
  if (renewedAt === undefined)
    return { seen: [], unseen, notes: ["no kubelet renews a Lease for it: whether it is alive was not looked at"] };
  const silentMs = look.now - renewedAt;
  return { seen: ["its Lease"], unseen, notes: [], ...(silentMs > graceMs && { silentMs }) };
}

/** Whether Kubernetes sets the taint, mostly from the node's conditions. */
function isOfConditions({ key }: Taint): boolean {
  return key.startsWith("node.kubernetes.io/");
}
