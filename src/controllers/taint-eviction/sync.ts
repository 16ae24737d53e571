/** One sync of a pod. Source: kubernetes v1.36 pkg/controller/tainteviction/taint_eviction.go processPodOnNode, handlePodUpdate. */
import { deepEqual } from "../../api/field-changes.ts";
import { Nodes, Pods } from "../../api/kinds.ts";
import { taintText } from "../../api/taints.ts";
import type { Pod } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { evict } from "./evict.ts";
import { type Known, memory } from "./memory.ts";
import { recordOf } from "./records.ts";
import { cancelled, tolerated, toleratedFor, tolerationOver, untolerated } from "./rules.ts";
import { evictingTaints, toleranceOf } from "./toleration.ts";

/**
 * Decides how long the pod may stay if its node, its tolerations or the node's taints have changed, and deletes it when that time is over.
 * @throws the last error if five attempts to delete the pod fail: it is not retried until one of these changes.
 */
export async function syncPod(context: SyncContext): Promise<void> {
  const known = context.state(memory);
  const pod = context.cache(Pods).get(context.key);
  const before = known.get(context.key);
  if (before !== undefined && before.judged.uid !== pod?.metadata.uid) {
    if (hasAppointment(before)) cancel(context, "the pod is gone");
    known.delete(context.key);
  }
  if (pod !== undefined) await syncPresent(context, pod);
}

async function syncPresent(context: SyncContext, pod: Pod): Promise<void> {
  const known = context.state(memory);
  const { nodeName = "", tolerations = [] } = pod.spec ?? {};
  const node = nodeName === "" ? undefined : context.cache(Nodes).get(nodeName);
  // Without its node, nothing more is known: a scheduled deletion still happens.
  if (node === undefined) return evictWhenDue(context, pod);
  const taints = evictingTaints(node);
  const before = known.get(context.key);
  if (taints.length === 0) {
    if (hasAppointment(before)) cancel(context, "its node has no NoExecute taint any more");
    known.delete(context.key);
    return;
  }
  const judged = { uid: pod.metadata.uid, node: nodeName, nodeUid: node.metadata.uid, taints, tolerations };
  if (before !== undefined && deepEqual(before.judged, judged)) return evictWhenDue(context, pod);
  const judging: Known = { judged, appointment: before?.appointment };
  known.set(context.key, judging);
  await judge(context, { pod, ...judging });
}

async function judge(context: SyncContext, { pod, ...before }: Known & { readonly pod: Pod }): Promise<void> {
  const { judged } = before;
  const { node } = judged;
  const tolerance = toleranceOf(judged.taints, judged.tolerations);
  switch (tolerance.is) {
    case "none":
      if (hasAppointment(before)) cancel(context, "it is deleted at once");
      return evict(context, {
        pod,
        because: context.decide(untolerated, { node, taint: taintText(tolerance.taint) }),
      });
    case "for ever":
      if (hasAppointment(before)) cancel(context, "it tolerates the taints of its node for ever");
      context.decide(tolerated, { node });
      return;
    case "limited": {
      // Whatever has changed, the first scheduled deletion stands.
      if (before.appointment !== undefined) return evictWhenDue(context, pod);
      const { seconds } = tolerance;
      context.decide(toleratedFor, { node, seconds });
      const appointment = { seconds, at: context.now() + seconds * 1000 };
      context.state(memory).set(context.key, { judged, appointment });
      return evictWhenDue(context, pod);
    }
  }
}

/** Deletes the pod if its time is over; otherwise requeues the key for then. */
async function evictWhenDue(context: SyncContext, pod: Pod): Promise<void> {
  const known = context.state(memory);
  const { judged, appointment } = known.get(context.key) ?? {};
  if (judged === undefined || appointment === undefined) return;
  const waitMs = appointment.at - context.now();
  if (waitMs > 0) {
    context.enqueueAfter(waitMs, "its tolerations end");
    return;
  }
  known.set(context.key, { judged });
  const { seconds } = appointment;
  await evict(context, { pod, because: context.decide(tolerationOver, { node: judged.node, seconds }) });
}

function hasAppointment(known: Known | undefined): boolean {
  return known?.appointment !== undefined;
}

function cancel(context: SyncContext, why: string): void {
  const known = context.state(memory);
  const { judged } = known.get(context.key) ?? {};
  if (judged !== undefined) known.set(context.key, { judged });
  context.decide(cancelled, { why });
  recordOf(context, "Cancelling deletion of Pod");
}
