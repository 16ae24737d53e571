/** The rules of the kinds of batch, by resource. */
import type { KindRules } from "../strategy/kind-rules.ts";
import { cronJobRules } from "./cron-job.ts";
import { jobRules } from "./job.ts";

export const batchKinds: Readonly<Record<string, KindRules>> = {
  "cronjobs.batch": cronJobRules,
  "jobs.batch": jobRules,
};
