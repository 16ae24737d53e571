/** The kinds whose objects a quota can count. Source: kubernetes v1.36 pkg/quota/v1/install/registry.go, GetQuotableResources. */
import { type Kind, resourceOf } from "../../api/kind.ts";
import { PersistentVolumeClaims, Pods, ResourceClaims, ResourceQuotas, Services } from "../../api/kinds.ts";
import type { DiscoveredKind } from "../../client/api/discovery.ts";
import { runState, type RunState } from "../../controller/api/run-state.ts";

const verbs = ["create", "list", "watch", "delete"] as const;
/** Quotas count more of these than the number of objects, so complete objects are watched. */
const whole: readonly Kind[] = [Pods, Services, PersistentVolumeClaims, ResourceClaims, ResourceQuotas];
const named: ReadonlySet<string> = new Set(whole.map(resourceOf));
/** Only these two are ignored: kinds of other groups may have the same plural. */
const ignored: ReadonlySet<string> = new Set(["events", "events.events.k8s.io"]);

/** The kinds for which metadata suffices: one version of each resource, the preferred one if it has the resource. */
export function countedKinds(kinds: readonly DiscoveredKind[]): readonly DiscoveredKind[] {
  const chosen = new Map<string, DiscoveredKind>();
  for (const kind of kinds) {
    const resource = resourceOf(kind);
    // Each group's preferred version comes first.
    if (kind.namespaced && !ignored.has(resource) && !named.has(resource) && !chosen.has(resource)) {
      chosen.set(resource, kind);
    }
  }
  return [...chosen.values()].filter((kind) => verbs.every((verb) => kind.verbs.includes(verb)));
}

/** The kinds that discovery found; filled by the controller's dynamic watches. */
class CountedKinds {
  #kinds: readonly Kind[] = [];

  set(kinds: readonly Kind[]): void {
    this.#kinds = kinds;
  }

  /** Every kind whose objects a quota can count. */
  get all(): readonly Kind[] {
    return [...whole, ...this.#kinds];
  }
}

/** The discovered kinds of one run. */
export const memory: RunState<CountedKinds> = runState(() => new CountedKinds());
