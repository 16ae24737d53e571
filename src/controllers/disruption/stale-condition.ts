/**
 * The condition DisruptionTarget of a pod that was to be deleted but was not.
 * Source: kubernetes v1.36 pkg/controller/disruption/disruption.go syncStalePodDisruption.
 */
import type { ObjectKey } from "../../api/key.ts";
import { Pods } from "../../api/kinds.ts";
import { formatTime, parseTime } from "../../api/time.ts";
import type { Pod, PodCondition } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { findCondition } from "../../controller/workload/conditions.ts";
import { isPodTerminal } from "../../controller/workload/pod-status.ts";
import { awaitDeletion, staleCondition } from "./rules.ts";

const disruptionTarget = "DisruptionTarget";
/** Set by a kubelet that terminates the pod itself, which may take any time before the pod is deleted. */
const byKubelet = "TerminationByKubelet";

/** The condition, if it announces a disruption not yet begun by anyone other than the kubelet. */
export function announcedDisruption({ metadata, status }: Pod): PodCondition | undefined {
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const condition = findCondition(status?.conditions, disruptionTarget);
  return condition?.status === "True" && condition.reason !== byKubelet ? condition : undefined;
}

/** Sets the condition to False once it is `staleAfterMs` old. @throws StatusError, TransportError. */
export async function syncStaleCondition(
  context: SyncContext,
  { key, staleAfterMs }: { readonly key: ObjectKey; readonly staleAfterMs: number },
): Promise<void> {
  const pod = context.cache(Pods).get(key);
  if (pod === undefined || isPodTerminal(pod)) return;
  const condition = announcedDisruption(pod);
  if (condition === undefined) return;
  // An unknown time is null on the wire, which the types do not say; it counts as long past.
  const since: string | null | undefined = condition.lastTransitionTime;
  const waitMs = since === undefined || since === null ? 0 : parseTime(since) + staleAfterMs - context.now();
  if (waitMs > 0) {
    context.decide(awaitDeletion, { seconds: Math.ceil(waitMs / 1000) });
    context.enqueueAfter(waitMs, "its condition DisruptionTarget is stale by then");
    return;
  }
  const because = context.decide(staleCondition, {});
  const { generation } = pod.metadata;
  const next: PodCondition = {
    type: disruptionTarget,
    ...(generation !== undefined && { observedGeneration: generation }),
    status: "False",
    lastTransitionTime: formatTime(context.now()),
  };
  const conditions = (pod.status?.conditions ?? []).map((each) => (each === condition ? next : each));
  const options = { because, basedOn: pod, signal: context.signal };
  await context.client.updateStatus(Pods, { ...pod, status: { ...pod.status, conditions } }, options);
}
