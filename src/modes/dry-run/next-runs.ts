/** When CronJobs are due next: a dry run does not wait for that. */
import { nextTime } from "../../api/cron/next-time.ts";
import { CronError, type CronSchedule, parseCronSchedule } from "../../api/cron/schedule.ts";
import { CronJobs } from "../../api/kinds.ts";
import type { ObjectKey } from "../../api/key.ts";
import { formatTime } from "../../api/time.ts";
import type { CronJob } from "../../api/types.ts";
import type { KindName } from "../../trace/names.ts";
import { entryName, type State } from "../../views/state.ts";
import type { AppliedChange } from "./apply.ts";

/** The next runs of a CronJob. */
export interface NextRuns {
  readonly of: KindName;
  readonly key: ObjectKey;
  /** In UTC, as `2026-01-01T03:00:00Z`; none for a suspended CronJob, or one whose schedule is never due. */
  readonly times: readonly string[];
  /** The time zone of its schedule. */
  readonly timeZone: string;
  /** The fixed time from which they are counted, if it is not that of a cluster. */
  readonly countedFrom?: string;
}

/** What the next runs are counted from. */
export interface RunsAfter {
  readonly state: State;
  /** In ms since 1970. */
  readonly now: number;
  /** The fixed time at which the clock was started, in ms since 1970; unset if the time is that of a cluster. */
  readonly fixedStart?: number | undefined;
}

const shownRuns = 3;

/** Of the CronJobs that were created or changed: after `now`, or after a fixed start. */
export function nextRunsOf(
  done: readonly Pick<AppliedChange, "of" | "key" | "did">[],
  { state, now, fixedStart }: RunsAfter,
): readonly NextRuns[] {
  return done.flatMap(({ of, key, did }): readonly NextRuns[] => {
    if (of.kind !== CronJobs.kind || of.group !== CronJobs.group) return [];
    const object = state.get(entryName(of, key))?.object;
    if (object === undefined || (did !== "created" && did !== "configured")) return [];
    // An object of this kind.
    const { spec } = object as CronJob;
    const schedule = scheduleIn(spec?.schedule ?? "");
    if (schedule === undefined) return [];
    const timeZone = (schedule.is === "fields" ? schedule.timeZone : undefined) ?? spec?.timeZone ?? "UTC";
    const times = spec?.suspend === true ? [] : runsOf(schedule, { after: fixedStart ?? now, timeZone });
    const isFixed = fixedStart !== undefined && times.length > 0;
    return [{ of, key, times, timeZone, ...(isFixed && { countedFrom: formatTime(fixedStart) }) }];
  });
}

/** Undefined for a schedule that the API server would refuse. */
function scheduleIn(text: string): CronSchedule | undefined {
  try {
    return parseCronSchedule(text);
  } catch (error) {
    if (error instanceof CronError) return undefined;
    throw error;
  }
}

function runsOf(
  schedule: CronSchedule,
  { after, timeZone }: { readonly after: number; readonly timeZone: string },
): readonly string[] {
  const times: string[] = [];
  for (
    let at = nextTime(schedule, { after, timeZone });
    at !== undefined;
    at = nextTime(schedule, { after: at, timeZone })
  ) {
    times.push(formatTime(at));
    if (times.length === shownRuns) break;
  }
  return times;
}
