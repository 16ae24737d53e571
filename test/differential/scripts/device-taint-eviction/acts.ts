/** ResourceSlices with tainted devices, claims with such devices, and pods that use them. Scripts act as driver, scheduler and kubelet. */
import { ResourceClaims, ResourceSlices } from "../../../../src/api/kinds.ts";
import { ownName, type Stage } from "../../stage.ts";
import type { Taint, Toleration } from "../taint-eviction/acts.ts";
import { bindPod, claimSpec, consumersOf, makePod } from "../resourceclaim/acts.ts";

/** `timeAdded` is in RFC 3339 format. If it is missing, the API server sets it. */
export interface DeviceTaint extends Taint {
  readonly timeAdded?: string;
}

/** Device names and their taints. */
export type Devices = Readonly<Record<string, readonly DeviceTaint[]>>;

const driver = "gpu.example.com";
const listed = (devices: Devices): object[] => Object.entries(devices).map(([name, taints]) => ({ name, taints }));

export interface SliceParts {
  /** Default 1. */
  readonly generation?: number;
  /** Default `one`. */
  readonly pool?: string;
}

/** Creates a slice of one of the stage's own pools. */
export function makeSlice(stage: Stage, name: string, devices: Devices, parts: SliceParts = {}): Promise<unknown> {
  const { generation = 1, pool = "one" } = parts;
  return stage.create(ResourceSlices, {
    metadata: { name: ownName(stage, name) },
    spec: {
      driver,
      pool: { name: ownName(stage, pool), generation, resourceSliceCount: 1 },
      allNodes: true,
      devices: listed(devices),
    },
  });
}

/** Replaces all devices of a slice. */
export function setDevices(stage: Stage, name: string, devices: Devices, generation = 1): Promise<unknown> {
  const pool = { generation };
  return stage.patch(ResourceSlices, ownName(stage, name), { spec: { pool, devices: listed(devices) } });
}

export function removeSlice(stage: Stage, name: string): Promise<void> {
  return stage.remove(ResourceSlices, ownName(stage, name));
}

export interface ClaimParts {
  /** Default `gpu-0`. */
  readonly devices?: readonly string[];
  readonly tolerations?: readonly Toleration[];
  readonly pods?: readonly string[];
  /** Default `one`. */
  readonly pool?: string;
}

/** Creates a claim with devices allocated, reserved for pods. */
export async function makeClaim(stage: Stage, name: string, parts: ClaimParts = {}): Promise<void> {
  await stage.create(ResourceClaims, { metadata: { name }, spec: claimSpec });
  await allocate(stage, name, parts);
}

export async function allocate(stage: Stage, name: string, parts: ClaimParts): Promise<void> {
  const { devices = ["gpu-0"], tolerations = [], pods = [], pool = "one" } = parts;
  const results = devices.map((device) => ({
    request: "one",
    driver,
    pool: ownName(stage, pool),
    device,
    tolerations: [...tolerations],
  }));
  await stage.patch(ResourceClaims, `${name}/status`, { status: { allocation: { devices: { results } } } });
  await reserve(stage, name, pods);
}

/** Reserves a claim for these pods only. */
export async function reserve(stage: Stage, name: string, pods: readonly string[]): Promise<void> {
  const reservedFor = await consumersOf(stage, pods);
  await stage.patch(ResourceClaims, `${name}/status`, { status: { reservedFor } });
}

/** Creates a pod on a node that uses these claims, which need not exist. A finalizer keeps it while it is being deleted. */
export async function makeUser(
  stage: Stage,
  name: string,
  { claims, bound = true }: { readonly claims: readonly string[]; readonly bound?: boolean },
): Promise<void> {
  const entries = Object.fromEntries(claims.map((claim) => [claim, { claim }]));
  await makePod(stage, name, { entries, finalizers: ["example.com/hold"] });
  if (bound) await bindPod(stage, name);
}
