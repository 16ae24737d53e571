/** The kinds whose objects a quota can count. Source: kubernetes v1.36 pkg/quota/v1/install/registry.go, GetQuotableResources. */
import { type Kind, PersistentVolumeClaims, Pods, ResourceQuotas, resourceOf, Services } from "../../api/kind.ts";
import type { DiscoveredKind } from "../../client/api/discovery.ts";
import { runState, type RunState } from "../../controller/api/run-state.ts";

const verbs = ["create", "list", "watch", "delete"] as const;
/** More is counted of these than how many there are: their objects are read whole. */
const whole: readonly Kind[] = [Pods, Services, PersistentVolumeClaims, ResourceQuotas];
const named: ReadonlySet<string> = new Set(whole.map(resourceOf));

/** Those of which the metadata are enough; of each resource one version, the preferred one where it has it. */
export function countedKinds(kinds: readonly DiscoveredKind[]): readonly DiscoveredKind[] {
  const chosen = new Map<string, DiscoveredKind>();
  for (const kind of kinds) {
    const resource = resourceOf(kind);
    // Of each group the preferred version comes first.
    if (kind.namespaced && kind.plural !== "events" && !named.has(resource) && !chosen.has(resource)) {
      chosen.set(resource, kind);
    }
  }
  return [...chosen.values()].filter((kind) => verbs.every((verb) => kind.verbs.includes(verb)));
}

/** What discovery has found. */
export class CountedKinds {
  #kinds: readonly Kind[] = [];

  set(kinds: readonly Kind[]): void {
    this.#kinds = kinds;
  }

  /** All that a quota can count. */
  get all(): readonly Kind[] {
    return [...whole, ...this.#kinds];
  }
}

export const memory: RunState<CountedKinds> = runState(() => new CountedKinds());
