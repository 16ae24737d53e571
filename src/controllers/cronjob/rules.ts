/** The rules of the CronJob controller, in the order in which a sync evaluates them. */
import { pluralize } from "../../api/pluralize.ts";
import { formatTime } from "../../api/time.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

interface HistoryFacts extends Facts {
  readonly job: string;
  readonly ended: string;
}

/** A finished Job beyond the history limits is deleted. */
export const history: Rule<HistoryFacts> = rule<HistoryFacts>({
  id: "history",
  looksAt: ["spec.successfulJobsHistoryLimit, spec.failedJobsHistoryLimit", "its finished Jobs and when they started"],
  chooses: "The latest finished Jobs are kept, up to the limits for succeeded and failed ones; the others are deleted.",
  sentence: ({ job, ended }) => `Job ${job} is ${ended}, and later ones are enough → delete it`,
  example: { job: "nightly-29453760", ended: "Complete" },
  source: "cronjob_controllerv2.go cleanupFinishedJobs",
});

interface ActiveFacts extends Facts {
  readonly job: string;
  readonly why: "it is finished" | "it is gone" | "it is not in status.active";
}

/** The list of active Jobs is brought up to date. */
export const active: Rule<ActiveFacts> = rule<ActiveFacts>({
  id: "active",
  looksAt: ["status.active", "its Jobs; those that the cache lacks, asked live"],
  chooses:
    "A Job that has finished or no longer exists is removed from the list of active Jobs; an Event warns of a running Job that is not in it.",
  sentence: ({ job, why }) =>
    why === "it is not in status.active" ? `Job ${job} runs, but ${why}` : `${why} → Job ${job} is no longer active`,
  example: { job: "nightly-29453760", why: "it is finished" },
  source: "cronjob_controllerv2.go syncCronJob",
});

interface SkipFacts extends Facts {
  readonly why: string;
}

/** No run is started, and none will be until the CronJob changes. */
export const idle: Rule<SkipFacts> = rule<SkipFacts>({
  id: "idle",
  looksAt: ["metadata.deletionTimestamp", "spec.timeZone", "spec.suspend", "spec.schedule"],
  chooses:
    "A CronJob that is being deleted or suspended, or whose schedule or time zone cannot be used, starts no Job.",
  sentence: ({ why }) => `${why} → no Job is started`,
  example: { why: "it is suspended" },
  source: "cronjob_controllerv2.go syncCronJob",
});

interface RunFacts extends Facts {
  /** When the run is due; absent if none is. In ms since 1970. */
  readonly scheduledAt?: number;
}

/** A run that is due is not started. */
export const skip: Rule<RunFacts & SkipFacts> = rule<RunFacts & SkipFacts>({
  id: "skip",
  looksAt: [
    "spec.schedule, spec.timeZone",
    "status.lastScheduleTime, or the time of its creation",
    "spec.startingDeadlineSeconds",
    "spec.concurrencyPolicy and status.active",
  ],
  chooses:
    "A run is not started if none is due, if its deadline has passed, if it has already been started, or, with Forbid, while another one is active.",
  sentence: ({ scheduledAt, why }) =>
    scheduledAt === undefined ? why : `the run of ${formatTime(scheduledAt)}: ${why} → no Job is started`,
  example: { scheduledAt: 1_767_236_400_000, why: "it has been started" },
  source: "cronjob_controllerv2.go syncCronJob, utils.go nextScheduleTime",
});

/** With Replace, running Jobs are deleted. */
export const replace: Rule<{ readonly job: string }> = rule<{ readonly job: string }>({
  id: "replace",
  looksAt: ["spec.concurrencyPolicy", "status.active"],
  chooses: "With the policy Replace, Jobs that are still active when the next run is due are deleted.",
  sentence: ({ job }) => `Job ${job} is still active when the next run is due → delete it`,
  example: { job: "nightly-29453760" },
  source: "cronjob_controllerv2.go syncCronJob",
});

interface StartFacts extends Facts {
  readonly job: string;
  readonly scheduledAt: number;
  readonly lateMs: number;
}

/** The Job of a run is created. */
export const start: Rule<StartFacts> = rule<StartFacts>({
  id: "start",
  looksAt: ["spec.schedule, spec.timeZone", "status.lastScheduleTime", "spec.jobTemplate"],
  chooses: "For a due run, a Job is created whose name contains the scheduled time, so there is at most one.",
  sentence: ({ job, scheduledAt, lateMs }) =>
    `a run was due at ${formatTime(scheduledAt)}, ${Math.floor(lateMs / 1000)} s ago → create Job ${job}`,
  example: { job: "nightly-29453940", scheduledAt: 1_767_236_400_000, lateMs: 100 },
  source: "cronjob_controllerv2.go syncCronJob, utils.go getJobFromTemplate2",
});

interface StatusFacts extends Facts {
  readonly active: number;
  readonly lastScheduleTime: string | undefined;
  readonly lastSuccessfulTime: string | undefined;
}

/** The status is written. */
export const status: Rule<StatusFacts> = rule<StatusFacts>({
  id: "status",
  looksAt: ["Jobs that were started, that are finished, and that are gone"],
  chooses:
    "The status is written once, if a Job was created, has finished or no longer exists; without a retry on conflict.",
  sentence: ({ active: running, lastScheduleTime = "never", lastSuccessfulTime = "never" }) =>
    `${pluralize(running, "active Job")}, last started ${lastScheduleTime}, last successful ${lastSuccessfulTime}`,
  example: { active: 1, lastScheduleTime: "2026-01-01T03:00:00Z", lastSuccessfulTime: undefined },
  source: "cronjob_controllerv2.go sync",
});

/** The CronJob is requeued for its next run. */
export const nextRun: Rule<{ readonly inMs: number; readonly at: number }> = rule<{
  readonly inMs: number;
  readonly at: number;
}>({
  id: "next-run",
  looksAt: ["spec.schedule, spec.timeZone", "status.lastScheduleTime"],
  chooses: "A CronJob is synced again a tenth of a second after its next run is due.",
  sentence: ({ inMs, at }) => `its next run is due at ${formatTime(at)} → sync again in ${Math.ceil(inMs / 1000)} s`,
  example: { inMs: 86_400_000, at: 1_767_322_800_000 },
  source: "utils.go nextScheduleTimeDuration",
});

/** All of them. */
export const rules: readonly Rule[] = [history, active, idle, skip, replace, start, status, nextRun];
