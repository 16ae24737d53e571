/** When a pod has to go because of its devices. Source: device_taint_eviction.go podEvictionTime, claimEvictionTime. */
import { objectKey } from "../../api/key.ts";
import { readTime } from "../../api/time.ts";
import type { DeviceTaint, Pod, ResourceClaim, ResourceSlice } from "../../api/types.ts";
import type { Lister } from "../../cache/lister.ts";
import { isControlledBy, isReservedFor, meantBy, podClaimsOf } from "../../controller/workload/device-claims.ts";
import { type AllocatedDevice, devicesOf, evictingTaints, poolIndex, poolKey } from "./pools.ts";

/** Where claims and devices are looked up. */
export interface Caches {
  readonly claims: Lister<ResourceClaim>;
  readonly slices: Lister<ResourceSlice>;
}

/** A taint that a claim of the pod does not tolerate, or not for ever. */
export interface Reason {
  /** `gpu.example.com/node-1/gpu-0` */
  readonly device: string;
  /** `unhealthy=yes:NoExecute` */
  readonly taint: string;
  /** When the pod has to go; ms since 1970. */
  readonly at: number;
}

/**
 * Why the pod has to go, the soonest first; empty while it may stay: it has no node yet, or its claims tolerate the taints of their devices
 * for ever. Only claims that are reserved for the pod count.
 */
export function reasonsOf(pod: Pod, { claims, slices }: Caches): readonly Reason[] {
  if ((pod.spec?.nodeName ?? "") === "") return [];
  return podClaimsOf(pod)
    .flatMap((entry) => {
      const meant = meantBy(pod, entry);
      if (meant.is !== "named") return [];
      const claim = claims.get(objectKey(pod.metadata.namespace, meant.name));
      if (claim === undefined || (meant.isGenerated && !isControlledBy(claim, pod))) return [];
      return isReservedFor(claim, pod) ? reasonsOfClaim(claim, slices) : [];
    })
    .toSorted((a, b) => a.at - b.at);
}

function reasonsOfClaim(claim: ResourceClaim, slices: Lister<ResourceSlice>): readonly Reason[] {
  return devicesOf(claim).flatMap((allocated) => {
    const { driver, pool, device } = allocated;
    const taints = evictingTaints(slices.byIndex(poolIndex, poolKey(allocated))).get(device) ?? [];
    return taints.flatMap((taint) => {
      // The API server gives each taint a time.
      const at = (readTime(taint.timeAdded) ?? Infinity) + toleratedSeconds(allocated, taint) * 1000;
      return at === Infinity ? [] : [{ device: `${driver}/${pool}/${device}`, taint: taintText(taint), at }];
    });
  });
}

/**
 * 0 if none of the tolerations matches, Infinity if one that does has no end; of several ends the first. As upstream, a toleration without
 * an effect, which by its documentation matches all of them, keeps no pod.
 */
function toleratedSeconds({ tolerations = [] }: AllocatedDevice, taint: DeviceTaint): number {
  const matching = tolerations.filter((each) => each.effect === "NoExecute" && tolerates(each, taint));
  if (matching.length === 0) return 0;
  const limited = matching.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
  return limited.length < matching.length ? Infinity : Math.max(0, Math.min(...limited));
}

type Toleration = NonNullable<AllocatedDevice["tolerations"]>[number];

/** Source: dynamic-resource-allocation v0.36 resourceclaim/devicetoleration.go ToleratesTaint. */
function tolerates({ key = "", operator = "Equal", value = "" }: Toleration, taint: DeviceTaint): boolean {
  if (key !== "" && key !== taint.key) return false;
  return operator === "Exists" || (operator === "Equal" && value === (taint.value ?? ""));
}

function taintText({ key, value = "", effect }: DeviceTaint): string {
  return `${key}${value === "" ? "" : `=${value}`}:${effect}`;
}
