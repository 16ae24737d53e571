import type { Script, Step } from "../../suite.ts";
import { create, createOwned, cronName, due, endFirst, endJob, lastRunAt, patchSpec, runningJobs } from "./acts.ts";

const owned = (...names: readonly string[]): Step => ({
  name: `create the Jobs ${names.join()}, owned by the CronJob`,
  async act(stage) {
    for (const name of names) await createOwned(stage, name);
  },
});

const ends = (type: "Complete" | "Failed", starts: Readonly<Record<string, string>>): Step => ({
  name: `finish the Jobs as ${type}`,
  async act(stage) {
    for (const [name, started] of Object.entries(starts)) await endJob(stage, name, { type, started });
  },
});

export const scripts: readonly Script[] = [
  { name: "no run is due", steps: [create()] },
  {
    name: "a run is due, and its Job completes",
    steps: [
      create({ template: { labels: { app: "x" }, annotations: { note: "1" } } }),
      lastRunAt(),
      endFirst("Complete"),
    ],
  },
  {
    name: "a run is due, and its Job fails",
    steps: [create({ jobSpec: { backoffLimit: 0 } }), lastRunAt(), endFirst("Failed")],
  },
  {
    name: "a run is due in a time zone",
    steps: [create({ spec: { timeZone: "Asia/Kathmandu", schedule: "30 5 1 1 *" } }), lastRunAt()],
  },
  { name: "a run is started once", steps: [create(), lastRunAt(), lastRunAt(), lastRunAt("2020-06-01T00:00:00Z")] },
  { name: "hundreds of runs were missed", steps: [create({ spec: { schedule: "0 * * * *" } }), lastRunAt()] },
  {
    name: "a run misses its starting deadline",
    steps: [
      create({ spec: { startingDeadlineSeconds: 60 } }),
      lastRunAt(),
      patchSpec({ startingDeadlineSeconds: null }),
    ],
  },
  {
    name: "the starting deadline leaves only a few missed runs",
    steps: [create({ spec: { schedule: "0 0 * * *", startingDeadlineSeconds: 200_000 } }), lastRunAt()],
  },
  {
    name: "a schedule that never occurs",
    steps: [create({ spec: { schedule: "0 0 30 2 *" } }), patchSpec({ suspend: true })],
  },
  {
    name: "a CronJob is created suspended, and resumed",
    steps: [create({ spec: { suspend: true } }), lastRunAt(), patchSpec({ suspend: false })],
  },
  {
    name: "concurrencyPolicy Allow: Jobs run in parallel",
    steps: [create(), lastRunAt(), due("0 0 2 1 *"), endFirst("Complete"), endFirst("Failed")],
  },
  {
    name: "concurrencyPolicy Forbid: a running Job prevents the next run",
    steps: [create({ spec: { concurrencyPolicy: "Forbid" } }), lastRunAt(), due("0 0 2 1 *"), endFirst("Complete")],
  },
  {
    name: "concurrencyPolicy Replace: a Job is replaced by the next one",
    steps: [create({ spec: { concurrencyPolicy: "Replace" } }), lastRunAt(), due("0 0 2 1 *"), due("0 0 3 1 *")],
  },
  {
    name: "an active Job is deleted",
    steps: [
      create({ spec: { schedule: "0 0 1 1 *" } }),
      lastRunAt(),
      {
        name: "delete the Job",
        async act(stage) {
          for (const { metadata } of await runningJobs(stage))
            await stage.remove("jobs", metadata.name, { propagationPolicy: "Background" });
        },
      },
    ],
  },
  {
    name: "a Job that the CronJob owns but did not create",
    steps: [create(), owned("stranger"), ends("Complete", { stranger: "01:00:00" })],
  },
  {
    name: "a Job with the name of a run exists",
    steps: [
      create(),
      {
        name: "create the Job",
        async act(stage) {
          const year = new Date().getUTCFullYear();
          const minutes = Date.UTC(year, 0, 1) / 60_000;
          await stage.create("jobs", {
            metadata: { name: `${cronName}-${minutes}` },
            spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "main:1" }] } } },
          });
        },
      },
      lastRunAt(),
    ],
  },
  {
    name: "only the latest finished Jobs are kept, up to the limits",
    steps: [
      create({ spec: { successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 0 } }),
      owned("a", "b", "c", "d", "e"),
      ends("Complete", { b: "03:00:00", c: "02:00:00", d: "04:00:00" }),
      ends("Failed", { a: "01:00:00" }),
      ends("Complete", { e: "05:00:00" }),
      patchSpec({ successfulJobsHistoryLimit: 0 }),
    ],
  },
  {
    name: "a schedule of seconds",
    steps: [
      { ...create({ spec: { schedule: "@every 4s" } }), until: async (stage) => (await runningJobs(stage)).length > 0 },
    ],
    // A Job's name contains the minute of its run, which can differ between the sides.
    race: "in which minute the run is due",
  },
  {
    name: "the CronJob is deleted in the background",
    steps: [
      create(),
      lastRunAt(),
      {
        name: "delete the CronJob",
        act: (stage) => stage.remove("cronjobs", cronName, { propagationPolicy: "Background" }),
      },
    ],
  },
  {
    name: "the CronJob is deleted in the foreground",
    steps: [
      create(),
      lastRunAt(),
      {
        name: "delete the CronJob",
        act: (stage) => stage.remove("cronjobs", cronName, { propagationPolicy: "Foreground" }),
      },
      endFirst("Complete"),
      lastRunAt(),
    ],
  },
  {
    name: "a quota rejects the Job",
    steps: [
      {
        name: "create the quota",
        async act(stage) {
          const hard = { "count/jobs.batch": "0" };
          await stage.create("resourcequotas", { metadata: { name: "none" }, spec: { hard } });
          await stage.patch("resourcequotas", "none/status", { status: { hard, used: hard } });
        },
      },
      create(),
      lastRunAt(),
      {
        name: "delete the quota",
        act: (stage) => stage.remove("resourcequotas", "none"),
        until: async (stage) => (await runningJobs(stage)).length > 0,
      },
    ],
  },
];
