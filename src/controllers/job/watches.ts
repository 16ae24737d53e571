/**
 * What enqueues a Job: at once when its spec changes, otherwise after a second, so that the many changes of its pods share syncs.
 * Source: kubernetes v1.36 pkg/controller/job/job_controller.go addPod, updatePod, deletePod, addJob, updateJob, deleteJob,
 * SyncJobBatchPeriod.
 */
import { isJobFinished } from "../../controller/workload/job-status.ts";
import { keyOf } from "../../api/key.ts";
import { Jobs, Pods } from "../../api/kinds.ts";
import { selectorOf } from "../../api/labels.ts";
import type { Job, Pod } from "../../api/types.ts";
import { type Notification, type Watch, watch, type WatchContext } from "../../controller/api/definition.ts";
import { watchOwned } from "../../controller/api/owned.ts";
import { backoffs } from "./backoff.ts";
import { enqueueOrphan, enqueueOrphansOf } from "./orphan-pods.ts";
import type { JobOptions } from "./options.ts";
import { isTracked } from "./spec.ts";
import { finishedUids } from "./track.ts";

/** The watch of Jobs. */
export function watchJobs(options: JobOptions): Watch {
  return watch<Job>({
    kind: Jobs,
    on(notification, context) {
      const { object: job } = notification;
      enqueueOrphansOf(notification, context);
      switch (notification.type) {
        case "added":
          context.enqueue(keyOf(job));
          return;
        case "deleted":
          forget(job, context);
          context.enqueue(keyOf(job));
          return;
        case "updated":
          updated(notification, { context, options });
          return;
      }
    },
  });
}

/** The next Job of this name starts clean. */
function forget(job: Job, context: WatchContext): void {
  const key = keyOf(job);
  context.consistency.forget(key, job.metadata.uid);
  context.expectations.forget(key);
  context.state(backoffs).delete(key);
  context.state(finishedUids).delete(job.metadata.uid);
}

function updated(
  { before, object: job }: Notification<Job> & { readonly type: "updated" },
  { context, options }: { readonly context: WatchContext; readonly options: JobOptions },
): void {
  // Deleted and recreated, unobserved.
  if (before.metadata.uid !== job.metadata.uid) forget(before, context);
  // Nothing is left to do for it.
  if (isJobFinished(job)) return;
  // A changed deadline changes the spec; the resulting sync requeues the key for it.
  const isSameSpec = before.metadata.generation === job.metadata.generation;
  context.enqueue(keyOf(job), isSameSpec ? options.batchPeriodMs : 0);
}

/** The watch of its pods. */
export function watchPods({ batchPeriodMs }: JobOptions): Watch {
  const owned = watchOwned<Job, Pod>({
    kind: Pods,
    ownerKind: Jobs,
    selectorOf: ({ spec }) => selectorOf(spec?.selector),
    expected: true,
    batchMs: batchPeriodMs,
    observed({ object: pod, owner, isGone }, { expectations }) {
      // Based on what the pod is now, not on what changed: a finalizer may have been added and removed between two notifications.
      if (isGone || !isTracked(pod)) expectations.updateObserved(keyOf(owner), pod.metadata.uid);
    },
  });
  return {
    ...owned,
    on(notification, context) {
      owned.on(notification, context);
      enqueueOrphan(notification, context);
    },
  };
}
