/** Deletes a pod because of its devices' taints. Source: device_taint_eviction.go addConditionAndDeletePod, emitPodDeletionEvent. */
import { namespacedNameOf } from "../../api/key.ts";
import { Pods } from "../../api/kinds.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { Pod } from "../../api/types.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { type Announcement, disruptionTarget, patchPodStatus } from "../../controller/workload/disruption-target.ts";

const byTaint: Announcement = {
  reason: "DeletionByDeviceTaintManager",
  message: "Device Taint manager: deleting due to NoExecute taint",
  leavesOutGeneration: true,
};

/** A pod that is to go, and why. */
export interface Eviction {
  readonly pod: Pod;
  readonly because: Decision;
}

/**
 * Announces the deletion in the pod's status, and deletes it; nothing if it is gone, being deleted, or another pod has its name.
 * @throws StatusError: 409 if it is replaced meanwhile.
 */
export async function evict(context: SyncContext, { pod, because }: Eviction): Promise<void> {
  try {
    await announceAndDelete(context, { pod, because });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function announceAndDelete(context: SyncContext, { pod, because }: Eviction): Promise<void> {
  const { client, signal } = context;
  const at = namespacedNameOf(pod);
  const live = await client.get(Pods, at, { signal });
  const { uid, deletionTimestamp } = live.metadata;
  if (uid !== pod.metadata.uid || deletionTimestamp !== undefined) return;
  announce(context, { pod: live, message: "Marking for deletion" });
  const condition = disruptionTarget(live, { ...byTaint, now: context.now() });
  await patchPodStatus(context, { pod: live, because, condition });
  await client.delete(Pods, at, { because, basedOn: live, preconditions: { uid }, signal });
}

/** Records what is done about a pod in an Event. */
export function announce(
  context: SyncContext,
  { pod, message }: { readonly pod: Pod; readonly message: string },
): void {
  context.event(Pods, pod, { type: "Normal", reason: "DeviceTaintManagerEviction", message });
}
