/** When a pod must be evicted because of its devices. Source: device_taint_eviction.go podEvictionTime. */
import { isControlledBy, isReservedFor, meantBy, podClaimsOf } from "../../api/device-claims.ts";
import { poolIndex, type UntoleratedTaint, untoleratedTaints } from "../../api/device-taints.ts";
import { objectKey } from "../../api/key.ts";
import type { Pod, ResourceClaim, ResourceSlice } from "../../api/types.ts";
import type { Lister } from "../../cache/lister.ts";

/** Where claims and devices are looked up. */
export interface Caches {
  readonly claims: Lister<ResourceClaim>;
  readonly slices: Lister<ResourceSlice>;
}

/**
 * Why the pod must be evicted, the soonest first; empty while it may stay: it has no node yet, or its claims tolerate the taints of their
 * devices forever. Only claims reserved for the pod count.
 */
export function reasonsOf(pod: Pod, { claims, slices }: Caches): readonly UntoleratedTaint[] {
  if ((pod.spec?.nodeName ?? "") === "") return [];
  return podClaimsOf(pod)
    .flatMap((entry) => {
      const meant = meantBy(pod, entry);
      if (meant.is !== "named") return [];
      const claim = claims.get(objectKey(pod.metadata.namespace, meant.name));
      if (claim === undefined || (meant.isGenerated && !isControlledBy(claim, pod))) return [];
      return isReservedFor(claim, pod) ? untoleratedTaints(claim, (pool) => slices.byIndex(poolIndex, pool)) : [];
    })
    .toSorted((a, b) => a.at - b.at);
}
