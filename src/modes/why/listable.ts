/** The kinds to list when all of them count. */
import { resourceOf } from "../../api/kind.ts";
import type { DiscoveredKind, Discovery } from "../../client/api/discovery.ts";
import type { Unseen } from "../../verdict/verdict.ts";

/**
 * Every kind that can be listed, once: in the first version that has it, which is the group's preferred one if that has
 * it.
 *
 * Source: client-go v0.36 discovery/discovery_client.go ServerPreferredResources.
 */
export function listable(kinds: readonly DiscoveredKind[]): readonly DiscoveredKind[] {
  const first = new Map<string, DiscoveredKind>();
  for (const kind of kinds) {
    const resource = resourceOf(kind);
    if (kind.verbs.includes("list") && !first.has(resource)) first.set(resource, kind);
  }
  return [...first.values()];
}

/** Whether the group serves metrics: they own, block and wait for nothing, and their servers are often down. */
export function isMetrics(group: string): boolean {
  return /(^|\.)metrics\.k8s\.io(\/|$)/.test(group);
}

/** The APIs whose server does not respond: nothing is known of their objects, not even their kinds. */
export function silentServers(unavailable: Discovery["unavailable"]): readonly Unseen[] {
  return unavailable
    .filter(({ groupVersion }) => !isMetrics(groupVersion))
    .map(({ groupVersion }) => ({ what: groupVersion, why: "its server does not respond", isDecisive: true }));
}
