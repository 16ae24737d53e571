/** When a CronJob is due. Source: kubernetes v1.36 pkg/controller/cronjob/utils.go mostRecentScheduleTime. */
import { Cron } from "croner";
import { formatTime } from "../api/time.ts";
import type { CronJob } from "../api/types.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** The controller starts a Job within seconds; a busy one takes longer. */
const graceMs = 2 * minuteMs;
/** Without a time zone the schedule is in that of kube-controller-manager, which no object reveals. */
const zonesMs = 26 * hourMs;

/**
 * When the CronJob was first due after `after`, if that is so long before `now` that its controller must have missed
 * it. Times in ms since 1970; undefined if it was not due, or may still be started.
 *
 * @throws Error for an unsupported schedule, such as `@every 1h`.
 */
export function missedSince(
  { spec }: CronJob,
  { after, now }: { readonly after: number; readonly now: number },
): number | undefined {
  const zone = spec?.timeZone;
  const schedule = new Cron(spec?.schedule ?? "", { timezone: zone ?? "UTC", paused: true, mode: "5-part" });
  const due = schedule.nextRun(formatTime(after))?.getTime();
  if (due === undefined) return undefined;
  const next = schedule.nextRun(formatTime(due))?.getTime() ?? Infinity;
  const grace = zone === undefined && next - due >= hourMs ? zonesMs : graceMs;
  return now - due > grace ? due : undefined;
}
