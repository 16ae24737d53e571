/** The result of discovery. */
import type { Kind } from "../../api/kind.ts";

/** A kind with its properties from discovery. */
export interface DiscoveredKind extends Kind {
  readonly singular: string;
  readonly verbs: readonly string[];
  readonly categories: readonly string[];
  /** Whether this version is the one that the server prefers for the group. */
  readonly preferred: boolean;
}

/** The kinds that a server has. */
export interface Discovery {
  /** Core first, then the groups in the server's order, each with its preferred version first. Without subresources. */
  readonly kinds: readonly DiscoveredKind[];
  /** Group versions whose discovery failed: the server behind an aggregated API may be down. */
  readonly unavailable: readonly { readonly groupVersion: string; readonly error: unknown }[];
}

/** A kind known only from a manifest: assumed to be namespaced, with a regular plural (`Widget` → `widgets`) and no verbs. */
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
