/** When a CronJob is due. Source: kubernetes v1.36 pkg/controller/cronjob/utils.go mostRecentScheduleTime. */
import { nextTime } from "../api/cron/next-time.ts";
import { parseCronSchedule } from "../api/cron/schedule.ts";
import type { CronJob } from "../api/types.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** The controller starts a Job within seconds; a busy one takes longer. */
const graceMs = 2 * minuteMs;
/** The range of time zones. Without a time zone, a schedule is in that of kube-controller-manager, which no object shows. */
const zonesMs = 26 * hourMs;

/**
 * When the CronJob was first due after `after`, if that is so long before `now` that its controller must have missed
 * it. Times in ms since 1970; undefined if it was not due, or may still be started.
 *
 * @throws CronError for a text that is no schedule; RangeError for an unknown time zone.
 */
export function missedSince(
  { spec }: CronJob,
  { after, now }: { readonly after: number; readonly now: number },
): number | undefined {
  const schedule = parseCronSchedule(spec?.schedule ?? "");
  const zone = spec?.timeZone ?? (schedule.is === "fields" ? schedule.timeZone : undefined);
  const inZone = zone === undefined ? {} : { timeZone: zone };
  const due = nextTime(schedule, { after, ...inZone });
  if (due === undefined) return undefined;
  const next = nextTime(schedule, { after: due, ...inZone }) ?? Infinity;
  // A plain interval is the same everywhere.
  const isLocal = zone === undefined && schedule.is === "fields";
  return now - due > (isLocal && next - due >= hourMs ? zonesMs : graceMs) ? due : undefined;
}

/**
 * When it is due next, in ms since 1970; undefined if the schedule is invalid, or depends on the unknown time zone of
 * kube-controller-manager: without a time zone, only runs less than an hour apart are the same everywhere.
 */
export function nextDue({ spec }: CronJob, now: number): number | undefined {
  const timeZone = spec?.timeZone;
  try {
    const schedule = parseCronSchedule(spec?.schedule ?? "");
    const inZone = timeZone === undefined ? {} : { timeZone };
    const due = nextTime(schedule, { after: now, ...inZone });
    if (due === undefined || timeZone !== undefined || schedule.is === "every" || schedule.timeZone !== undefined)
      return due;
    return (nextTime(schedule, { after: due }) ?? Infinity) - due < hourMs ? due : undefined;
  } catch {
    // An invalid schedule is reported elsewhere.
    return undefined;
  }
}
