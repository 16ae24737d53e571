/**
 * Which Jobs of a CronJob are running.
 * Source: kubernetes v1.36 pkg/controller/cronjob/cronjob_controllerv2.go syncCronJob.
 */
import { splitKey } from "../../api/key.ts";
import { CronJobs, Jobs } from "../../api/kinds.ts";
import { isNotFound } from "../../api/status-error.ts";
import { readTime } from "../../api/time.ts";
import type { Job } from "../../api/types.ts";
import { finishedCondition } from "../../controller/workload/job-status.ts";
import { type CronSync, dropActive, recordEvent } from "./cron-sync.ts";
import type { CronJobStatus } from "./job.ts";
import { active as activeRule } from "./rules.ts";

/** Updates the list of active Jobs and the time of the last success. @throws the error of a read. */
export async function followJobs(sync: CronSync, jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) {
    const finished = finishedCondition(job);
    if (finished === undefined) {
      if (!isActive(sync.status, job.metadata.uid)) await reportUnexpected(sync, job);
      continue;
    }
    if (isActive(sync.status, job.metadata.uid)) seeEnd(sync, { job, type: finished.type });
    if (finished.type === "Complete") seeSuccess(sync, job);
  }
  await dropMissing(sync, new Set(jobs.map(({ metadata }) => metadata.uid)));
}

function isActive({ active = [] }: CronJobStatus, uid: string): boolean {
  return active.some((job) => job.uid === uid);
}

/** A running Job that is not in the list: the cache may be behind our last status write. */
async function reportUnexpected(sync: CronSync, job: Job): Promise<void> {
  const { context } = sync;
  const live = await context.client.get(CronJobs, splitKey(context.key), { signal: context.signal });
  if (isActive(live.status ?? {}, job.metadata.uid)) {
    sync.cronJob = live;
    sync.status = live.status ?? {};
    return;
  }
  const { name } = job.metadata;
  context.decide(activeRule, { job: name, why: "it is not in status.active" });
  const message = `Saw a job that the controller did not create or forgot: ${name}`;
  recordEvent(sync, { type: "Warning", reason: "UnexpectedJob", message });
}

function seeEnd(sync: CronSync, { job, type }: { readonly job: Job; readonly type: string }): void {
  const { name, uid } = job.metadata;
  sync.context.decide(activeRule, { job: name, why: "it is finished" });
  dropActive(sync, uid);
  recordEvent(sync, { reason: "SawCompletedJob", message: `Saw completed job: ${name}, condition: ${type}` });
  sync.isChanged = true;
}

/** Records the time of the last success, including Jobs that are not in the list. */
function seeSuccess(sync: CronSync, { status }: Job): void {
  const completionTime = status?.completionTime;
  const { lastSuccessfulTime } = sync.status;
  const isFirst = lastSuccessfulTime === undefined;
  const isLater = (readTime(completionTime) ?? -Infinity) > (readTime(lastSuccessfulTime) ?? Infinity);
  if (!isFirst && !isLater) return;
  if (completionTime !== undefined) sync.status = { ...sync.status, lastSuccessfulTime: completionTime };
  sync.isChanged = true;
}

/** Jobs in the list that are neither cached nor on the server. */
async function dropMissing(sync: CronSync, known: ReadonlySet<string>): Promise<void> {
  const { context } = sync;
  const { namespace } = splitKey(context.key);
  for (const { name = "", uid = "" } of sync.status.active ?? []) {
    if (known.has(uid)) continue;
    try {
      await context.client.get(Jobs, { namespace, name }, { signal: context.signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      context.decide(activeRule, { job: name, why: "it is gone" });
      recordEvent(sync, { reason: "MissingJob", message: `Active job went missing: ${name}` });
      dropActive(sync, uid);
      sync.isChanged = true;
    }
  }
}
