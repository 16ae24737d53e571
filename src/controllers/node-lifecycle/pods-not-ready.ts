/**
 * Pods of nodes that are not ready.
 * Source: kubernetes v1.36 pkg/controller/util/node/controller_utils.go MarkPodsNotReady; node_lifecycle_controller.go processPod.
 */
import type { ObjectKey } from "../../api/key.ts";
import { Nodes, Pods } from "../../api/kinds.ts";
import { isNotFound } from "../../api/status-error.ts";
import { formatTime } from "../../api/time.ts";
import type { Pod } from "../../api/types.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { combinedError } from "../../controller/workload/combined-error.ts";
import { podsOfNode } from "../../controller/workload/pods-of-node.ts";
import { podReadyCondition } from "../../controller/workload/pod-status.ts";
import { memory } from "./memory.ts";
import { podsNotReady } from "./rules.ts";

/**
 * Sets the condition Ready of the pods to False unless it already is, and records an Event about each. A pod without it is left alone.
 * @throws the errors of failed writes, as one; all others are written.
 */
async function markNotReady(
  context: SyncContext,
  { node, pods }: { readonly node: string; readonly pods: readonly Pod[] },
): Promise<void> {
  const ready = pods.filter((pod) => ![undefined, "False"].includes(podReadyCondition(pod)?.status));
  if (ready.length === 0) return;
  const because = context.decide(podsNotReady, { node, pods: ready.length });
  const errors: unknown[] = [];
  for (const pod of ready) {
    try {
      await write(context, { pod, because });
    } catch (error) {
      // It is gone: nothing to report.
      if (isNotFound(error)) continue;
      errors.push(error);
    }
    // As in upstream, even if the write failed.
    context.event(Pods, pod, { type: "Warning", reason: "NodeNotReady", message: "Node is not ready" });
  }
  if (errors.length > 0) throw combinedError(errors);
}

async function write(
  context: SyncContext,
  { pod, because }: { readonly pod: Pod; readonly because: Decision },
): Promise<void> {
  const lastTransitionTime = formatTime(context.now());
  const conditions = (pod.status?.conditions ?? []).map((condition) =>
    condition.type === "Ready" ? { ...condition, status: "False", lastTransitionTime } : condition,
  );
  const changed = { ...pod, status: { ...pod.status, conditions } };
  await context.client.updateStatus(Pods, changed, { because, basedOn: pod, signal: context.signal });
}

/** Syncs a pod newly bound to a node. @throws StatusError, TransportError; Error while the cache lacks its node. */
export async function syncPod(context: SyncContext, key: ObjectKey): Promise<void> {
  const pod = context.cache(Pods).get(key);
  const node = pod?.spec?.nodeName ?? "";
  const health = context.state(memory).health.get(node);
  if (pod === undefined || health === undefined) return;
  if (context.cache(Nodes).get(node) === undefined)
    throw new Error(`Cannot judge pod ${key}: its node ${node} is not in the cache`);
  if (health.ready === undefined || health.ready.status === "True") return;
  await markNotReady(context, { node, pods: [pod] });
}

/** Marks the key of all pods of a node. Object names cannot contain a colon. */
const mark = "pods-of:";

/** The key of all pods of a node, of which there may be hundreds: its taints do not wait for them. */
export function podsKey(node: string): ObjectKey {
  return `${mark}${node}`;
}

/** The node of such a key; undefined for any other key. */
export function nodeOfPodsKey(key: ObjectKey): string | undefined {
  return key.startsWith(mark) ? key.slice(mark.length) : undefined;
}

/** Marks all pods of a node that fell silent, unless it is back or gone. @throws the API server's refusal: the remaining pods are retried. */
export async function syncPodsOf(context: SyncContext, node: string): Promise<void> {
  const isBack = context.state(memory).health.get(node)?.ready?.status === "True";
  if (isBack || context.cache(Nodes).get(node) === undefined) return;
  await markNotReady(context, { node, pods: podsOfNode(context.cache(Pods), node) });
}
