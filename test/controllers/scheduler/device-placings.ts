/** Pods with claims of devices, for our scheduler and the real one. No driver or controller runs: the cases define the claims. */
import { DeviceClasses, ResourceClaims, ResourceSlices } from "../../../src/api/kinds.ts";
import type { NodeParts } from "../../support/pods.ts";
import type { Named, Placing } from "./placings.ts";
import type { Stored, StoragePlacing } from "./storage-placings.ts";

const two: Named<NodeParts> = [
  ["a", { labels: { zone: "one" } }],
  ["b", { labels: { zone: "two" } }],
];

const driver = "gpu.example.com";
const uid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** An allocation of this device, restricted to nodes of this zone. */
export function allocation(
  device: string,
  { zone, isTimed = true }: { zone?: string; isTimed?: boolean } = {},
): object {
  const matchExpressions = [{ key: "zone", operator: "In", values: [zone] }];
  return {
    devices: { results: [{ request: "one", driver, pool: "pool", device }] },
    ...(zone !== undefined && { nodeSelector: { nodeSelectorTerms: [{ matchExpressions }] } }),
    ...(isTimed && { allocationTimestamp: "2026-01-01T00:00:00Z" }),
  };
}

/** Entries of `reservedFor` for other pods, which do not exist. */
export const others = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, n) => ({ resource: "pods", name: `other-${n}`, uid: uid(n) }));

interface ClaimParts {
  readonly deviceClassName?: string;
  readonly requests?: readonly object[];
  readonly status?: object;
  readonly isDeleted?: true;
  readonly finalizers?: readonly string[];
}

export function deviceClaim(name: string, { status, isDeleted, ...parts }: ClaimParts = {}): Stored {
  const { deviceClassName = driver, requests = [{ name: "one", exactly: { deviceClassName } }] } = parts;
  return {
    kind: ResourceClaims,
    object: {
      metadata: { name, namespace: "default", finalizers: parts.finalizers ?? ["example.com/hold"] },
      spec: { devices: { requests } },
    },
    ...(status !== undefined && { status }),
    ...(isDeleted !== undefined && { isDeleted }),
  };
}

/** Shared by cases: created unless it already exists. */
const deviceClass = (name: string): Stored => ({ kind: DeviceClasses, object: { metadata: { name }, spec: {} } });

const using = (...claims: readonly string[]): StoragePlacing["pod"] => ({
  spec: {
    resourceClaims: claims.map((resourceClaimName, n) => ({ name: `claim-${n}`, resourceClaimName })),
  },
});

/** A case with a pod that has claims of devices. */
export interface DevicePlacing extends Placing {
  readonly storage: readonly Stored[];
  /** The pod gets neither a condition nor Events nor a node. */
  readonly isHeld?: true;
  /** The reason of the pod's condition; Unschedulable by default. */
  readonly reason?: "SchedulerError";
  /** The claim whose allocation is removed. */
  readonly freed?: string;
  /** The claim that keeps its allocation. */
  readonly kept?: string;
  /** The final number of users of each claim, by name. */
  readonly reserved?: Readonly<Record<string, number>>;
}

export const devicePlacings: readonly DevicePlacing[] = [
  { name: "a claim that is not there", nodes: two, storage: [], pod: using("dev-none"), isHeld: true },
  {
    name: "a claim that is being deleted",
    nodes: two,
    storage: [deviceClaim("dev-going", { status: { allocation: allocation("going") }, isDeleted: true })],
    pod: using("dev-going"),
    isHeld: true,
  },
  {
    name: "a template whose claim was not created yet",
    nodes: two,
    storage: [],
    pod: {
      spec: {
        containers: [{ name: "c", image: "i" }],
        resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "any" }],
      },
    },
    isHeld: true,
  },
  {
    name: "a claim with devices that can be used anywhere",
    nodes: [["a", {}]],
    storage: [deviceClaim("dev-any", { status: { allocation: allocation("any") } })],
    pod: using("dev-any"),
    node: "a",
    reserved: { "dev-any": 1 },
  },
  {
    name: "a claim with devices in another zone",
    nodes: two,
    storage: [
      deviceClaim("dev-two", { status: { allocation: allocation("two", { zone: "two" }), reservedFor: others(1) } }),
    ],
    pod: using("dev-two"),
    node: "b",
    reserved: { "dev-two": 2 },
  },
  {
    name: "a claim with devices in no zone",
    nodes: two,
    storage: [
      deviceClaim("dev-far", { status: { allocation: allocation("far", { zone: "far" }), reservedFor: others(1) } }),
    ],
    pod: using("dev-far"),
    message: "0/2 nodes are available: 2 resourceclaim not available on the node.",
    reserved: { "dev-far": 1 },
  },
  {
    name: "an idle claim with devices in no zone",
    nodes: two,
    storage: [deviceClaim("dev-idle", { status: { allocation: allocation("idle", { zone: "far" }) } })],
    pod: using("dev-idle"),
    freed: "dev-idle",
  },
  {
    name: "an idle claim with devices of nodes that do not count",
    nodes: [
      ["a", { labels: { zone: "one" }, allocatable: { cpu: "1" } }],
      ["b", { labels: { zone: "two" }, unschedulable: true }],
    ],
    storage: [deviceClaim("dev-kept", { status: { allocation: allocation("kept", { zone: "one" }) } })],
    pod: { ...using("dev-kept"), requests: { cpu: "2" } },
    message: "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.",
    kept: "dev-kept",
  },
  {
    name: "two claims whose devices no node can use together",
    nodes: two,
    storage: [
      deviceClaim("dev-here", { status: { allocation: allocation("here", { zone: "one" }), reservedFor: others(1) } }),
      deviceClaim("dev-there", {
        status: { allocation: allocation("there", { zone: "two" }), reservedFor: others(1) },
      }),
    ],
    pod: using("dev-here", "dev-there"),
    message: "0/2 nodes are available: 2 resourceclaim not available on the node.",
  },
  {
    name: "a claim of a class that is not there",
    nodes: two,
    storage: [deviceClaim("dev-classless", { deviceClassName: "none.example.com" })],
    pod: using("dev-classless"),
    message: "0/2 nodes are available: request one: device class none.example.com does not exist.",
  },
  {
    name: "alternatives, of which one is of a class that is not there",
    nodes: two,
    storage: [
      deviceClass("large.example.com"),
      deviceClaim("dev-either", {
        requests: [
          {
            name: "one",
            firstAvailable: [
              { name: "large", deviceClassName: "large.example.com" },
              { name: "small", deviceClassName: "small.example.com" },
            ],
          },
        ],
      }),
    ],
    pod: using("dev-either"),
    message: "0/2 nodes are available: request one/small: device class small.example.com does not exist.",
  },
  {
    name: "a claim of a class without devices",
    nodes: two,
    storage: [deviceClass("idle.example.com"), deviceClaim("dev-open", { deviceClassName: "idle.example.com" })],
    pod: using("dev-open"),
    message: "0/2 nodes are available: 2 cannot allocate all claims.",
  },
  {
    name: "all devices of a class without devices",
    nodes: two,
    storage: [
      deviceClass("idle.example.com"),
      deviceClaim("dev-all", {
        requests: [{ name: "one", exactly: { deviceClassName: "idle.example.com", allocationMode: "All" } }],
      }),
    ],
    pod: using("dev-all"),
    message: "0/2 nodes are available: 2 cannot allocate all claims.",
  },
  {
    name: "devices that other nodes have",
    nodes: two,
    storage: [
      deviceClass("far.example.com"),
      {
        kind: ResourceSlices,
        object: {
          metadata: { name: "far" },
          spec: {
            driver: "far.example.com",
            nodeName: "c",
            pool: { name: "c", generation: 1, resourceSliceCount: 1 },
            devices: [{ name: "card" }],
          },
        },
      },
      deviceClaim("dev-elsewhere", { deviceClassName: "far.example.com" }),
    ],
    pod: using("dev-elsewhere"),
    message: "0/2 nodes are available: 2 cannot allocate all claims.",
  },
  {
    name: "a node that rules itself out before its devices do",
    nodes: [["a", { unschedulable: true }], ...two.slice(1)],
    storage: [
      deviceClaim("dev-one", { status: { allocation: allocation("one", { zone: "one" }), reservedFor: others(1) } }),
    ],
    pod: using("dev-one"),
    message: "0/2 nodes are available: 1 node(s) were unschedulable, 1 resourceclaim not available on the node.",
  },
  {
    name: "a claim with 255 users",
    nodes: [["a", {}]],
    storage: [deviceClaim("dev-busy", { status: { allocation: allocation("busy"), reservedFor: others(255) } })],
    pod: using("dev-busy"),
    node: "a",
    reserved: { "dev-busy": 256 },
  },
  {
    name: "a claim with 256 users, after one that has room",
    nodes: [["a", {}]],
    storage: [
      deviceClaim("dev-room", { status: { allocation: allocation("room"), reservedFor: others(1) } }),
      deviceClaim("dev-full", { status: { allocation: allocation("full"), reservedFor: others(256) } }),
    ],
    pod: using("dev-room", "dev-full"),
    reason: "SchedulerError",
    message:
      'running PreBind plugin "DynamicResources": add reservation to claim default/dev-full: ResourceClaim.resource.k8s.io "dev-full" is invalid: status.reservedFor: Too many: 257: must have at most 256 items',
    reserved: { "dev-room": 1, "dev-full": 256 },
  },
  {
    name: "devices that were allocated without a time",
    nodes: [["a", {}]],
    storage: [deviceClaim("dev-untimed", { status: { allocation: allocation("untimed", { isTimed: false }) } })],
    pod: using("dev-untimed"),
    reason: "SchedulerError",
    message:
      'running PreBind plugin "DynamicResources": add reservation to claim default/dev-untimed: ResourceClaim.resource.k8s.io "dev-untimed" is invalid: status.allocation: Invalid value: ',
    reserved: { "dev-untimed": 0 },
  },
];
