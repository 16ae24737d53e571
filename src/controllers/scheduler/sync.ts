import { podClaimsOf } from "../../api/device-claims.ts";
import { messageOf } from "../../api/error-message.ts";
import { deepEqual } from "../../api/field-changes.ts";
import { DeviceClasses, Namespaces, Nodes, Pods, ResourceClaims, ResourceSlices } from "../../api/kinds.ts";
import { isNotFound, StatusError } from "../../api/status-error.ts";
import { formatTime } from "../../api/time.ts";
import type { Node, Pod, PodCondition, ResourceClaim } from "../../api/types.ts";
import { isPodTerminal } from "../../controller/workload/pod-status.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import type { Decision } from "../../controller/api/rule.ts";
import {
  bindingOf,
  deallocate,
  type DevicesView,
  devicesView,
  idleFor,
  noDevices,
  reserveClaim,
  unreserveClaim,
  unreserved,
} from "./devices.ts";
import { feasibleNodes, obstacleMessage, unschedulableMessage } from "./filters.ts";
import { backoffMs, memory } from "./memory.ts";
import { podAffinityView } from "./pod-affinity.ts";
import { awaitDevices, deallocateDevices, failed, gated, place, reserveDevices, unschedulable } from "./rules.ts";
import { choose, type Choice } from "./scores.ts";
import { spreadView } from "./topology-spread.ts";
import { anyNode, bindClaims, hasWork, type VolumesView, volumesView } from "./volumes.ts";

/** The `spec.schedulerName` of pods that name no scheduler. */
export const schedulerName = "default-scheduler";

/** Whether this scheduler is responsible for finding a node for the pod. */
export function isToBeScheduled(pod: Pod): boolean {
  return (
    (pod.spec?.nodeName ?? "") === "" &&
    (pod.spec?.schedulerName ?? schedulerName) === schedulerName &&
    pod.metadata.deletionTimestamp === undefined &&
    !isPodTerminal(pod)
  );
}

/** What the scheduler takes into account. */
export interface SchedulerOptions {
  /** Pods wait for their claims, and claims for the nodes of their pods. If false, pods are placed as if their claims were bound. */
  readonly bindsVolumes: boolean;
  /** If nothing binds claims: what is known about the pod's claims. Default: it can run on any node. */
  readonly volumesOf?: (pod: Pod) => VolumesView;
  /** What is known about a pod's device claims, if they are evaluated elsewhere. Default: they are watched, and pods wait for them. */
  readonly devicesOf?: (pod: Pod) => DevicesView;
}

/**
 * Finds a node for one pod and binds it, or reports why there is none.
 * Source: kubernetes v1.36 pkg/scheduler/schedule_one.go; differs: decision and binding are one sync; other syncs run
 * meanwhile, since a pod counts for its node from the decision on.
 */
export async function syncPod(context: SyncContext, options: SchedulerOptions): Promise<void> {
  const { key } = context;
  const usesDevices = podClaimsOf(context.cache(Pods).get(key) ?? {}).length > 0;
  const areDevicesKnown = !usesDevices || options.devicesOf !== undefined || (await areDeviceCachesFilled(context));
  const { nodeUsage, waiting } = context.state(memory);
  const pod = context.cache(Pods).get(key);
  if (pod === undefined || !isToBeScheduled(pod)) {
    waiting.delete(key);
    return;
  }
  // Already bound; the cache is behind.
  if (nodeUsage.has(key)) return;
  const gates = (pod.spec?.schedulingGates ?? []).map(({ name }) => name);
  if (gates.length > 0) {
    context.decide(gated, { gates });
    return;
  }
  if (!areDevicesKnown) {
    context.decide(awaitDevices, { why: "ResourceClaims, DeviceClasses and ResourceSlices could not be listed yet" });
    context.enqueueAfter(lookAgainAfterMs, "they may have been listed by now", { background: true });
    return;
  }
  const devices = usesDevices ? (options.devicesOf?.(pod) ?? devicesView(context, pod)) : noDevices;
  const before = waiting.get(key);
  if (devices.held !== undefined) {
    context.decide(awaitDevices, { why: devices.held });
    waiting.set(key, { attempts: before?.attempts ?? 0, until: context.now(), woken: false });
    return;
  }
  if (before !== undefined && context.now() < before.until) {
    context.enqueueAfter(before.until - context.now(), "something changed during the back-off");
    return;
  }
  const nodes = context.cache(Nodes).list();
  const affinity = podAffinityView(pod, { nodes, nodeUsage, namespaces: context.cache(Namespaces) });
  const spread = spreadView(pod, { nodes, nodeUsage });
  const volumes = options.bindsVolumes ? volumesView(context, pod) : (options.volumesOf?.(pod) ?? anyNode);
  const obstacle = volumes.obstacle ?? devices.obstacle;
  if (obstacle !== undefined) {
    await markUnschedulable(context, pod, obstacleMessage(nodes.length, obstacle));
    return;
  }
  const views = { affinity, spread, volumes, devices };
  const { candidates, reasons, withoutDevices } = feasibleNodes(pod, nodes, (node) => nodeUsage.loadOf(node), views);
  if (candidates.length === 0) {
    await markUnschedulable(context, pod, unschedulableMessage(nodes.length, reasons));
    // After the pod is marked as waiting, unlike upstream: the claim's change must enqueue it.
    const unavailable = withoutDevices.flatMap((node) => devices.unavailableOn(node));
    await freeDevices({ context, pod }, unavailable);
    return;
  }
  const chosen = candidates.filter(({ node }) => node.metadata.name === before?.node);
  const choice = choose(pod, chosen.length > 0 ? chosen : candidates, affinity, context.random);
  const { node } = choice.candidate;
  const plan = volumes.planFor(node);
  if (plan !== undefined && hasWork(plan)) {
    // Before the request: a change of a claim in the meantime must enqueue the pod.
    const { name } = node.metadata;
    waiting.set(key, { attempts: 0, until: context.now(), woken: false, node: name });
    return bindClaims(context, { ...plan, node: name });
  }
  await bind(context, pod, choice, { nodes, feasible: candidates.length, claims: devices.allocated });
}

const firstListMs = 1000;
const lookAgainAfterMs = 5000;

/** Not every cluster serves them, so only pods with such claims wait for their lists, the first for one second. */
async function areDeviceCachesFilled(context: SyncContext): Promise<boolean> {
  const state = context.state(memory);
  if (state.deviceCaches === "unasked") {
    state.deviceCaches = "filling";
    const kinds = [ResourceClaims, DeviceClasses, ResourceSlices];
    const filled = Promise.all(kinds.map((kind) => context.waitForCacheSync(kind))).then(
      () => (state.deviceCaches = "filled"),
      // The run ends.
      () => undefined,
    );
    await Promise.race([filled, context.sleep(firstListMs)]);
  }
  return state.deviceCaches === "filled";
}

interface Considered {
  readonly nodes: readonly Node[];
  readonly feasible: number;
  /** The device claims. */
  readonly claims: readonly ResourceClaim[];
}

async function bind(
  context: SyncContext,
  pod: Pod,
  { candidate, score, tied }: Choice,
  { nodes, feasible, claims }: Considered,
): Promise<void> {
  const { nodeUsage, waiting } = context.state(memory);
  const node = candidate.node.metadata.name;
  const { namespace = "", name } = pod.metadata;
  const because = context.decide(place, { node, nodes: nodes.length, feasible, score, tied });
  // Before the request: the next decision must take the pod into account.
  nodeUsage.place(pod, node);
  const reservation = await reserve({ context, pod }, { node, claims });
  if (reservation === undefined) return;
  try {
    await context.client.bind({ namespace, name }, node, { because, signal: context.signal });
  } catch (error) {
    nodeUsage.remove(context.key);
    await giveBack({ context, pod }, reservation);
    if (isNotFound(error)) return;
    throw error;
  }
  waiting.delete(context.key);
  const message = `Successfully assigned ${namespace}/${name} to ${node}`;
  context.event(Pods, pod, { type: "Normal", reason: "Scheduled", message });
}

interface OfPod {
  readonly context: SyncContext;
  readonly pod: Pod;
}

interface Reservation {
  readonly because: Decision | undefined;
  /** The claims as they are now. */
  readonly claims: readonly ResourceClaim[];
}

/**
 * Reserves device claims for the pod. Undefined if that is refused, as its status then shows, or if the devices are still being prepared.
 * @throws TransportError if there is no response.
 */
async function reserve(
  { context, pod }: OfPod,
  { node, claims }: { readonly node: string; readonly claims: readonly ResourceClaim[] },
): Promise<Reservation | undefined> {
  const { nodeUsage, waiting } = context.state(memory);
  const open = unreserved(claims, pod);
  const names = open.map(({ metadata }) => metadata.name);
  const because = open.length === 0 ? undefined : context.decide(reserveDevices, { node, claims: names });
  const reserved: ResourceClaim[] = claims.filter((claim) => !open.includes(claim));
  const attempts = (waiting.get(context.key)?.attempts ?? 0) + 1;
  try {
    if (because !== undefined)
      for (const claim of open) reserved.push(await reserveClaim({ context, pod, because }, claim));
  } catch (error) {
    nodeUsage.remove(context.key);
    await giveBack({ context, pod }, { because, claims: reserved });
    if (!isRefused(error)) throw error;
    const message = `running PreBind plugin "DynamicResources": ${messageOf(error)}`;
    await report({ context, pod }, { reason: "SchedulerError", message, attempts });
    context.enqueueAfter(backoffMs(attempts), "its claims could not be reserved");
    return undefined;
  }
  const pending = reserved.filter((claim) => bindingOf(claim) === "pending").map(({ metadata }) => metadata.name);
  if (pending.length === 0) return { because, claims: reserved };
  nodeUsage.remove(context.key);
  context.decide(awaitDevices, { why: `the devices of ${pending.join(", ")} are made ready on ${node}` });
  const message = `waiting for binding conditions for device on node ${node}`;
  context.event(Pods, pod, { type: "Normal", reason: "BindingConditionsPending", message });
  waiting.set(context.key, { attempts: attempts - 1, until: context.now(), woken: false, node });
  return undefined;
}

/** @throws what the API server refuses. */
async function freeDevices({ context, pod }: OfPod, unavailable: readonly ResourceClaim[]): Promise<void> {
  const claim = idleFor(pod, unavailable);
  if (claim === undefined) return;
  const nodes = unavailable.filter((each) => each === claim).length;
  const because = context.decide(deallocateDevices, { claim: claim.metadata.name, nodes });
  await deallocate({ context, because }, claim);
}

/** Refused by the API server, or because the stored object has changed. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && (error.cause === undefined || error.cause instanceof StatusError);
}

/** If a claim cannot be released here, its controller releases it once the pod is gone or has terminated. */
async function giveBack({ context, pod }: OfPod, { because, claims }: Reservation): Promise<void> {
  if (because === undefined) return;
  for (const claim of claims) {
    try {
      await unreserveClaim({ context, pod, because }, claim);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
    }
  }
}

async function markUnschedulable(context: SyncContext, pod: Pod, message: string): Promise<void> {
  const attempts = (context.state(memory).waiting.get(context.key)?.attempts ?? 0) + 1;
  await report({ context, pod }, { reason: "Unschedulable", message, attempts });
}

interface Failure {
  readonly reason: "Unschedulable" | "SchedulerError";
  readonly message: string;
  readonly attempts: number;
}

async function report({ context, pod }: OfPod, { reason, message, attempts }: Failure): Promise<void> {
  const { waiting } = context.state(memory);
  const because = context.decide(reason === "Unschedulable" ? unschedulable : failed, { message, attempts });
  // Before the request: a change in the meantime must enqueue it.
  waiting.set(context.key, { attempts, until: context.now() + backoffMs(attempts), woken: false });
  context.event(Pods, pod, { type: "Warning", reason: "FailedScheduling", message });
  const condition = conditionFor(pod, { reason, message }, context.now());
  if (condition === undefined) return;
  const { namespace = "", name, uid } = pod.metadata;
  try {
    await context.client.patch(
      Pods,
      { namespace, name },
      { type: "strategic", body: { metadata: { uid }, status: { conditions: [condition] } } },
      { subresource: "status", because, basedOn: pod, signal: context.signal },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Undefined if the pod already has the condition. */
function conditionFor(
  pod: Pod,
  { reason, message }: Pick<Failure, "reason" | "message">,
  now: number,
): PodCondition | undefined {
  const before = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  const generation = pod.metadata.generation;
  const condition: PodCondition = {
    type: "PodScheduled",
    status: "False",
    reason,
    message,
    lastTransitionTime: before?.status === "False" ? (before.lastTransitionTime ?? "") : formatTime(now),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  if (before === undefined) return condition;
  // The server sends a missing probe time as null.
  const { lastProbeTime: _, ...known } = before;
  return deepEqual(known, condition) ? undefined : condition;
}
