/**
 * One health check of all nodes: what to do about each, and the state of the zones.
 * Source: kubernetes v1.36 pkg/controller/nodelifecycle/node_lifecycle_controller.go monitorNodeHealth, handleDisruption; differs: this
 * only plans; the nodes' syncs write.
 */
import { Nodes } from "../../api/kinds.ts";
import type { Node } from "../../api/types.ts";
import type { WatchContext } from "../../controller/api/definition.ts";
import { nodeCondition } from "../../controller/workload/node-conditions.ts";
import { isSilentTooLong, leaseOf, observe } from "./health.ts";
import { type Lift, type Memory, memory, type Plan } from "./memory.ts";
import type { NodeLifecycleOptions } from "./options.ts";
import { recordAboutNode } from "./records.ts";
import { hasTaint, notReady, unreachable } from "./taints.ts";
import { Tainter } from "./tainter.ts";
import { countsForDisruption, rateIn, zoneOf, type ZoneCount, zoneStateOf } from "./zone.ts";

interface Look {
  readonly context: WatchContext;
  readonly remembered: Memory;
  readonly options: NodeLifecycleOptions;
  readonly now: number;
}

/** Checks all nodes, and enqueues those that need something done. */
export function monitorNodes(context: WatchContext, options: NodeLifecycleOptions): void {
  const look: Look = { context, remembered: context.state(memory), options, now: context.now() };
  const { plans, lifts, tainters } = look.remembered;
  const nodes = context.cache(Nodes).list();
  plans.clear();
  const added = classify(look, nodes);
  const counts = new Map<string, ZoneCount>();
  for (const node of nodes) {
    const plan = planFor(look, node);
    if (plan !== undefined) plans.set(node.metadata.name, plan);
    planLift(look.remembered, { node, isNew: added.has(node.metadata.name), ready: readyAfter(node, plan) });
    if (!countsForDisruption(node)) continue;
    const { ready, notReady: others } = counts.get(zoneOf(node)) ?? { ready: 0, notReady: 0 };
    const isReady = readyAfter(node, plan) === "True";
    counts.set(zoneOf(node), { ready: ready + (isReady ? 1 : 0), notReady: others + (isReady ? 0 : 1) });
  }
  judgeZones(look, { nodes, counts });
  for (const name of new Set([...plans.keys(), ...lifts.keys()])) context.enqueue(name);
  for (const tainter of tainters.values()) wake(look, tainter);
}

/** Enqueues the next node in turn for when the rate allows it. */
function wake({ context, now }: Look, tainter: Tainter): void {
  const waitMs = tainter.waitMs(now);
  if (tainter.next !== undefined && waitMs < Infinity) context.enqueue(tainter.next, waitMs);
}

/** Announces new and removed nodes. Each new zone gets a queue. */
function classify({ context, remembered, options, now }: Look, nodes: readonly Node[]): ReadonlySet<string> {
  const { known, zones, tainters } = remembered;
  const added = new Set<string>();
  for (const node of nodes) {
    const { name } = node.metadata;
    const zone = zoneOf(node);
    if (!zones.has(zone)) {
      zones.set(zone, "initial");
      tainters.set(zone, new Tainter(options.evictionRate, now));
    }
    if (known.has(name)) continue;
    added.add(name);
    known.set(name, node);
    recordAboutNode(context, { node, reason: "RegisteredNode", what: `event: Registered Node ${name} in Controller` });
  }
  if (known.size === nodes.length) return added;
  const there = new Set(nodes.map(({ metadata }) => metadata.name));
  for (const [name, node] of known) {
    if (there.has(name)) continue;
    known.delete(name);
    recordAboutNode(context, { node, reason: "RemovingNode", what: `event: Removing Node ${name} from Controller` });
  }
  return added;
}

/** Checks one node. Undefined: nothing to do now. */
function planFor({ context, remembered, options, now }: Look, node: Node): Plan | undefined {
  const { name } = node.metadata;
  const health = observe(remembered.health.get(name), { node, lease: leaseOf(context, name), now });
  remembered.health.set(name, health);
  const reported = nodeCondition(node, "Ready")?.status;
  const isSilent = reported !== "Unknown" && isSilentTooLong(health, { ...options, now });
  const ready = isSilent ? "Unknown" : reported;
  const plan: Plan = { ...(isSilent && { isSilent }), ...swapFor(node, ready) };
  if (plan.swapTo === undefined) queueForTaint(remembered, { node, ready });
  return Object.keys(plan).length === 0 ? undefined : plan;
}

interface Lifted {
  readonly node: Node;
  readonly isNew: boolean;
  /** The condition Ready. */
  readonly ready: string | undefined;
}

/** A new node and one that is ready lose the NoExecute taints. */
function planLift({ lifts }: Memory, { node, isNew, ready }: Lifted): void {
  const { name } = node.metadata;
  // It is not ready any more.
  if (lifts.get(name) === "ready" && ready !== "True") lifts.delete(name);
  if (!isExecuteTainted(node)) return;
  if (isNew) lifts.set(name, "new");
  else if (ready === "True") lifts.set(name, "ready");
}

const isExecuteTainted = (node: Node): boolean => hasTaint(node, notReady) || hasTaint(node, unreachable);

/** Source: processTaintBaseEviction. */
function swapFor(node: Node, ready: string | undefined): Pick<Plan, "swapTo"> {
  if (ready === "False" && hasTaint(node, unreachable)) return { swapTo: "not-ready" };
  if (ready === "Unknown" && hasTaint(node, notReady)) return { swapTo: "unreachable" };
  return {};
}

/**
 * A node that is not ready waits for its turn; every check queues it again until it has its taint.
 * Source: markNodeForTainting, where that moves the node behind those that were queued before; their order is that of a Go map.
 */
function queueForTaint(
  { tainters }: Memory,
  { node, ready }: { readonly node: Node; readonly ready: string | undefined },
): void {
  const { name } = node.metadata;
  const tainter = tainters.get(zoneOf(node));
  if (tainter === undefined || ready === undefined) return;
  const isTainted = hasTaint(node, ready === "False" ? notReady : unreachable);
  if (ready === "True") tainter.remove(name);
  else if (isTainted) tainter.add(name);
  else tainter.addAgain(name);
}

/** The condition Ready after the plan is carried out. */
function readyAfter(node: Node, plan: Plan | undefined): string | undefined {
  return plan?.isSilent === true ? "Unknown" : nodeCondition(node, "Ready")?.status;
}

interface Counted {
  readonly nodes: readonly Node[];
  readonly counts: ReadonlyMap<string, ZoneCount>;
}

const noneReady: Lift = "no node is ready";

/** Sets how fast nodes of each zone are tainted. While no node of the cluster is ready, none is tainted: the fault may be here. */
function judgeZones({ remembered, options, now }: Look, { nodes, counts }: Counted): void {
  const { zones, tainters, lifts, health } = remembered;
  for (const zone of zones.keys()) if (!counts.has(zone)) zones.delete(zone);
  const states = new Map(
    [...counts].map(([zone, count]) => [zone, zoneStateOf(count, options.unhealthyZoneThreshold)]),
  );
  const isDisrupted = [...states.values()].every((state) => state === "full disruption");
  const wasDisrupted = [...zones.values()].every((state) => state === "full disruption");
  if (isDisrupted && wasDisrupted) return;
  if (isDisrupted) {
    for (const node of nodes) {
      const { name } = node.metadata;
      if (isExecuteTainted(node)) lifts.set(name, noneReady);
      tainters.get(zoneOf(node))?.remove(name);
    }
    for (const zone of zones.keys()) tainters.get(zone)?.setRate(0, now);
    for (const zone of zones.keys()) zones.set(zone, "full disruption");
    return;
  }
  for (const [name, why] of lifts) if (why === noneReady) lifts.delete(name);
  // Silence while no node sent heartbeats means nothing: time counts from now.
  for (const { metadata } of wasDisrupted ? nodes : []) {
    const known = health.get(metadata.name);
    if (known !== undefined) health.set(metadata.name, { ...known, heartbeatAt: now });
  }
  for (const [zone, state] of states) {
    if (!wasDisrupted && zones.get(zone) === state) continue;
    const { ready, notReady: others } = counts.get(zone) ?? { ready: 0, notReady: 0 };
    tainters.get(zone)?.setRate(rateIn({ state, size: ready + others }, options), now);
    zones.set(zone, state);
  }
}
