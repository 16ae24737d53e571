/** One sync of a pod. Source: kubernetes v1.36 pkg/controller/devicetainteviction/device_taint_eviction.go handlePod, maybeDeletePod. */
import { Pods, ResourceClaims, ResourceSlices } from "../../api/kinds.ts";
import type { Pod } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { announce, evict } from "./evict.ts";
import { reasonsOf } from "./judge.ts";
import { appointments, evicted } from "./memory.ts";
import { cancelled, deletedBefore, stays, toleratedFor, untolerated } from "./rules.ts";

/** Deletes the pod if it is due, or requeues the key for then. @throws the API server's error: the key is retried. */
export async function syncPod(context: SyncContext): Promise<void> {
  const pod = context.cache(Pods).get(context.key);
  if (pod === undefined) {
    context.state(appointments).delete(context.key);
    return;
  }
  const [reason] = reasonsOf(pod, {
    claims: context.cache(ResourceClaims),
    slices: context.cache(ResourceSlices),
  });
  if (reason === undefined) return keep(context, pod);
  const { device, taint } = reason;
  const { uid } = pod.metadata;
  const past = context.state(evicted).get(uid);
  if (past !== "asleep") context.state(appointments).set(context.key, uid);
  if (past !== undefined) {
    context.decide(deletedBefore, { device, taint });
    return;
  }
  const waitMs = reason.at - context.now();
  if (waitMs > 0) {
    context.decide(toleratedFor, { device, taint, seconds: Math.ceil(waitMs / 1000) });
    context.enqueueAfter(waitMs, "its tolerations end");
    return;
  }
  await evict(context, { pod, because: context.decide(untolerated, { device, taint }) });
  context.state(appointments).delete(context.key);
  context.state(evicted).set(uid, "asleep");
}

function keep(context: SyncContext, pod: Pod): void {
  const known = context.state(appointments);
  const wasToGo = known.get(context.key) === pod.metadata.uid;
  known.delete(context.key);
  context.decide(wasToGo ? cancelled : stays, {});
  if (wasToGo) announce(context, { pod, message: "Cancelling deletion" });
}
