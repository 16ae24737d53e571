/** What discovery finds. */
import type { Kind } from "../../api/kind.ts";

export interface DiscoveredKind extends Kind {
  readonly singular: string;
  readonly verbs: readonly string[];
  readonly categories: readonly string[];
  /** Of its group's versions, the one that the server prefers. */
  readonly preferred: boolean;
}

export interface Discovery {
  /** Core first, then the groups in the server's order; of each group the preferred version first. No subresources. */
  readonly kinds: readonly DiscoveredKind[];
  /** Group versions that could not be read: the server behind an aggregated API may be down. */
  readonly unavailable: readonly { readonly groupVersion: string; readonly error: unknown }[];
}

/**
 * A kind of which only the name is known, as a manifest has it: assumed to be namespaced, with a regular plural (`Widget` → `widgets`)
 * and no verbs.
 */
export function assumedKind(apiVersion: string, kind: string): DiscoveredKind {
  const slash = apiVersion.indexOf("/");
  const singular = kind.toLowerCase();
  return {
    group: apiVersion.slice(0, Math.max(0, slash)),
    version: apiVersion.slice(slash + 1),
    kind,
    plural: `${singular}s`,
    singular,
    namespaced: true,
    verbs: [],
    categories: [],
    preferred: true,
  };
}
