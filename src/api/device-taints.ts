/**
 * Device taints, and how long claims tolerate them.
 * Source: kubernetes v1.36 pkg/controller/devicetainteviction/device_taint_eviction.go pool, claimEvictionTime.
 */
import { taintText, tolerates } from "./taints.ts";
import { readTime } from "./time.ts";
import type { DeviceTaint, ResourceClaim, ResourceSlice } from "./types.ts";

/** A device allocated to a claim. */
export type AllocatedDevice = NonNullable<
  NonNullable<NonNullable<NonNullable<ResourceClaim["status"]>["allocation"]>["devices"]>["results"]
>[number];

/** The index of slices, and of claims, by the pools of their devices. */
export const poolIndex = "device-pool";

/** The key of a slice in `poolIndex`. */
export function poolOfSlice({ spec }: ResourceSlice): string {
  return poolKey({ driver: spec.driver, pool: spec.pool.name });
}

/** The keys of a claim in `poolIndex`. */
export function poolsOfClaim(claim: ResourceClaim): readonly string[] {
  return [...new Set(devicesOf(claim).map(poolKey))];
}

/** A driver's name has no slash. */
export function poolKey({ driver, pool }: Pick<AllocatedDevice, "driver" | "pool">): string {
  return `${driver}/${pool}`;
}

/** `gpu.example.com/node-1/gpu-0` */
export function deviceText({ driver, pool, device }: AllocatedDevice): string {
  return `${driver}/${pool}/${device}`;
}

/** The devices allocated to a claim. */
export function devicesOf({ status }: ResourceClaim): readonly AllocatedDevice[] {
  return status?.allocation?.devices?.results ?? [];
}

/**
 * The NoExecute taints of a pool's devices, by device name; devices without any are left out. Slices of older generations do not count,
 * even for a device that no newer one has.
 */
export function evictingTaints(slices: readonly ResourceSlice[]): ReadonlyMap<string, readonly DeviceTaint[]> {
  const newest = Math.max(...slices.map(({ spec }) => spec.pool.generation));
  const devices = slices
    .filter(({ spec }) => spec.pool.generation === newest)
    .flatMap(({ spec }) => spec.devices ?? []);
  const tainted = new Map<string, readonly DeviceTaint[]>();
  for (const { name, taints = [] } of devices) {
    const evicting = taints.filter(({ effect }) => effect === "NoExecute");
    if (evicting.length > 0) tainted.set(name, evicting);
  }
  return tainted;
}

/** A device taint that a claim does not tolerate, or not forever. */
export interface UntoleratedTaint {
  /** `gpu.example.com/node-1/gpu-0` */
  readonly device: string;
  /** `unhealthy=yes:NoExecute` */
  readonly taint: string;
  /** When pods that use the claim must be evicted; ms since 1970. */
  readonly at: number;
}

/** The taints that evict the claim's pods. `slicesOf` returns the slices of a pool, by its `poolKey`. */
export function untoleratedTaints(
  claim: ResourceClaim,
  slicesOf: (pool: string) => readonly ResourceSlice[],
): readonly UntoleratedTaint[] {
  return devicesOf(claim).flatMap((allocated) => {
    const taints = evictingTaints(slicesOf(poolKey(allocated))).get(allocated.device) ?? [];
    return taints.flatMap((taint) => {
      // The API server gives each taint a time.
      const at = (readTime(taint.timeAdded) ?? Infinity) + toleratedSeconds(allocated, taint) * 1000;
      return at === Infinity ? [] : [{ device: deviceText(allocated), taint: taintText(taint), at }];
    });
  });
}

/**
 * 0 if no toleration matches, Infinity if a matching one has no limit; otherwise the shortest limit. As in upstream, a toleration without
 * an effect, documented to match all effects, keeps no pod.
 */
function toleratedSeconds({ tolerations = [] }: AllocatedDevice, taint: DeviceTaint): number {
  const matching = tolerations.filter((each) => each.effect === "NoExecute" && tolerates(each, taint));
  if (matching.length === 0) return 0;
  const limited = matching.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
  return limited.length < matching.length ? Infinity : Math.max(0, Math.min(...limited));
}
