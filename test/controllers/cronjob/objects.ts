/** CronJobs and their Jobs for tests, with only the relevant fields. */
import { CronJobs } from "../../../src/api/kinds.ts";
import { controllerReference } from "../../../src/api/owner-references.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { CronJob, Job } from "../../../src/api/types.ts";
import { sceneStart } from "../../support/sync-context.ts";

export interface CronJobParts {
  readonly spec?: object;
  readonly status?: CronJob["status"];
  readonly meta?: object;
  readonly template?: object;
}

/** `nightly` in `shop`, which runs every hour, created at 09:30; the scene starts at 10:00. */
export function cronJobOf({ spec, status = {}, meta, template }: CronJobParts = {}): CronJob {
  return {
    metadata: {
      name: "nightly",
      namespace: "shop",
      uid: "uid-nightly",
      resourceVersion: "10",
      creationTimestamp: formatTime(sceneStart - 30 * 60_000),
      generation: 1,
      ...meta,
    },
    spec: {
      schedule: "0 * * * *",
      concurrencyPolicy: "Allow",
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      jobTemplate: {
        ...(template !== undefined && { metadata: template }),
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "main:1" }] } } },
      },
      ...spec,
    },
    status,
  };
}

export interface JobParts {
  readonly ended?: "Complete" | "Failed";
  /** Minutes before the start of the scene; if absent, the Job has not started. */
  readonly startedMinutesAgo?: number;
  readonly completedMinutesAgo?: number;
  readonly owner?: CronJob;
}

export const minutesAgo = (minutes: number): string => formatTime(sceneStart - minutes * 60_000);

export function jobOf(
  name: string,
  { ended, startedMinutesAgo, completedMinutesAgo, owner = cronJobOf() }: JobParts = {},
): Job {
  return {
    metadata: {
      name,
      namespace: "shop",
      uid: `uid-${name}`,
      resourceVersion: "10",
      creationTimestamp: minutesAgo(60),
      ownerReferences: [controllerReference(CronJobs, owner)],
    },
    spec: { template: {} },
    status: {
      ...(startedMinutesAgo !== undefined && { startTime: minutesAgo(startedMinutesAgo) }),
      ...(completedMinutesAgo !== undefined && { completionTime: minutesAgo(completedMinutesAgo) }),
      ...(ended !== undefined && { conditions: [{ type: ended, status: "True" }] }),
    },
  };
}

/** An entry of `status.active`. */
export function activeOf(name: string): { readonly name: string; readonly namespace: string; readonly uid: string } {
  return { name, namespace: "shop", uid: `uid-${name}` };
}
