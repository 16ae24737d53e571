/** One sync of a pod. Source: kubernetes v1.36 pkg/scheduler/schedule_one.go. */
import { Namespaces, Nodes } from "../../api/kinds.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { bind, freeDevices } from "./bind.ts";
import { duePod, type DuePod, type SchedulerOptions } from "./due.ts";
import { feasibleNodes, obstacleMessage, unschedulableMessage } from "./filters.ts";
import { memory } from "./memory.ts";
import { podAffinityView } from "./pod-affinity.ts";
import { markUnschedulable } from "./report.ts";
import { choose } from "./scores.ts";
import { spreadView } from "./topology-spread.ts";
import { anyNode, bindClaims, hasWork, volumesView } from "./volumes.ts";

/**
 * Finds a node for one pod and binds it, or reports why there is none. Differs from upstream: decision and binding are one sync; other syncs
 * run meanwhile, since a pod counts for its node from the decision on. @throws the API server's refusal.
 */
export async function syncPod(context: SyncContext, options: SchedulerOptions): Promise<void> {
  const due = await duePod(context, options);
  if (due !== undefined) await placePod(context, { ...due, ...options });
}

async function placePod(context: SyncContext, due: DuePod & SchedulerOptions): Promise<void> {
  const { pod, devices, chosenBefore } = due;
  const { nodeUsage, waiting } = context.state(memory);
  const nodes = context.cache(Nodes).list();
  const affinity = podAffinityView(pod, { nodes, nodeUsage, namespaces: context.cache(Namespaces) });
  const spread = spreadView(pod, { nodes, nodeUsage });
  const volumes = due.bindsVolumes ? volumesView(context, pod) : (due.volumesOf?.(pod) ?? anyNode);
  const obstacle = volumes.obstacle ?? devices.obstacle;
  if (obstacle !== undefined) return markUnschedulable(context, pod, obstacleMessage(nodes.length, obstacle));
  const views = { affinity, spread, volumes, devices };
  const { candidates, reasons, withoutDevices } = feasibleNodes(pod, nodes, (node) => nodeUsage.loadOf(node), views);
  if (candidates.length === 0) {
    await markUnschedulable(context, pod, unschedulableMessage(nodes.length, reasons));
    // After the pod is marked as waiting, unlike upstream: the claim's change must enqueue it.
    const unavailable = withoutDevices.flatMap((node) => devices.unavailableOn(node));
    return freeDevices({ context, pod }, unavailable);
  }
  const chosen = candidates.filter(({ node }) => node.metadata.name === chosenBefore);
  const choice = choose(pod, chosen.length > 0 ? chosen : candidates, affinity, context.random);
  const { node } = choice.candidate;
  const plan = volumes.planFor(node);
  if (plan !== undefined && hasWork(plan)) {
    // Before the request: a change of a claim in the meantime must enqueue the pod.
    const { name } = node.metadata;
    waiting.set(context.key, { attempts: 0, until: context.now(), woken: false, node: name });
    return bindClaims(context, { ...plan, node: name });
  }
  await bind(context, pod, choice, { nodes, feasible: candidates.length, claims: devices.allocated });
}
