/**
 * The Jobs of a CronJob: their names, which ensure one Job per run, their content, and which are kept.
 * Source: kubernetes v1.36 pkg/controller/cronjob/utils.go getJobFromTemplate2, byJobStartTime; cronjob_controllerv2.go getJobName,
 * cleanupFinishedJobs, getRef.
 */
import { formatInZone } from "../../api/cron/time-zone.ts";
import { apiVersionOf } from "../../api/kind.ts";
import { CronJobs, Jobs } from "../../api/kinds.ts";
import type { CreateInput, ObjectMeta, StoredObject } from "../../api/object.ts";
import { controllerReference } from "../../api/owner-references.ts";
import { formatTime, readTime } from "../../api/time.ts";
import type { CronJob, Job } from "../../api/types.ts";
import { finishedCondition } from "../../controller/workload/job-status.ts";

/** `status` of a CronJob. */
export type CronJobStatus = NonNullable<CronJob["status"]>;
/** A Job that its CronJob considers running. */
export type ActiveJob = NonNullable<CronJobStatus["active"]>[number];

/** The annotation of a Job with its scheduled time. */
const scheduledAnnotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** `nightly-29453760`: with the scheduled time in minutes since 1970. */
export function jobName({ metadata }: CronJob, scheduledAt: number): string {
  return `${metadata.name}-${Math.floor(scheduledAt / 60_000)}`;
}

/** The Job of a run, ready to be sent. @throws RangeError for an unknown time zone. */
export function jobFromTemplate(cronJob: CronJob, scheduledAt: number): CreateInput<Job> {
  const { metadata, spec } = cronJob;
  const { labels = {}, annotations = {} } = spec?.jobTemplate.metadata ?? {};
  const scheduled = formatInZone(scheduledAt, spec?.timeZone ?? "UTC");
  const meta: ObjectMeta = {
    name: jobName(cronJob, scheduledAt),
    namespace: metadata.namespace ?? "",
    creationTimestamp: formatTime(scheduledAt),
    ...(Object.keys(labels).length > 0 && { labels }),
    annotations: { ...annotations, [scheduledAnnotation]: scheduled },
    ownerReferences: [controllerReference(CronJobs, cronJob)],
  };
  const jobSpec = spec?.jobTemplate.spec;
  return {
    kind: Jobs.kind,
    apiVersion: apiVersionOf(Jobs),
    metadata: meta,
    ...(jobSpec !== undefined && { spec: jobSpec }),
    status: {},
  };
}

/** What the status records about an active Job. */
export function activeJob({ metadata }: StoredObject): ActiveJob {
  return {
    kind: Jobs.kind,
    ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
    name: metadata.name,
    uid: metadata.uid,
    apiVersion: apiVersionOf(Jobs),
    resourceVersion: metadata.resourceVersion,
  };
}

/** Finished Jobs beyond the history limits, oldest first: succeeded ones, then failed ones. */
export function jobsBeyondHistory({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const ended = (type: "Complete" | "Failed"): Job[] => jobs.filter((job) => finishedCondition(job)?.type === type);
  const beyond = (of: readonly Job[], limit: number | undefined): readonly Job[] =>
    limit === undefined ? [] : of.toSorted(byStartTime).slice(0, Math.max(0, of.length - limit));
  return [
    ...beyond(ended("Complete"), spec?.successfulJobsHistoryLimit),
    ...beyond(ended("Failed"), spec?.failedJobsHistoryLimit),
  ];
}

/** Jobs that have not started come last; ties are sorted by name. */
function byStartTime(a: Job, b: Job): number {
  const [startA, startB] = [readTime(a.status?.startTime) ?? Infinity, readTime(b.status?.startTime) ?? Infinity];
  if (startA !== startB) return startA < startB ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
