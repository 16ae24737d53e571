/**
 * Deleting pods: with their finalizers, which are removed once the pods are counted, or without, if they must not be counted.
 * Source: kubernetes v1.36 pkg/controller/job/job_controller.go deleteActivePods, deleteJobPods, removeTrackingFinalizerFromPods.
 */
import { keyOf } from "../../api/key.ts";
import { Jobs, Pods } from "../../api/kinds.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { Pod } from "../../api/types.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { deletePod, podWritten } from "../../controller/workload/pod-control.ts";
import { isPodReady } from "../../controller/workload/pod-status.ts";
import type { JobSync } from "./job-sync.ts";
import { isTracked, trackingFinalizer } from "./spec.ts";

/** What was deleted, including pods that were already gone. */
export interface Deleted {
  readonly pods: number;
  /** The ready pods whose DELETE was sent: as in upstream, even if it was refused. */
  readonly ready: number;
  /** The first error, if a request failed. */
  readonly failure?: { readonly error: unknown };
}

/** Which pods, and the decision behind the deletion. */
export interface PodsBecause {
  readonly pods: readonly Pod[];
  readonly because: Decision;
}

/** Deletes pods that keep their finalizers, all at once. */
export function deleteCountedPods(sync: JobSync, { pods, because }: PodsBecause): Promise<Deleted> {
  const { context, job } = sync;
  return forEachPod(pods, (pod, onDelete) => {
    onDelete();
    return deletePod(context, pod, { owner: { kind: Jobs, object: job }, because });
  });
}

/** Deletes pods that must not be counted: without their finalizers. Their deletions are expected. */
export function deleteUncountedPods(sync: JobSync, { pods, because }: PodsBecause): Promise<Deleted> {
  const { context, job } = sync;
  const { key, expectations } = context;
  expectations.expectDeletions(key, pods.map(keyOf));
  return forEachPod(pods, async (pod, onDelete) => {
    try {
      await removeFinalizer(context, { pod, because });
      onDelete();
      await deletePod(context, pod, { owner: { kind: Jobs, object: job }, because });
    } catch (error) {
      // This deletion will not be observed.
      expectations.deletionObserved(key, keyOf(pod));
      throw error;
    }
  });
}

/** Removes the finalizers of pods, all at once. Returns the uids of those that have none now, or are gone. */
export async function removeFinalizers(
  { context }: JobSync,
  { pods, because }: PodsBecause,
): Promise<{ readonly removed: readonly string[]; readonly failure?: { readonly error: unknown } }> {
  const { key, expectations } = context;
  const removed: string[] = [];
  let failure: { readonly error: unknown } | undefined;
  const uids = pods.map(({ metadata }) => metadata.uid);
  expectations.expectUpdates(key, uids);
  const remove = async (pod: Pod): Promise<void> => {
    const { uid } = pod.metadata;
    try {
      await removeFinalizer(context, { pod, because });
      removed.push(uid);
    } catch (error) {
      // No update will be observed.
      expectations.updateObserved(key, uid);
      if (isNotFound(error)) removed.push(uid);
      else failure ??= { error };
    }
  };
  await Promise.all(pods.map(remove));
  return { removed, ...(failure !== undefined && { failure }) };
}

/** @throws the refusal, NotFound included. */
export async function removeFinalizer(
  context: SyncContext,
  { pod, because }: { readonly pod: Pod; readonly because: Decision },
): Promise<void> {
  if (!isTracked(pod)) return;
  const { namespace = "", name } = pod.metadata;
  const body = { metadata: { "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] } };
  const stored = await context.client.patch(
    Pods,
    { namespace, name },
    { type: "strategic", body },
    { because, basedOn: pod, metadataSuffices: true, signal: context.signal },
  );
  podWritten(context.consistency, stored);
}

/** `remove` calls `onDelete` when it sends the DELETE. */
async function forEachPod(
  pods: readonly Pod[],
  remove: (pod: Pod, onDelete: () => void) => Promise<void>,
): Promise<Deleted> {
  let [gone, ready] = [0, 0];
  let failure: { readonly error: unknown } | undefined;
  const one = async (pod: Pod): Promise<void> => {
    try {
      await remove(pod, () => {
        if (isPodReady(pod)) ready++;
      });
    } catch (error) {
      if (!isNotFound(error)) {
        failure ??= { error };
        return;
      }
    }
    gone++;
  };
  await Promise.all(pods.map(one));
  return { pods: gone, ready, ...(failure !== undefined && { failure }) };
}
