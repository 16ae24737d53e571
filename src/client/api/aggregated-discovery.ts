/** Aggregated discovery: `APIGroupDiscoveryList`. Source: client-go v0.36 discovery/aggregated_discovery.go. */
import type { DiscoveredKind, Discovery } from "./discovered.ts";

/** The body of an aggregated discovery document. */
export interface AggregatedList {
  readonly kind: "APIGroupDiscoveryList";
  readonly items: readonly AggregatedGroup[];
}

interface AggregatedGroup {
  /** No name: the core group. */
  readonly metadata?: { readonly name?: string };
  readonly versions?: readonly AggregatedVersion[];
}

interface AggregatedVersion {
  readonly version: string;
  /**
   * `Stale`: the server behind an aggregated API could not be reached; what it reported earlier, if
   * anything, cannot be trusted.
   */
  readonly freshness?: "Current" | "Stale";
  readonly resources?: readonly AggregatedResource[];
}

interface AggregatedResource {
  readonly resource: string;
  /** Absent for resources that only have subresources. */
  readonly responseKind?: { readonly kind?: string } | null;
  readonly scope: "Cluster" | "Namespaced";
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** Whether a response is aggregated discovery; an older server responds with something else. */
export function isAggregated(response: unknown): response is AggregatedList {
  return (response as { readonly kind?: unknown } | undefined)?.kind === "APIGroupDiscoveryList";
}

/** The kinds of these groups; each group's first version that is not stale is the preferred one. */
export function fromAggregated(groups: readonly AggregatedGroup[]): Discovery {
  const kinds: DiscoveredKind[] = [];
  const unavailable: { readonly groupVersion: string; readonly error: unknown }[] = [];
  for (const { metadata, versions = [] } of groups) {
    const group = metadata?.name ?? "";
    const preferred = versions.find(({ freshness }) => freshness !== "Stale");
    for (const each of versions) {
      const groupVersion = group === "" ? each.version : `${group}/${each.version}`;
      if (each.freshness === "Stale") {
        unavailable.push({ groupVersion, error: new Error(`stale GroupVersion discovery: ${groupVersion}`) });
        continue;
      }
      kinds.push(...kindsOf(group, each, each === preferred));
    }
  }
  return { kinds, unavailable };
}

function kindsOf(group: string, { version, resources = [] }: AggregatedVersion, preferred: boolean): DiscoveredKind[] {
  return resources.flatMap((resource) => {
    const kind = resource.responseKind?.kind ?? "";
    if (kind === "") return [];
    return [
      {
        group,
        version,
        kind,
        plural: resource.resource,
        namespaced: resource.scope === "Namespaced",
        shortNames: resource.shortNames ?? [],
        singular: resource.singularResource || kind.toLowerCase(),
        verbs: resource.verbs ?? [],
        categories: resource.categories ?? [],
        preferred,
      },
    ];
  });
}
