/** The deletion of one pod. Source: kubernetes v1.36 pkg/controller/podgc/gc_controller.go markFailedAndDeletePodWithCondition. */
import { splitKey } from "../../api/key.ts";
import { Nodes, Pods } from "../../api/kinds.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { Pod } from "../../api/types.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { type Announcement, disruptionTarget, patchPodStatus } from "../../controller/workload/disruption-target.ts";
import { isPodTerminal } from "../../controller/workload/pod-status.ts";
import { nodeNameOf, type Reason } from "./doomed.ts";
import { memory } from "./memory.ts";
import { nodeExists, orphaned, outOfService, terminated, unscheduled } from "./rules.ts";

const nodeIsGone: Announcement = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };

/**
 * Fails and deletes the pod for the reason found by the last scan; does nothing without a reason, or if the pod has been replaced.
 * @throws the API server's refusal: the next scan retries it.
 */
export async function collectPod(context: SyncContext, threshold: number): Promise<void> {
  const { doomed } = context.state(memory);
  const found = doomed.get(context.key);
  doomed.delete(context.key);
  const pod = context.cache(Pods).get(context.key);
  if (found === undefined || pod?.metadata.uid !== found.uid) return;
  const { reason } = found;
  if (reason.is === "orphaned" && (await isNodeThere(context, nodeNameOf(pod)))) {
    context.decide(nodeExists, { node: nodeNameOf(pod) });
    return;
  }
  try {
    await failAndDelete(context, { pod, reason, because: decide(context, { pod, reason, threshold }) });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

interface Found {
  readonly pod: Pod;
  readonly reason: Reason;
}

function decide(context: SyncContext, { pod, reason, threshold }: Found & { readonly threshold: number }): Decision {
  const node = nodeNameOf(pod);
  switch (reason.is) {
    case "terminated":
      return context.decide(terminated, { phase: pod.status?.phase ?? "", ended: reason.ended, threshold });
    case "out of service":
      return context.decide(outOfService, { node });
    case "orphaned":
      return context.decide(orphaned, { node });
    case "unscheduled":
      return context.decide(unscheduled, {});
  }
}

async function failAndDelete(
  context: SyncContext,
  { pod, reason, because }: Found & { readonly because: Decision },
): Promise<void> {
  if (!isPodTerminal(pod)) {
    const condition =
      reason.is === "orphaned" ? disruptionTarget(pod, { ...nodeIsGone, now: context.now() }) : undefined;
    await patchPodStatus(context, { pod, because, condition, phase: "Failed" });
  }
  const options = { gracePeriodSeconds: 0, because, basedOn: pod, signal: context.signal };
  await context.client.delete(Pods, splitKey(context.key), options);
}

/** Requested once for all pods that a scan found on the node. @throws the API server's refusal, except for 404. */
function isNodeThere(context: SyncContext, node: string): Promise<boolean> {
  const { nodeChecks } = context.state(memory);
  const known = nodeChecks.get(node);
  if (known !== undefined) return known;
  const check = checkNode(context, node);
  nodeChecks.set(node, check);
  return check;
}

async function checkNode({ client, signal }: SyncContext, node: string): Promise<boolean> {
  try {
    await client.get(Nodes, { namespace: "", name: node }, { signal });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
