/** Deletes a pod because of its node's taints. Source: kubernetes v1.36 pkg/controller/tainteviction/taint_eviction.go deletePodHandler. */
import { splitKey } from "../../api/key.ts";
import { Pods } from "../../api/kinds.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { Pod } from "../../api/types.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { announceAndDelete, type Announcement, disruptionTarget } from "../../controller/workload/disruption-target.ts";
import { recordOf } from "./records.ts";

const byTaint: Announcement = {
  reason: "DeletionByTaintManager",
  message: "Taint manager: deleting due to NoExecute taint",
};

/** A pod to evict, and why. */
export interface Eviction {
  readonly pod: Pod;
  readonly because: Decision;
}

const attempts = 5;
const retryAfterMs = 10;

/**
 * Announces the deletion in the pod's status, then deletes the pod; does nothing if it is gone or replaced by another pod.
 * @throws the last error after five attempts, 10 ms apart.
 */
export async function evict(context: SyncContext, { pod, because }: Eviction): Promise<void> {
  recordOf(context, "Marking for deletion Pod");
  for (let attempt = 1; ; attempt++) {
    try {
      await evictLive(context, { pod, because });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (attempt === attempts) throw error;
    }
    await context.sleep(retryAfterMs);
  }
}

async function evictLive(context: SyncContext, { pod, because }: Eviction): Promise<void> {
  const { client, signal } = context;
  const live = await client.get(Pods, splitKey(context.key), { signal });
  if (live.metadata.uid !== pod.metadata.uid) return;
  const condition = disruptionTarget(live, { ...byTaint, now: context.now() });
  await announceAndDelete(context, { pod: live, because, condition });
}
