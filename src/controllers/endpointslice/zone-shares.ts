/**
 * How many endpoints should serve each zone: in proportion to its share of the nodes' CPUs.
 * Source: endpointslice v0.36 topologycache/topologycache.go SetNodes, getAllocations, utils.go serviceOverloaded.
 */
import { parseQuantity } from "../../api/quantity.ts";
import type { Node } from "../../api/types.ts";
import { isNodeReady } from "../../controller/workload/node-conditions.ts";
import { zoneLabel } from "./plan.ts";

/** Each zone's share of all CPUs; none before the first node was seen. */
export type ZoneShares = ReadonlyMap<string, number>;

/** How many hints name each zone. */
export type HintsByZone = ReadonlyMap<string, number>;

/** How many endpoints a zone gets. */
export interface Allocation {
  readonly maximum: number;
  readonly desired: number;
}

/** No endpoint should carry more excess load than this fraction. */
const overloadThreshold = 0.2;
const leastOfShare = 1 / (1 + overloadThreshold);
const excludedLabels = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];

/** Undefined if a ready node does not report its zone or CPUs, or all are in one zone. */
export function zoneShares(nodes: readonly Node[]): ZoneShares | undefined {
  const cpus = new Map<string, bigint>();
  for (const node of nodes) {
    const labels = node.metadata.labels ?? {};
    if (excludedLabels.some((key) => Object.hasOwn(labels, key)) || !isNodeReady(node)) continue;
    const zone = labels[zoneLabel] ?? "";
    const cpu = parseQuantity(node.status?.allocatable?.["cpu"] ?? "0")?.nano ?? 0n;
    if (zone === "" || cpu === 0n) return undefined;
    cpus.set(zone, (cpus.get(zone) ?? 0n) + cpu);
  }
  if (cpus.size < 2) return undefined;
  const total = milli([...cpus.values()].reduce((sum, cpu) => sum + cpu, 0n));
  return new Map([...cpus].map(([zone, cpu]) => [zone, milli(cpu) / total]));
}

/** Rounded up. */
function milli(nano: bigint): number {
  return Number((nano + 999_999n) / 1_000_000n);
}

/** Why no endpoints can be allocated: a part of the Event's message. */
export interface NoAllocations {
  readonly problem: string;
}

/** The allocations for this many ready endpoints, or why there are none. */
export function allocationsOf(
  shares: ZoneShares | undefined,
  endpoints: number,
): ReadonlyMap<string, Allocation> | NoAllocations {
  if (shares === undefined) {
    return { problem: "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes" };
  }
  if (shares.size < 2) return { problem: "Nodes only ready in one zone" };
  const counts = `(${endpoints} endpoints, ${shares.size} zones)`;
  if (shares.size > endpoints) return { problem: `Insufficient number of endpoints ${counts}` };
  const wanted = [...shares].map(([zone, share]) => {
    const exact = share * endpoints;
    return { zone, exact, minimum: Math.ceil(exact * leastOfShare) };
  });
  const total = wanted.reduce((sum, { minimum }) => sum + minimum, 0);
  if (total > endpoints) {
    const problem = "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold";
    return { problem: `${problem} ${counts}` };
  }
  return new Map(
    wanted.map(({ zone, exact, minimum }) => [
      zone,
      { maximum: minimum + endpoints - total, desired: Math.max(exact, minimum) },
    ]),
  );
}

/** Whether too few endpoints serve a zone for its share. */
export function isOverloaded(hints: HintsByZone, shares: ZoneShares | undefined): boolean {
  if (hints.size === 0) return false;
  if (shares === undefined) return true;
  const total = [...hints.values()].reduce((sum, count) => sum + count, 0);
  return [...shares].some(([zone, share]) => {
    const has = hints.get(zone);
    return has === undefined || has < Math.ceil(total * share * leastOfShare);
  });
}
