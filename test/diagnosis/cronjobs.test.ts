import { describe, expect, test } from "bun:test";
import type { Is } from "../../src/diagnosis/diagnosis.ts";
import { CronJobs, Jobs } from "../../src/api/kinds.ts";
import { findingsOf, type Item } from "../../src/diagnosis/diagnosis.ts";
import { ago, diagnose, type Json, objectOf, ownedBy } from "./world.ts";

/** At 10:00:00 UTC; each has no Job yet, and nobody has written an Event about it. */
const rows: readonly {
  readonly name: string;
  readonly spec: Json;
  readonly ageSeconds: number;
  readonly status?: Json;
  readonly is: Is;
}[] = [
  { name: "not due yet", spec: { schedule: "30 10 * * *", timeZone: "UTC" }, ageSeconds: 600, is: "well" },
  { name: "due a moment ago", spec: { schedule: "59 9 * * *", timeZone: "UTC" }, ageSeconds: 600, is: "well" },
  { name: "due 5 minutes ago", spec: { schedule: "55 9 * * *", timeZone: "UTC" }, ageSeconds: 600, is: "waiting" },
  {
    name: "due in its time zone",
    spec: { schedule: "55 10 * * *", timeZone: "Europe/Berlin" },
    ageSeconds: 600,
    is: "waiting",
  },
  { name: "due in an unknown time zone", spec: { schedule: "55 9 * * *" }, ageSeconds: 600, is: "well" },
  { name: "due every minute, in any time zone", spec: { schedule: "* * * * *" }, ageSeconds: 600, is: "waiting" },
  {
    name: "due after its last Job",
    spec: { schedule: "*/5 * * * *" },
    ageSeconds: 86_400,
    status: { lastScheduleTime: ago(3600) },
    is: "waiting",
  },
  {
    name: "due when its last Job started",
    spec: { schedule: "*/5 * * * *" },
    ageSeconds: 86_400,
    status: { lastScheduleTime: ago(300), lastSuccessfulTime: ago(290) },
    is: "well",
  },
  {
    name: "due while its Job runs, if only one may run at a time",
    spec: { schedule: "* * * * *", concurrencyPolicy: "Forbid" },
    ageSeconds: 600,
    status: { lastScheduleTime: ago(540), active: [{ name: "a" }] },
    is: "well",
  },
  {
    name: "due only before its deadline",
    spec: { schedule: "55 9 * * *", timeZone: "UTC", startingDeadlineSeconds: 60 },
    ageSeconds: 600,
    is: "well",
  },
  {
    name: "on a schedule that cannot be parsed here",
    spec: { schedule: "61 * * * *" },
    ageSeconds: 600,
    is: "cannot tell",
  },
];

describe("a CronJob", () => {
  const nextRows = [
    { spec: { schedule: "30 10 * * *", timeZone: "UTC" }, next: ", the next one is due in 30 m" },
    { spec: { schedule: "*/20 * * * *" }, next: ", the next one is due in 20 m" },
    { spec: { schedule: "@every 90m" }, next: ", the next one is due in 90 m" },
    { spec: { schedule: "30 10 * * *" }, next: "" },
  ];
  test.each(nextRows)(
    "on the schedule $spec says when it is due next, if that is the same everywhere",
    ({ spec, next }) => {
      const object = objectOf("nightly", { meta: { creationTimestamp: ago(60) }, spec, status: {} });
      expect(JSON.stringify(diagnose(CronJobs, object))).toContain(`it has started no Job yet${next} (schedule`);
    },
  );

  test.each(rows)("$name: $is", ({ spec, ageSeconds, status = {}, is }) => {
    const object = objectOf("nightly", { meta: { creationTimestamp: ago(ageSeconds) }, spec, status });
    expect(diagnose(CronJobs, object).is).toBe(is);
  });

  const jobOf = (seconds: number): Item => ({
    kind: Jobs,
    object: objectOf("nightly-1", {
      meta: { ...ownedBy("nightly", CronJobs), creationTimestamp: ago(seconds) },
      status: { conditions: [{ type: "Complete", status: "True" }] },
    }),
  });
  test.each([
    { name: "it is the only one", limit: undefined, items: [], kept: "" },
    {
      name: "an earlier one is kept",
      limit: 0,
      items: [jobOf(3600)],
      kept: "; failedJobsHistoryLimit 0 keeps no failed Job",
    },
  ])("whose last Job is gone without success is not well: $name", ({ limit, items, kept }) => {
    const spec = { schedule: "0 * * * *", ...(limit !== undefined && { failedJobsHistoryLimit: limit }) };
    const status = { lastScheduleTime: ago(300), lastSuccessfulTime: ago(3590) };
    const object = objectOf("nightly", { meta: { creationTimestamp: ago(86_400) }, spec, status });
    const diagnosis = diagnose(CronJobs, object, { items });
    expect(diagnosis.is).toBe("waiting");
    expect(findingsOf(diagnosis)[0]?.why).toBe(
      `its last run, due 5 m ago, did not succeed, and its Job is gone${kept}`,
    );
  });

  test("whose last Job is there is as that Job is", () => {
    const status = { lastScheduleTime: ago(300) };
    const object = objectOf("nightly", {
      meta: { creationTimestamp: ago(86_400) },
      spec: { schedule: "0 * * * *" },
      status,
    });
    expect(diagnose(CronJobs, object, { items: [jobOf(299)] }).is).toBe("well");
    expect(diagnose(CronJobs, object, { forbidden: [Jobs] }).is).toBe("cannot tell");
  });

  test("that was due and has no Job needs its controller", () => {
    const spec = { schedule: "55 9 * * *", timeZone: "UTC" };
    const object = objectOf("nightly", { meta: { creationTimestamp: ago(600) }, spec, status: {} });
    const why = "it was due 5 m ago, and no Job was started: is its controller running?";
    expect(JSON.stringify(diagnose(CronJobs, object))).toContain(why);
  });
});
