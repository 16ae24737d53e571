/** The devices of drivers, by pools. Source: kubernetes v1.36 pkg/controller/devicetainteviction/device_taint_eviction.go pool. */
import type { DeviceTaint, ResourceClaim, ResourceSlice } from "../../api/types.ts";

/** A device that a claim was given. */
export type AllocatedDevice = NonNullable<
  NonNullable<NonNullable<NonNullable<ResourceClaim["status"]>["allocation"]>["devices"]>["results"]
>[number];

/** The index of slices, and of claims, by the pools of their devices. */
export const poolIndex = "device-pool";

/** What a slice is found by in `poolIndex`. */
export function poolOfSlice({ spec }: ResourceSlice): string {
  return poolKey({ driver: spec.driver, pool: spec.pool.name });
}

/** What a claim is found by in `poolIndex`. */
export function poolsOfClaim(claim: ResourceClaim): readonly string[] {
  return [...new Set(devicesOf(claim).map(poolKey))];
}

/** A driver's name has no slash. */
export function poolKey({ driver, pool }: Pick<AllocatedDevice, "driver" | "pool">): string {
  return `${driver}/${pool}`;
}

/** The devices that were allocated for a claim. */
export function devicesOf({ status }: ResourceClaim): readonly AllocatedDevice[] {
  return status?.allocation?.devices?.results ?? [];
}

/**
 * The NoExecute taints of a pool's devices, by their names; those without any are left out. Slices of older generations do not count, even
 * for a device that no newer one has.
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
