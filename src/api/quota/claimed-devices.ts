/** The devices that a ResourceClaim may get. Source: kubernetes v1.36 pkg/quota/v1/evaluator/core/resource_claims.go. */
import type { ResourceClaim } from "../types.ts";

const perClass = ".deviceclass.resource.k8s.io/devices";
/** The most devices that one claim can get: what a request for all devices counts as. Source: resource/v1 AllocationResultsMaxSize. */
const mostDevices = 32;

/** Whether a quota on this name counts the devices of a class: `gpu.example.com.deviceclass.resource.k8s.io/devices`. */
export function isDeviceCount(name: string): boolean {
  return name.endsWith(perClass);
}

interface Asked {
  readonly deviceClassName: string;
  readonly allocationMode?: string;
  readonly count?: number;
}

/** How many devices of each class the claim requests at most, by the name under which a quota counts them. */
export function deviceCounts({ spec }: ResourceClaim): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { firstAvailable = [], exactly } of spec.devices?.requests ?? []) {
    // Of alternatives, each class may get its largest.
    const most = new Map<string, number>();
    for (const asked of firstAvailable) raise(most, asked);
    if (firstAvailable.length === 0 && exactly !== undefined) raise(most, exactly);
    for (const [name, count] of most) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return counts;
}

function raise(most: Map<string, number>, asked: Asked): void {
  const name = asked.deviceClassName + perClass;
  most.set(name, Math.max(most.get(name) ?? 0, devicesOf(asked)));
}

function devicesOf({ allocationMode = "ExactCount", count = 1 }: Asked): number {
  if (allocationMode === "ExactCount") return count;
  return allocationMode === "All" ? mostDevices : 0;
}
