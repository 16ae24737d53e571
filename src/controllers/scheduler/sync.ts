import { deepEqual } from "../../api/field-changes.ts";
import { Namespaces, Nodes, Pods } from "../../api/kinds.ts";
import { isNotFound } from "../../api/status-error.ts";
import { formatTime } from "../../api/time.ts";
import type { Node, Pod, PodCondition } from "../../api/types.ts";
import { isPodTerminal } from "../../controller/workload/pod-status.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { feasibleNodes, unschedulableMessage } from "./filters.ts";
import { backoffMs, memory } from "./memory.ts";
import { podAffinityView } from "./pod-affinity.ts";
import { gated, place, unschedulable } from "./rules.ts";
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
  /** Pods wait for their claims, and claims for the nodes of their pods. Where nothing binds claims, pods are placed as if theirs were bound. */
  readonly bindsVolumes: boolean;
  /** Where nothing binds claims: what is known of the pod's. Default: it can run on any node. */
  readonly volumesOf?: (pod: Pod) => VolumesView;
}

/**
 * Finds a node for one pod and binds it, or reports why there is none.
 * Source: kubernetes v1.36 pkg/scheduler/schedule_one.go; differs: decision and binding are one sync; other syncs run
 * meanwhile, since a pod counts for its node from the decision on.
 */
export async function syncPod(context: SyncContext, options: SchedulerOptions): Promise<void> {
  const { key } = context;
  const { nodeUsage, waiting } = context.state(memory);
  const pod = context.cache(Pods).get(key);
  if (pod === undefined || !isToBeScheduled(pod)) {
    waiting.delete(key);
    return;
  }
  // Bound already; the cache is behind.
  if (nodeUsage.has(key)) return;
  const gates = (pod.spec?.schedulingGates ?? []).map(({ name }) => name);
  if (gates.length > 0) {
    context.decide(gated, { gates });
    return;
  }
  const before = waiting.get(key);
  if (before !== undefined && context.now() < before.until) {
    context.enqueueAfter(before.until - context.now(), "something changed during the back-off");
    return;
  }
  const nodes = context.cache(Nodes).list();
  const affinity = podAffinityView(pod, { nodes, nodeUsage, namespaces: context.cache(Namespaces) });
  const spread = spreadView(pod, { nodes, nodeUsage });
  const volumes = options.bindsVolumes ? volumesView(context, pod) : (options.volumesOf?.(pod) ?? anyNode);
  if (volumes.obstacle !== undefined) {
    await markUnschedulable(context, pod, `0/${nodes.length} nodes are available: ${volumes.obstacle}.`);
    return;
  }
  const views = { affinity, spread, volumes };
  const { candidates, reasons } = feasibleNodes(pod, nodes, (node) => nodeUsage.loadOf(node), views);
  if (candidates.length === 0) {
    await markUnschedulable(context, pod, unschedulableMessage(nodes.length, reasons));
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
  await bind(context, pod, choice, { nodes, feasible: candidates.length });
}

async function bind(
  context: SyncContext,
  pod: Pod,
  { candidate, score, tied }: Choice,
  { nodes, feasible }: { readonly nodes: readonly Node[]; readonly feasible: number },
): Promise<void> {
  const { nodeUsage, waiting } = context.state(memory);
  const node = candidate.node.metadata.name;
  const { namespace = "", name } = pod.metadata;
  const because = context.decide(place, { node, nodes: nodes.length, feasible, score, tied });
  // Before the request: the next decision must take the pod into account.
  nodeUsage.place(pod, node);
  try {
    await context.client.bind({ namespace, name }, node, { because, signal: context.signal });
  } catch (error) {
    nodeUsage.remove(context.key);
    if (isNotFound(error)) return;
    throw error;
  }
  waiting.delete(context.key);
  const message = `Successfully assigned ${namespace}/${name} to ${node}`;
  context.event(Pods, pod, { type: "Normal", reason: "Scheduled", message });
}

async function markUnschedulable(context: SyncContext, pod: Pod, message: string): Promise<void> {
  const { waiting } = context.state(memory);
  const attempts = (waiting.get(context.key)?.attempts ?? 0) + 1;
  const because = context.decide(unschedulable, { message, attempts });
  // Before the request: a change in the meantime must enqueue it.
  waiting.set(context.key, { attempts, until: context.now() + backoffMs(attempts), woken: false });
  context.event(Pods, pod, { type: "Warning", reason: "FailedScheduling", message });
  const condition = conditionFor(pod, message, context.now());
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
function conditionFor(pod: Pod, message: string, now: number): PodCondition | undefined {
  const before = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  const generation = pod.metadata.generation;
  const condition: PodCondition = {
    type: "PodScheduled",
    status: "False",
    reason: "Unschedulable",
    message,
    lastTransitionTime: before?.status === "False" ? (before.lastTransitionTime ?? "") : formatTime(now),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  if (before === undefined) return condition;
  // The server sends a missing probe time as null.
  const { lastProbeTime: _, ...known } = before;
  return deepEqual(known, condition) ? undefined : condition;
}
