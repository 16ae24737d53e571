/**
 * The device claims of a pod: whether they exist, which nodes they rule out, and how they are reserved for the pod.
 * Source: kubernetes v1.36 pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go; differs: no devices are allocated.
 */
import {
  classRequestsOf,
  isControlledBy,
  isReservedFor,
  meantBy,
  notOwnMessage,
  type PodClaim,
  podClaimsOf,
} from "../../api/device-claims.ts";
import { messageOf } from "../../api/error-message.ts";
import { keyOf, namespacedNameOf, objectKey } from "../../api/key.ts";
import { DeviceClasses, Pods, ResourceClaims, ResourceSlices } from "../../api/kinds.ts";
import { termFits } from "../../api/node-fit/node-affinity.ts";
import { formatTime } from "../../api/time.ts";
import type { Node, NodeSelectorTerm, Pod, ResourceClaim, ResourceSlice } from "../../api/types.ts";
import { retryOnConflict } from "../../controller/api/retry-on-conflict.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";

/** What a pod's device claims say about nodes. */
export interface DevicesView {
  /** Why the pod is not tried at all; reported neither in its status nor in an Event. */
  readonly held: string | undefined;
  /** Why it can run on no node. */
  readonly obstacle: string | undefined;
  /** Why it cannot run on this one. */
  obstacleOn(node: Node): string | undefined;
  /** The claims that have devices. */
  readonly allocated: readonly ResourceClaim[];
  /** Those of them whose devices the node cannot use; none if something else rules the node out. */
  unavailableOn(node: Node): readonly ResourceClaim[];
}

/** The view of a pod without device claims. */
export const noDevices: DevicesView = {
  held: undefined,
  obstacle: undefined,
  obstacleOn: () => undefined,
  allocated: [],
  unavailableOn: () => [],
};

/** The view of a pod whose claims all have devices. */
export function usableDevices(allocated: readonly ResourceClaim[]): DevicesView {
  const unavailableOn = (node: Node): readonly ResourceClaim[] =>
    allocated.filter((claim) => !isAvailableOn(claim, node));
  return {
    ...noDevices,
    obstacleOn: (node) => (unavailableOn(node).length === 0 ? undefined : "resourceclaim not available on the node"),
    allocated,
    unavailableOn,
  };
}

/** The view of a pod's claims, as the caches show them. */
export function devicesView(context: SyncContext, pod: Pod): DevicesView {
  const claims: ResourceClaim[] = [];
  for (const entry of podClaimsOf(pod)) {
    const found = claimFor(context, { pod, entry });
    if (typeof found === "string") return { ...noDevices, held: found };
    if (found !== undefined) claims.push(found);
  }
  const open = claims.filter(({ status }) => status?.allocation === undefined);
  for (const claim of open) {
    const obstacle = obstacleIn(context, claim);
    if (obstacle !== undefined) return { ...noDevices, obstacle };
  }
  const usable = usableDevices(claims.filter((claim) => !open.includes(claim)));
  if (open.length === 0) return usable;
  const slices = context.cache(ResourceSlices).list();
  const requestsNone = open.some(({ spec }) => classRequestsOf(spec).length === 0);
  return {
    ...usable,
    unavailableOn: () => [],
    obstacleOn: (node) =>
      requestsNone || slices.some((slice) => countsFor(slice, node))
        ? "cannot allocate all claims (the simulated scheduler allocates no devices)"
        : "cannot allocate all claims",
  };
}

/** Undefined if the pod needs none; a string for why it waits. Source: dynamicresources.go foreachPodResourceClaim. */
function claimFor(
  context: SyncContext,
  { pod, entry }: { readonly pod: Pod; readonly entry: PodClaim },
): ResourceClaim | string | undefined {
  const meant = meantBy(pod, entry);
  if (meant.is === "not-needed") return undefined;
  if (meant.is !== "named") return meant.why;
  const claim = context.cache(ResourceClaims).get(objectKey(pod.metadata.namespace, meant.name));
  if (claim === undefined) return `resourceclaim "${meant.name}" not found`;
  if (claim.metadata.deletionTimestamp !== undefined) return `resourceclaim "${meant.name}" is being deleted`;
  return meant.isGenerated && !isControlledBy(claim, pod) ? notOwnMessage(claim, pod) : claim;
}

/** The obstacle in a claim without devices. Source: dynamicresources.go PreFilter, validateDeviceClass. */
function obstacleIn(context: SyncContext, { spec }: ResourceClaim): string | undefined {
  const classes = context.cache(DeviceClasses);
  const missing = classRequestsOf(spec).find(({ deviceClass }) => classes.get(deviceClass) === undefined);
  return missing && `request ${missing.request}: device class ${missing.deviceClass} does not exist`;
}

function isAvailableOn(claim: ResourceClaim, node: Node): boolean {
  const { nodeSelector } = claim.status?.allocation ?? {};
  return (nodeSelector === undefined || selects(nodeSelector, node)) && bindingOf(claim) !== "failed";
}

function selects(
  { nodeSelectorTerms }: { readonly nodeSelectorTerms: readonly NodeSelectorTerm[] },
  node: Node,
): boolean {
  return nodeSelectorTerms.some((term) => termFits(term, node));
}

/**
 * Whether the node can use the slice's devices. Source: dynamic-resource-allocation v0.36
 * structured/internal/incubating/pools_incubating.go.
 */
function countsFor({ spec }: ResourceSlice, node: Node): boolean {
  const fits = ({ nodeName, allNodes, nodeSelector }: Pick<typeof spec, "nodeName" | "allNodes" | "nodeSelector">) =>
    allNodes === true || nodeName === node.metadata.name || (nodeSelector !== undefined && selects(nodeSelector, node));
  if ((spec.sharedCounters ?? []).length > 0) return true;
  return spec.perDeviceNodeSelection === true ? (spec.devices ?? []).some(fits) : fits(spec);
}

/**
 * Whether the devices of a claim are ready for its pods, by the binding conditions recorded at the allocation.
 * Source: dynamicresources.go isClaimReadyForBinding; differs: no timeout after ten minutes.
 */
export function bindingOf({ status }: ResourceClaim): "ready" | "pending" | "failed" {
  for (const result of status?.allocation?.devices?.results ?? []) {
    const { bindingConditions = [], bindingFailureConditions = [] } = result;
    if (bindingConditions.length === 0) continue;
    const deviceStatus = status?.devices?.find(
      ({ driver, pool, device }) => driver === result.driver && pool === result.pool && device === result.device,
    );
    const isTrue = (type: string): boolean =>
      deviceStatus?.conditions?.some((condition) => condition.type === type && condition.status === "True") === true;
    if (bindingFailureConditions.some(isTrue)) return "failed";
    if (!bindingConditions.every(isTrue)) return "pending";
  }
  return "ready";
}

interface ForPod {
  readonly context: SyncContext;
  readonly pod: Pod;
  readonly because: Decision;
}

/**
 * Reserves the claim for the pod.
 * @throws Error with upstream's text, and the refusal as its cause: a claim has at most 256 users.
 * Source: dynamicresources.go bindClaim.
 */
export async function reserveClaim({ context, pod, because }: ForPod, cached: ResourceClaim): Promise<ResourceClaim> {
  const { client, signal } = context;
  const { name, uid } = pod.metadata;
  let known: ResourceClaim | undefined = cached;
  const write = async (): Promise<ResourceClaim> => {
    const claim: ResourceClaim = known ?? (await current(context, cached));
    known = undefined;
    const { deletionTimestamp } = claim.metadata;
    if (deletionTimestamp !== undefined) throw new Error(`claim ${keyOf(claim)} got deleted in the meantime`);
    // The cache may not yet show what the last attempt wrote.
    if (isReservedFor(claim, pod)) return claim;
    const { allocation, reservedFor = [] } = claim.status ?? {};
    if (allocation === undefined) throw new Error(`claim ${keyOf(claim)} got deallocated elsewhere in the meantime`);
    // As in upstream: the API server refuses a timestamp for devices that were allocated without one.
    const allocationTimestamp = allocation.allocationTimestamp ?? formatTime(context.now());
    const status = {
      ...claim.status,
      allocation: { ...allocation, allocationTimestamp },
      reservedFor: [...reservedFor, { resource: Pods.plural, name, uid }],
    };
    try {
      return await client.updateStatus(ResourceClaims, { ...claim, status }, { because, basedOn: claim, signal });
    } catch (cause) {
      throw new Error(`add reservation to claim ${keyOf(claim)}: ${messageOf(cause)}`, { cause });
    }
  };
  return retryOnConflict(write, { context });
}

async function current({ client }: SyncContext, cached: ResourceClaim): Promise<ResourceClaim> {
  try {
    return await client.get(ResourceClaims, namespacedNameOf(cached));
  } catch (cause) {
    throw new Error(`get updated claim ${keyOf(cached)} after conflict: ${messageOf(cause)}`, { cause });
  }
}

/** Removes the pod's reservation of a claim. Source: dynamicresources.go Unreserve. @throws what the API server refuses. */
export async function unreserveClaim({ context, pod, because }: ForPod, claim: ResourceClaim): Promise<void> {
  const consumer = { $patch: "delete", uid: pod.metadata.uid };
  const body = { metadata: { uid: claim.metadata.uid }, status: { reservedFor: [consumer] } };
  await context.client.patch(
    ResourceClaims,
    namespacedNameOf(claim),
    { type: "strategic", body },
    { subresource: "status", because, basedOn: claim, signal: context.signal },
  );
}

/** The claims not yet reserved for the pod. */
export function unreserved(claims: readonly ResourceClaim[], pod: Pod): readonly ResourceClaim[] {
  return claims.filter((claim) => !isReservedFor(claim, pod));
}

/**
 * The first claim that is idle or used by this pod only: it can get other devices. Source: dynamicresources.go PostFilter, which takes any
 * of them.
 */
export function idleFor(pod: Pod, claims: Iterable<ResourceClaim>): ResourceClaim | undefined {
  return [...claims].find((claim) => (claim.status?.reservedFor ?? []).every(({ uid }) => uid === pod.metadata.uid));
}

/** Deallocates a claim's devices. Source: dynamicresources.go PostFilter. @throws what the API server refuses. */
export async function deallocate({ context, because }: Omit<ForPod, "pod">, claim: ResourceClaim): Promise<void> {
  const { allocation: _devices, reservedFor: _users, devices: _statuses, ...status } = claim.status ?? {};
  const options = { because, basedOn: claim, signal: context.signal };
  await context.client.updateStatus(ResourceClaims, { ...claim, status }, options);
}
