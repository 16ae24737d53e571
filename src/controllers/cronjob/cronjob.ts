import { deepEqual } from "../../api/deep-equal.ts";
import { keyOf, objectKey } from "../../api/key.ts";
import { CronJobs, Jobs } from "../../api/kinds.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { CronJob, Job } from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  type Notification,
  type Watch,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import { watchOwned } from "../../controller/api/owned.ts";
import { rules } from "./rules.ts";
import { nextRunInMs, readTimetable } from "./schedule.ts";
import { controllerNameIndex, syncCronJob } from "./sync.ts";

/** Starts Jobs when they are due. */
export const cronjob: ControllerDefinition = defineController<CronJob>({
  name: "cronjob",
  aliases: ["cj", "cronjob-controller"],
  purpose: "creates Jobs on schedule",
  component: "cronjob-controller",
  source: "pkg/controller/cronjob/cronjob_controllerv2.go",
  for: CronJobs,
  watches: [watch<CronJob>({ kind: CronJobs, on: onCronJob }), watchJobs()],
  workers: 5,
  ifRunTwice: "each run would be started by whichever comes first, and its status written by both",
  rules,
  // All granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
  permissions: [
    { group: "batch", resource: "cronjobs", verbs: ["get"] },
    { group: "batch", resource: "cronjobs/status", verbs: ["update"] },
    { group: "batch", resource: "cronjobs/finalizers", verbs: ["update"] },
    { group: "batch", resource: "jobs", verbs: ["get", "create", "delete"] },
  ],
  sync: (_key, context) => syncCronJob(context),
});

/** Source: kubernetes v1.36 pkg/controller/cronjob/cronjob_controllerv2.go addJob, updateJob, deleteJob. */
function watchJobs(): Watch {
  const owned = watchOwned<CronJob, Job>({
    kind: Jobs,
    ownerKind: CronJobs,
    // A CronJob adopts no Jobs.
    selectorOf: () => "nothing",
    expected: false,
  });
  return {
    ...owned,
    indexes: {
      ...owned.indexes,
      // By name alone, as in upstream: a recreated CronJob takes over the Jobs of its predecessor.
      [controllerNameIndex]: ({ metadata }) => {
        const controller = controllerOf({ metadata });
        return controller === undefined ? [] : [objectKey(metadata.namespace, controller.name)];
      },
    },
  };
}

/** A changed schedule is synced when its next run is due, any other change at once. Source: updateCronJob. */
function onCronJob(notification: Notification<CronJob>, context: WatchContext): void {
  const { object: cronJob } = notification;
  const key = keyOf(cronJob);
  if (notification.type !== "updated" || isSameSchedule(notification.before, cronJob)) {
    context.enqueue(key);
    return;
  }
  const timetable = readTimetable(cronJob);
  if ("problem" in timetable) {
    const message = `unparseable schedule for cronjob: ${cronJob.spec?.schedule ?? ""}`;
    context.event(CronJobs, cronJob, { type: "Warning", reason: "UnParseableCronJobSchedule", message });
    return;
  }
  const inMs = nextRunInMs(cronJob, { timetable, now: context.now() });
  const why = "its schedule has changed, and a run is due then";
  // A sync reports a schedule without a next time.
  context.enqueueAfter(key, inMs ?? 0, why, { background: (inMs ?? 0) > 0 });
}

function isSameSchedule(before: CronJob, after: CronJob): boolean {
  const of = ({ spec }: CronJob): readonly unknown[] => [spec?.schedule, spec?.timeZone];
  return deepEqual(of(before), of(after));
}
