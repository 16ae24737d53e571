/** The strategies of batch. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { cronJobStrategy } from "./cron-job.ts";
import { jobStrategy } from "./job.ts";

/** By resource. */
export const batchStrategies: Readonly<Record<string, RESTStrategy>> = {
  "cronjobs.batch": cronJobStrategy,
  "jobs.batch": jobStrategy,
};
