import { splitKey } from "../../api/key.ts";
import { CronJobs, Jobs } from "../../api/kinds.ts";
import { messageOf } from "../../api/error-message.ts";
import type { CronJob } from "../../api/types.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import type { CronJobStatus } from "./job.ts";
import { status as statusRule } from "./rules.ts";

/** One sync of one CronJob: what its steps share. */
export interface CronSync {
  readonly context: SyncContext;
  /** As cached, or as read from the API server if the cache turned out to be behind. */
  cronJob: CronJob;
  /** The status to be written. */
  status: CronJobStatus;
  /** Whether it has changed. */
  isChanged: boolean;
}

/** Records an Event about the CronJob. */
export function recordEvent(
  { context, cronJob }: CronSync,
  event: { readonly type?: "Normal" | "Warning"; readonly reason: string; readonly message: string },
): void {
  context.event(CronJobs, cronJob, { type: "Normal", ...event });
}

/** Removes the Job from the list of active Jobs. */
export function dropActive(sync: CronSync, uid: string): void {
  const active = (sync.status.active ?? []).filter((job) => job.uid !== uid);
  sync.status = { ...sync.status, active };
}

/** Deletes a Job, and its pods in the background. Returns whether that was accepted. */
export async function deleteJob(
  sync: CronSync,
  { job, because }: { readonly job: { readonly name: string; readonly uid: string }; readonly because: Decision },
): Promise<boolean> {
  const { context } = sync;
  const { namespace } = splitKey(context.key);
  try {
    await context.client.delete(
      Jobs,
      { namespace, name: job.name },
      { because, propagationPolicy: "Background", metadataSuffices: true, signal: context.signal },
    );
  } catch (error) {
    recordEvent(sync, { type: "Warning", reason: "FailedDelete", message: `Deleted job: ${messageOf(error)}` });
    return false;
  }
  dropActive(sync, job.uid);
  recordEvent(sync, { reason: "SuccessfulDelete", message: `Deleted job ${job.name}` });
  sync.isChanged = true;
  return true;
}

/** Writes the status if it has changed. */
export async function writeStatus({ context, cronJob, status, isChanged }: CronSync): Promise<void> {
  if (!isChanged) return;
  const { active = [], lastScheduleTime, lastSuccessfulTime } = status;
  const because = context.decide(statusRule, { active: active.length, lastScheduleTime, lastSuccessfulTime });
  const written: CronJobStatus = {
    ...(active.length > 0 && { active }),
    ...(lastScheduleTime !== undefined && { lastScheduleTime }),
    ...(lastSuccessfulTime !== undefined && { lastSuccessfulTime }),
  };
  await context.client.updateStatus(
    CronJobs,
    { ...cronJob, status: written },
    { because, basedOn: cronJob, signal: context.signal },
  );
}
