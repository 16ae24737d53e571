import { describe, expect, test } from "bun:test";
import { nextRunsTexts } from "../../../plugin/commands/dry-run/report/closing.ts";
import { cronjob } from "../../../src/controllers/cronjob/cronjob.ts";
import { job } from "../../../src/controllers/job/job.ts";
import { isShort } from "../../../src/modes/dry-run/availability.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import { cronJobOf } from "../../controllers/cronjob/objects.ts";
import { jobNamed, type JobParts } from "../../controllers/job/scene.ts";
import { emptyCluster } from "../../../src/modes/dry-run/initial-state.ts";
import { apply, changesOf, play } from "./scene.ts";

const exitCode = { annotations: { "sandbox.kubectl-reconcile.io/exit-code": "1" } };

function played(spec: object, parts: JobParts = {}): Promise<DryRun> {
  const manifest = { apiVersion: "batch/v1", kind: "Job", ...jobNamed(spec, parts) };
  return play({ controllers: [job], requestedChanges: [apply(manifest)] });
}

describe("the dry run of a Job", () => {
  test("runs its pods to completion, and counts completions", async () => {
    const run = await played({ completions: 3, parallelism: 2 });
    expect(changesOf(run)).toEqual(["+ Job default/data", "+ 3 Pod default/data-…"]);
    expect(run.settled.is).toBe("steady");
    expect(run.availability).toMatchObject([{ key: "default/data", available: 3, desired: 3, why: undefined }]);
    expect(run.availability.filter(isShort)).toEqual([]);
  });

  test("reports that it fails, and why", async () => {
    const run = await played({ backoffLimit: 0 }, exitCode);
    expect(run.availability).toMatchObject([{ key: "default/data", available: 0, desired: 1 }]);
    expect(run.availability[0]?.why).toContain("container main: Error");
    expect(run.availability.filter(isShort)).toHaveLength(1);
  });

  test("leaves a suspended Job alone, which is well", async () => {
    const run = await played({ suspend: true });
    expect(changesOf(run)).toEqual(["+ Job default/data"]);
    expect(run.availability.filter(isShort)).toEqual([]);
  });

  test("finds enough completions if a success policy requires no more", async () => {
    const successPolicy = { rules: [{ succeededCount: 1 }] };
    const run = await played({ completions: 3, parallelism: 1, completionMode: "Indexed", successPolicy });
    expect(run.availability).toMatchObject([{ available: 1, desired: 1 }]);
    expect(run.availability.filter(isShort)).toEqual([]);
  });
});

describe("the dry run of a CronJob", () => {
  const nightly = (spec: object): Promise<DryRun> => {
    const { spec: own } = cronJobOf({ spec });
    const manifest = { apiVersion: "batch/v1", kind: "CronJob", metadata: { name: "nightly" }, spec: own };
    return play({ controllers: [cronjob, job], requestedChanges: [apply(manifest)] });
  };

  test("shows when it is due next, and does not wait for that", async () => {
    const run = await nightly({ schedule: "30 3 * * *", timeZone: "Europe/Berlin" });
    expect(changesOf(run)).toEqual(["+ CronJob default/nightly"]);
    expect(run.settled.is).toBe("steady");
    expect(run.notFollowed).toEqual([]);
    expect(run.nextRuns).toEqual([
      {
        of: { group: "batch", kind: "CronJob" },
        key: "default/nightly",
        timeZone: "Europe/Berlin",
        times: ["2026-01-01T02:30:00Z", "2026-01-02T02:30:00Z", "2026-01-03T02:30:00Z"],
        countedFrom: "2026-01-01T00:00:00Z",
      },
    ]);
    expect(nextRunsTexts(run.nextRuns)).toEqual([
      "CronJob default/nightly: next runs 2026-01-01T02:30:00Z, 2026-01-02T02:30:00Z, 2026-01-03T02:30:00Z (its schedule is in Europe/Berlin; counted from 2026-01-01T00:00:00Z)",
    ]);
  });

  test("counts from the time of the cluster, if there is one", async () => {
    const { spec } = cronJobOf({ spec: { schedule: "0 3 1 * *" } });
    const manifest = { apiVersion: "batch/v1", kind: "CronJob", metadata: { name: "monthly" }, spec };
    const atMs = Date.UTC(2026, 10, 29);
    const { isFixed: _fixed, ...cluster } = { ...emptyCluster([]), atMs };
    const run = await play({ initialState: cluster, controllers: [cronjob, job], requestedChanges: [apply(manifest)] });
    expect(nextRunsTexts(run.nextRuns)).toEqual([
      "CronJob default/monthly: next runs 2026-12-01T03:00:00Z, 2027-01-01T03:00:00Z, 2027-02-01T03:00:00Z",
    ]);
  });

  for (const spec of [{ schedule: "0 0 30 2 *" }, { schedule: "0 * * * *", suspend: true }]) {
    test(`reports that no run is due with ${JSON.stringify(spec)}`, async () => {
      expect(nextRunsTexts((await nightly(spec)).nextRuns)).toEqual(["CronJob default/nightly: no run is due"]);
    });
  }

  test("names the first of many", () => {
    const of = { group: "batch", kind: "CronJob" };
    const many = Array.from({ length: 12 }, (_, n) => ({ of, key: `a/c${n}`, times: [], timeZone: "UTC" }));
    expect(nextRunsTexts(many).slice(-2)).toEqual(["CronJob a/c9: no run is due", "and 2 other CronJobs"]);
  });
});
