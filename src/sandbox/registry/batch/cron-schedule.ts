import { CronError, parseCronSchedule } from "../../../api/cron/schedule.ts";

/** What is wrong with a CronJob's schedule, in the real server's words; undefined for a valid schedule. */
export function scheduleProblem(schedule: string): string | undefined {
  try {
    parseCronSchedule(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof CronError) return error.message;
    throw error;
  }
}
