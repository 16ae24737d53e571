/** Zones, and their health. Pure. Source: node_lifecycle_controller.go ComputeZoneState; component-helpers node/topology/helpers.go. */
import type { Node } from "../../api/types.ts";
import type { NodeLifecycleOptions } from "./options.ts";

/** `initial`: nothing observed yet. */
export type ZoneState = "initial" | "normal" | "partial disruption" | "full disruption";

/** The zone of a node, as `region:zone`; empty if it has neither. */
export function zoneOf({ metadata: { labels = {} } }: Node): string {
  const zone = labels["failure-domain.beta.kubernetes.io/zone"] ?? labels["topology.kubernetes.io/zone"] ?? "";
  const region = labels["failure-domain.beta.kubernetes.io/region"] ?? labels["topology.kubernetes.io/region"] ?? "";
  return region === "" && zone === "" ? "" : `${region}:${zone}`;
}

/** Whether the node counts towards a zone's state. */
export function countsForDisruption({ metadata: { labels = {} } }: Node): boolean {
  return labels["node.kubernetes.io/exclude-disruption"] === undefined;
}

/** How many nodes of a zone are ready, and how many are not. */
export interface ZoneCount {
  readonly ready: number;
  readonly notReady: number;
}

/** Full disruption: no node is ready. Partial: more than two are not, and they make up at least the threshold fraction of all. */
export function zoneStateOf({ ready, notReady }: ZoneCount, threshold: number): ZoneState {
  if (ready === 0 && notReady > 0) return "full disruption";
  return notReady > 2 && notReady / (notReady + ready) >= threshold ? "partial disruption" : "normal";
}

/** How many nodes per second may be tainted in a zone of this state and size. */
export function rateIn(
  { state, size }: { readonly state: ZoneState; readonly size: number },
  options: NodeLifecycleOptions,
): number {
  if (state !== "partial disruption") return options.evictionRate;
  return size > options.largeZoneSize ? options.secondaryEvictionRate : 0;
}
