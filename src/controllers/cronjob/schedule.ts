/**
 * Which run of a CronJob is due, and when the next one will be.
 * Source: kubernetes v1.36 pkg/controller/cronjob/utils.go mostRecentScheduleTime, nextScheduleTime, nextScheduleTimeDuration.
 */
import { nextTime } from "../../api/cron/next-time.ts";
import { CronError, type CronSchedule, parseCronSchedule } from "../../api/cron/schedule.ts";
import { isTimeZone } from "../../api/cron/time-zone.ts";
import { readTime } from "../../api/time.ts";
import type { CronJob } from "../../api/types.ts";

/** Without a time zone, schedules are in UTC, as in kube-controller-manager's image. */
const defaultZone = "UTC";
/** Clocks may differ a little: a sync runs this long after the scheduled time. */
const delayMs = 100;
/** With more missed runs than this, an Event warns about them. */
const mostMissed = 100;

/** When runs are due. */
export interface Timetable {
  readonly schedule: CronSchedule;
  readonly timeZone: string;
}

/** @throws CronError for an invalid schedule. A zone in the schedule itself takes precedence over `spec.timeZone`. */
export function timetableOf({ spec }: CronJob): Timetable {
  const timeZone = spec?.timeZone;
  const schedule = spec?.schedule ?? "";
  const isKnown = timeZone !== undefined && !schedule.includes("TZ") && isTimeZone(timeZone);
  return { schedule: parseCronSchedule(schedule), timeZone: isKnown ? timeZone : defaultZone };
}

/** The same, or why there is none. */
export function readTimetable(cronJob: CronJob): Timetable | { readonly problem: string } {
  try {
    return timetableOf(cronJob);
  } catch (error) {
    if (error instanceof CronError) return { problem: error.message };
    throw error;
  }
}

function dueAfter({ schedule, timeZone }: Timetable, after: number): number | undefined {
  return nextTime(schedule, { after, timeZone });
}

/** The runs between the last one and now. Times in ms since 1970. */
export type Missed =
  /** `earliest`: since when runs count: since the last run, the CronJob's creation, or the starting deadline before now. */
  | {
      readonly is: "counted";
      readonly earliest: number;
      /** The latest due run; undefined if none is due. */
      readonly mostRecent: number | undefined;
      /** An estimate that assumes all intervals equal the first one. */
      readonly count: "none" | "few" | "many";
    }
  /** A schedule with fewer than two times, such as February 30. */
  | { readonly is: "never"; readonly problem: string };

/** The input for finding due runs. */
export interface DueInput {
  readonly timetable: Timetable;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Finds the due run. With `withinDeadline`, runs past the starting deadline are left out. */
export function missedRuns(
  cronJob: CronJob,
  { timetable, now, withinDeadline }: DueInput & { readonly withinDeadline: boolean },
): Missed {
  const earliest = earliestOf(cronJob, withinDeadline ? now : undefined);
  const first = dueAfter(timetable, earliest);
  const second = first === undefined ? undefined : dueAfter(timetable, first);
  if (first !== undefined && now < first) return { is: "counted", earliest, mostRecent: undefined, count: "none" };
  if (first !== undefined && second !== undefined && now < second) {
    return { is: "counted", earliest, mostRecent: first, count: "none" };
  }
  const betweenSeconds = Math.round(((second ?? 0) - (first ?? 0)) / 1000);
  if (first === undefined || second === undefined || betweenSeconds < 1) {
    return { is: "never", problem: "time difference between two schedules is less than 1 second" };
  }
  const count = Math.floor(Math.floor((now - first) / 1000) / betweenSeconds) + 1;
  // One interval earlier than estimated: runs need not be evenly spaced.
  let mostRecent: number | undefined;
  let next = dueAfter(timetable, first + (count - 2) * betweenSeconds * 1000);
  while (next !== undefined && next <= now) {
    mostRecent = next;
    next = dueAfter(timetable, next);
  }
  return { is: "counted", earliest, mostRecent, count: count > mostMissed ? "many" : "few" };
}

function earliestOf({ metadata, spec, status }: CronJob, now: number | undefined): number {
  const last = readTime(status?.lastScheduleTime) ?? readTime(metadata.creationTimestamp) ?? 0;
  const deadline = spec?.startingDeadlineSeconds;
  if (now === undefined || deadline === undefined) return last;
  return Math.max(last, now - deadline * 1000);
}

/** Milliseconds until shortly after the next run is due; undefined if there is none within five years. */
export function nextRunInMs(cronJob: CronJob, { timetable, now }: DueInput): number | undefined {
  const missed = missedRuns(cronJob, { timetable, now, withinDeadline: false });
  const next = dueAfter(timetable, lookFrom(missed, now));
  return next === undefined ? undefined : next + delayMs - now;
}

function lookFrom(missed: Missed, now: number): number {
  if (missed.is === "never") return now;
  return missed.mostRecent ?? (missed.count === "none" ? missed.earliest : now);
}
