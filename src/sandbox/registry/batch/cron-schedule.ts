import { CronError, parseCronSchedule } from "../../../api/cron/schedule.ts";

/** What is wrong with a CronJob's schedule, as the real server says it; undefined for a schedule that is one. */
export function scheduleProblem(schedule: string): string | undefined {
  try {
    parseCronSchedule(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof CronError) return error.message;
    throw error;
  }
}
