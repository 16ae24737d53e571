import { isTimeZone } from "../../api/cron/time-zone.ts";
import { CronJobs, Jobs } from "../../api/kinds.ts";
import type { Job } from "../../api/types.ts";
import type { SyncContext, SyncResult } from "../../controller/api/sync-context.ts";
import { finishedCondition } from "../../controller/workload/job-status.ts";
import { followJobs } from "./active.ts";
import { type CronSync, deleteJob, recordEvent, writeStatus } from "./cron-sync.ts";
import { jobsBeyondHistory } from "./job.ts";
import { history, idle, nextRun } from "./rules.ts";
import { nextRunInMs, readTimetable, type Timetable } from "./schedule.ts";
import { startDueRun } from "./start.ts";

/** The index of Jobs by the name of their controller. */
export const controllerNameIndex = "controllerName";

/** A sync without a further run keeps the back-off, as upstream: a run that is refused after it waits as long as before. */
const untilChanged: SyncResult = { keepsFailures: true };

/**
 * Starts the due run of a CronJob, maintains the list of active Jobs, and deletes old ones. The status is written once, at the end, even if
 * a run could not be started.
 *
 * Source: kubernetes v1.36 pkg/controller/cronjob/cronjob_controllerv2.go sync, syncCronJob; differs: if the cache is behind this
 * controller's last status write, the sync continues with the live object; upstream's write is refused and retried.
 */
export async function syncCronJob(context: SyncContext): Promise<SyncResult> {
  const { key } = context;
  const cronJob = context.cache(CronJobs).get(key);
  if (cronJob === undefined) return untilChanged;
  const sync: CronSync = { context, cronJob, status: cronJob.status ?? {}, isChanged: false };
  const jobs = context.cache(Jobs).byIndex(controllerNameIndex, key);
  await deleteOldJobs(sync, jobs);
  let failure: { readonly error: unknown } | undefined;
  let next: Timetable | undefined;
  try {
    await followJobs(sync, jobs);
    next = await runIfDue(sync);
  } catch (error) {
    failure = { error };
  }
  await writeStatus(sync);
  if (failure !== undefined) throw failure.error;
  if (next === undefined) return untilChanged;
  comeAgain(sync, next);
  return {};
}

async function deleteOldJobs(sync: CronSync, jobs: readonly Job[]): Promise<void> {
  for (const job of jobsBeyondHistory(sync.cronJob, jobs)) {
    const { name } = job.metadata;
    const because = sync.context.decide(history, { job: name, ended: finishedCondition(job)?.type ?? "" });
    await deleteJob(sync, { job: job.metadata, because });
  }
}

/** Returns when further runs are due; undefined if the next one depends on a change. */
async function runIfDue(sync: CronSync): Promise<Timetable | undefined> {
  const why = whyIdle(sync);
  if (why !== undefined) {
    sync.context.decide(idle, { why });
    return undefined;
  }
  const schedule = sync.cronJob.spec?.schedule ?? "";
  if (schedule.includes("TZ")) {
    const message = `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`;
    recordEvent(sync, { type: "Warning", reason: "UnsupportedSchedule", message });
  }
  const timetable = readTimetable(sync.cronJob);
  if ("problem" in timetable) {
    const message = `unparseable schedule: ${JSON.stringify(schedule)} : ${timetable.problem}`;
    recordEvent(sync, { type: "Warning", reason: "UnparseableSchedule", message });
    sync.context.decide(idle, { why: `its schedule cannot be read: ${timetable.problem}` });
    return undefined;
  }
  return (await startDueRun(sync, timetable)) === "come again" ? timetable : undefined;
}

function whyIdle(sync: CronSync): string | undefined {
  const { metadata, spec } = sync.cronJob;
  if (metadata.deletionTimestamp !== undefined) return "it is being deleted";
  const zone = spec?.timeZone;
  if (zone !== undefined && !isTimeZone(zone)) {
    const message = `invalid timeZone: ${JSON.stringify(zone)}: unknown time zone ${zone}`;
    recordEvent(sync, { type: "Warning", reason: "UnknownTimeZone", message });
    return `its time zone ${zone} is unknown`;
  }
  return spec?.suspend === true ? "it is suspended" : undefined;
}

/** Counted from the status just written: it already includes the started run. */
function comeAgain({ context, cronJob, status }: CronSync, timetable: Timetable): void {
  const now = context.now();
  const inMs = nextRunInMs({ ...cronJob, status }, { timetable, now });
  if (inMs === undefined) return;
  const { sentence } = context.decide(nextRun, { inMs, at: now + inMs });
  // In the background, like a schedule: a process that exits when nothing is left to do does not wait for it.
  context.enqueueAfter(inMs, sentence, { background: true });
}
