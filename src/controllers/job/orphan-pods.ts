/**
 * Pods that no Job counts any more: their tracking finalizer is removed, so that they can be deleted.
 * Source: kubernetes v1.36 pkg/controller/job/job_controller.go syncOrphanPod, handleSingleOrphanPod, enqueueOrphanPod,
 * enqueueLabelSelector; differs: their keys share the queue of Jobs (upstream has a second one), and a Job's pods are found when it ends,
 * not through a queued selector.
 */
import { isJobFinished } from "../../controller/workload/job-status.ts";
import { type ObjectKey, objectKey } from "../../api/key.ts";
import { Jobs, Pods } from "../../api/kinds.ts";
import { selectorOf } from "../../api/labels.ts";
import { controllerOf } from "../../api/owner-references.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { Job, Pod } from "../../api/types.ts";
import type { Notification, WatchContext } from "../../controller/api/definition.ts";
import { type Rule, rule } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { podKey } from "../../controller/workload/pod-key.ts";
import { removeFinalizer } from "./delete-pods.ts";
import { isTracked, otherManager } from "./spec.ts";

interface OrphanFacts extends Readonly<Record<string, unknown>> {
  readonly why: "no controller" | "its Job is gone" | "its Job is finished";
}

/** The finalizer of an orphan is removed. */
export const releaseOrphan: Rule<OrphanFacts> = rule<OrphanFacts>({
  id: "release-orphan",
  looksAt: ["the pod's finalizers and controller", "conditions Complete and Failed of its Job"],
  chooses:
    "The finalizer batch.kubernetes.io/job-tracking is removed from a pod that no unfinished Job controls; pods of Jobs with another manager keep it.",
  sentence: ({ why }) => `${why} → remove its finalizer`,
  example: { why: "its Job is gone" },
  source: "job_controller.go handleSingleOrphanPod",
});

/** Enqueues a pod that may have become an orphan. */
export function enqueueOrphan(notification: Notification<Pod>, context: WatchContext): void {
  const { object: pod } = notification;
  if (notification.type === "deleted" || !isTracked(pod)) return;
  if (
    notification.type === "updated" &&
    notification.before.metadata.resourceVersion === pod.metadata.resourceVersion
  ) {
    return;
  }
  // The Job's own sync counts terminating pods, as long as there is one.
  const isLeaving = pod.metadata.deletionTimestamp !== undefined;
  if (controllerOf(pod) === undefined || (isLeaving && whyOrphan(pod, context) !== undefined))
    context.enqueue(podKey(pod));
}

/** A Job is finished once its pods have lost their finalizers; any that are left are checked again. */
export function enqueueOrphansOf({ type, object: job }: Notification<Job>, context: WatchContext): void {
  if (type === "added" || (type === "updated" && !isJobFinished(job))) return;
  for (const pod of context.cache(Pods).listSelected(job.metadata.namespace, selectorOf(job.spec?.selector))) {
    if (isTracked(pod)) context.enqueue(podKey(pod));
  }
}

/** Removes the finalizer of the pod with this key, if it is still an orphan. */
export async function syncOrphan(context: SyncContext, key: ObjectKey): Promise<void> {
  const pod = context.cache(Pods).get(key);
  const why = pod === undefined || !isTracked(pod) ? undefined : whyOrphan(pod, context);
  if (pod === undefined || why === undefined) return;
  try {
    await removeFinalizer(context, { pod, because: context.decide(releaseOrphan, { why }) });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Undefined for a pod that is still controlled: by another kind of object, another manager's Job, or an unfinished Job. */
function whyOrphan(pod: Pod, { cache }: Pick<WatchContext, "cache">): OrphanFacts["why"] | undefined {
  const controller = controllerOf(pod);
  if (controller === undefined) return "no controller";
  if (controller.kind !== Jobs.kind || controller.apiVersion !== "batch/v1") return undefined;
  const job = cache(Jobs).get(objectKey(pod.metadata.namespace, controller.name));
  if (job?.metadata.uid !== controller.uid) return "its Job is gone";
  return otherManager(job) === undefined && isJobFinished(job) ? "its Job is finished" : undefined;
}
