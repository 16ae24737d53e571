import { messageOf } from "../../api/error-message.ts";
import { discover, type DiscoveredKind } from "../../client/api/discovery.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import type { Undiscovered } from "./outcome.ts";

/** The kinds found, and why some may be missing. */
export interface DeletableKinds {
  readonly kinds: readonly DiscoveredKind[];
  readonly undiscovered?: Undiscovered;
}

/**
 * The namespaced kinds that can be deleted, each once: in its group's preferred version, or in the first version that
 * has it. A group that fails does not hide the others.
 *
 * Source: client-go v0.36 discovery/discovery_client.go ServerPreferredNamespacedResources, ErrGroupDiscoveryFailed.
 */
export async function deletableKinds({ client, signal }: SyncContext): Promise<DeletableKinds> {
  try {
    const { kinds, unavailable } = await discover(client, { signal });
    const chosen = new Map<string, DiscoveredKind>();
    for (const kind of kinds) {
      const name = `${kind.group}/${kind.plural}`;
      if (!chosen.has(name) || kind.preferred) chosen.set(name, kind);
    }
    const deletable = [...chosen.values()].filter(({ namespaced, verbs }) => namespaced && verbs.includes("delete"));
    return unavailable.length === 0 ? { kinds: deletable } : { kinds: deletable, undiscovered: partly(unavailable) };
  } catch (error) {
    signal.throwIfAborted();
    const cause = error instanceof Error ? error : new Error(String(error));
    return { kinds: [], undiscovered: { groupVersions: [], message: cause.message, error: cause } };
  }
}

function partly(unavailable: readonly { readonly groupVersion: string; readonly error: unknown }[]): Undiscovered {
  const groups = unavailable.map(({ groupVersion, error }) => {
    return `${groupVersion}: ${messageOf(error)}`;
  });
  const what = `unable to retrieve the complete list of server APIs: ${groups.sort().join(", ")}`;
  return {
    groupVersions: unavailable.map(({ groupVersion }) => groupVersion),
    message: `Discovery failed for some groups, ${unavailable.length} failing: ${what}`,
    error: new Error(what),
  };
}
