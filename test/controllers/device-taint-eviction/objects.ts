/** ResourceSlices of one driver, claims with allocated devices, and pods that use the claims, all in the namespace `shop`. */
import { formatTime } from "../../../src/api/time.ts";
import type { DeviceTaint, Pod, ResourceClaim, ResourceSlice } from "../../../src/api/types.ts";
import type { AllocatedDevice } from "../../../src/api/device-taints.ts";
import { sceneStart } from "../../support/sync-context.ts";
import { claimOf, consumerOf, named, podOf, type PodParts } from "../resourceclaim/objects.ts";

const driver = "gpu.example.com";
const pool = "node-1";
const creationTimestamp = formatTime(sceneStart - 60_000);

type Toleration = NonNullable<AllocatedDevice["tolerations"]>[number];

/** A taint that was added at the start of the scene, with the given changes. */
export const unhealthy = (parts: Partial<DeviceTaint> = {}): DeviceTaint => ({
  key: "unhealthy",
  effect: "NoExecute",
  timeAdded: formatTime(sceneStart),
  ...parts,
});

export interface SliceParts {
  readonly generation?: number;
  readonly pool?: string;
}

/** A slice with devices by name, each with its taints. */
export function sliceOf(
  name: string,
  devices: Readonly<Record<string, readonly DeviceTaint[]>>,
  parts: SliceParts = {},
): ResourceSlice {
  return {
    metadata: { name, uid: `uid-${name}`, resourceVersion: "1", creationTimestamp },
    spec: {
      driver,
      pool: { name: parts.pool ?? pool, generation: parts.generation ?? 1, resourceSliceCount: 1 },
      devices: Object.entries(devices).map(([device, taints]) => ({ name: device, taints: [...taints] })),
    },
  };
}

export const forSeconds = (tolerationSeconds?: number, parts: Partial<Toleration> = {}): Toleration => ({
  operator: "Exists",
  effect: "NoExecute",
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
  ...parts,
});

/** A claim that has devices allocated and is reserved for a pod. */
export function given(
  name: string,
  {
    pod,
    devices = ["gpu-0"],
    tolerations = [],
  }: {
    readonly pod?: Pod;
    readonly devices?: readonly string[];
    readonly tolerations?: readonly Toleration[];
  },
): ResourceClaim {
  const results = devices.map((device) => ({ request: "one", driver, pool, device, tolerations }));
  const reservedFor = pod === undefined ? [] : [consumerOf(pod)];
  return { ...claimOf(name), status: { allocation: { devices: { results } }, reservedFor } };
}

/** A pod `web` on node-1 that uses these claims. */
export function using(claims: readonly string[], parts: PodParts = {}): Pod {
  return podOf({ node: "node-1", entries: claims.map((claim) => named(claim, claim)), ...parts });
}
