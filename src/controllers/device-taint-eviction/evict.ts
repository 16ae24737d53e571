/** Deletes a pod because of its devices' taints. Source: device_taint_eviction.go addConditionAndDeletePod, emitPodDeletionEvent. */
import { namespacedNameOf } from "../../api/key.ts";
import { Pods } from "../../api/kinds.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { Pod } from "../../api/types.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { announceAndDelete, type Announcement, disruptionTarget } from "../../controller/workload/disruption-target.ts";

const byTaint: Announcement = {
  reason: "DeletionByDeviceTaintManager",
  message: "Device Taint manager: deleting due to NoExecute taint",
  leavesOutGeneration: true,
};

/** A pod to evict, and why. */
export interface Eviction {
  readonly pod: Pod;
  readonly because: Decision;
}

/**
 * Announces the deletion in the pod's status, then deletes the pod; does nothing if it is gone, being deleted, or replaced by another pod.
 * @throws StatusError: 409 if it is replaced meanwhile.
 */
export async function evict(context: SyncContext, { pod, because }: Eviction): Promise<void> {
  try {
    await evictLive(context, { pod, because });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function evictLive(context: SyncContext, { pod, because }: Eviction): Promise<void> {
  const { client, signal } = context;
  const live = await client.get(Pods, namespacedNameOf(pod), { signal });
  const { uid, deletionTimestamp } = live.metadata;
  if (uid !== pod.metadata.uid || deletionTimestamp !== undefined) return;
  announce(context, { pod: live, message: "Marking for deletion" });
  const condition = disruptionTarget(live, { ...byTaint, now: context.now() });
  await announceAndDelete(context, { pod: live, because, condition, preconditions: { uid } });
}

/** Records in an Event what is done about a pod. As upstream's, it does not say about which version. */
export function announce(
  context: SyncContext,
  { pod, message }: { readonly pod: Pod; readonly message: string },
): void {
  const about: Pod = { metadata: { ...pod.metadata, resourceVersion: "" } };
  context.event(Pods, about, { type: "Normal", reason: "DeviceTaintManagerEviction", message });
}
