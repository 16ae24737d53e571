/**
 * Starting the due run.
 * Source: kubernetes v1.36 pkg/controller/cronjob/cronjob_controllerv2.go syncCronJob.
 */
import { messageOf } from "../../api/error-message.ts";
import { splitKey } from "../../api/key.ts";
import { Jobs } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import { isAlreadyExists, isNamespaceTerminating } from "../../api/status-error.ts";
import { formatTime, readTime } from "../../api/time.ts";
import type { Job } from "../../api/types.ts";
import { type CronSync, deleteJob, recordEvent } from "./cron-sync.ts";
import { activeJob, jobFromTemplate, jobName } from "./job.ts";
import { replace, skip, start } from "./rules.ts";
import { missedRuns, type Timetable } from "./schedule.ts";

/** The outcome for the run: whether to requeue the key for the next one. */
export type RunOutcome = "come again" | "wait for a change";

/** Starts the due run, if any. @throws the error of a write, after recording an Event. */
export async function startDueRun(sync: CronSync, timetable: Timetable): Promise<RunOutcome> {
  const { context, cronJob } = sync;
  const now = context.now();
  const missed = missedRuns(cronJob, { timetable, now, withinDeadline: true });
  if (missed.is === "never") {
    const message = `invalid schedule: ${cronJob.spec?.schedule} : ${missed.problem}`;
    recordEvent(sync, { type: "Warning", reason: "InvalidSchedule", message });
    context.decide(skip, { why: "the schedule is never due → no Job is started" });
    return "wait for a change";
  }
  const scheduledAt = missed.mostRecent;
  if (scheduledAt === undefined) {
    context.decide(skip, { why: "no run is due" });
    return "come again";
  }
  if (missed.count === "many") {
    const message = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
    recordEvent(sync, { type: "Warning", reason: "TooManyMissedTimes", message });
  }
  const why = whyNot(sync, scheduledAt);
  if (why !== undefined) {
    context.decide(skip, { scheduledAt, why });
    return "come again";
  }
  if (cronJob.spec?.concurrencyPolicy === "Replace") await replaceActive(sync);
  return createJob(sync, scheduledAt);
}

/** Why the run is not started; undefined if it is. Never because it is too late: only runs within the deadline get here. */
function whyNot(sync: CronSync, scheduledAt: number): string | undefined {
  const { cronJob, status } = sync;
  const name = jobName(cronJob, scheduledAt);
  const { active = [] } = status;
  if (active.some((job) => job.name === name) || readTime(status.lastScheduleTime) === scheduledAt) {
    return "it has been started";
  }
  if (cronJob.spec?.concurrencyPolicy === "Forbid" && active.length > 0) {
    const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
    recordEvent(sync, { reason: "JobAlreadyActive", message });
    return `${active[0]?.name} is still active, and the policy is Forbid`;
  }
  return undefined;
}

async function replaceActive(sync: CronSync): Promise<void> {
  const { context } = sync;
  const { namespace } = splitKey(context.key);
  for (const { name = "" } of sync.status.active ?? []) {
    let job: Job;
    try {
      job = await context.client.get(Jobs, { namespace, name }, { signal: context.signal });
    } catch (error) {
      recordEvent(sync, { type: "Warning", reason: "FailedGet", message: `Get job: ${messageOf(error)}` });
      throw error;
    }
    const because = context.decide(replace, { job: name });
    if (!(await deleteJob(sync, { job: job.metadata, because }))) {
      throw new Error(`could not replace job ${namespace}/${name}`);
    }
  }
}

async function createJob(sync: CronSync, scheduledAt: number): Promise<RunOutcome> {
  const { context, cronJob } = sync;
  const job = jobFromTemplate(cronJob, scheduledAt);
  const name = jobName(cronJob, scheduledAt);
  const because = context.decide(start, { job: name, scheduledAt, lateMs: context.now() - scheduledAt });
  let created: StoredObject;
  try {
    created = await context.client.create(Jobs, job, { because, metadataSuffices: true, signal: context.signal });
    recordEvent(sync, { reason: "SuccessfulCreate", message: `Created job ${name}` });
  } catch (error) {
    // Nothing created in it would stay.
    if (isNamespaceTerminating(error)) throw error;
    // Upstream reads the existing Job without a namespace, which its client refuses: regardless of the Job's owner, the sync fails and is retried.
    if (isAlreadyExists(error)) {
      throw new Error(`the Job ${name} of this run exists, and was not started by this sync`, { cause: error });
    }
    recordEvent(sync, { type: "Warning", reason: "FailedCreate", message: `Error creating job: ${messageOf(error)}` });
    throw error;
  }
  const active = [...(sync.status.active ?? []), activeJob(created)];
  sync.status = { ...sync.status, active, lastScheduleTime: formatTime(scheduledAt) };
  sync.isChanged = true;
  return "come again";
}
