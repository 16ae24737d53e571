import { beforeEach, describe, expect, test } from "bun:test";
import { CronJobs, Jobs } from "../../../src/api/kinds.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { CronJob } from "../../../src/api/types.ts";
import { cronjob } from "../../../src/controllers/cronjob/cronjob.ts";
import { jobFromTemplate, jobName, jobsBeyondHistory } from "../../../src/controllers/cronjob/job.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";
import { activeOf, cronJobOf, jobOf, minutesAgo } from "./objects.ts";

const key = "shop/nightly";
/** Minutes from 1970 to 10:00. */
const minutes = sceneStart / 60_000;
const name = `nightly-${minutes}`;
let scene: Scene;
beforeEach(() => {
  scene = syncScene(cronjob);
});

const calls = (): string[] => scene.calls.map(({ verb, kind, name: of }) => `${verb} ${kind} ${of}`);
const eventTexts = (): string[] => scene.events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
const writtenStatus = (): CronJob["status"] =>
  (scene.calls.findLast(({ verb }) => verb === "updateStatus")?.body as CronJob | undefined)?.status;
const decided = (): string[] => scene.decisions.map(({ sentence }) => sentence);

describe("a CronJob whose run is due", () => {
  test("starts a Job named by its time, adds it to the active list, and is requeued for the next one", async () => {
    scene.put(CronJobs, cronJobOf());
    scene.now = sceneStart + 300;
    await scene.sync(key);
    expect(calls()).toEqual([`create Job ${name}`, "updateStatus CronJob nightly"]);
    expect(eventTexts()).toEqual([`Normal SuccessfulCreate: Created job ${name}`]);
    expect(writtenStatus()).toMatchObject({
      active: [{ kind: "Job", namespace: "shop", name, uid: `uid-${name}`, apiVersion: "batch/v1" }],
      lastScheduleTime: formatTime(sceneStart),
    });
    expect(scene.requeues).toMatchObject([{ ms: 3_600_000 + 100 - 300 }]);
    expect(decided()).toEqual([
      `a run was due at 2026-11-21T10:00:00Z, 0 s ago → create Job ${name}`,
      "1 active Job, last started 2026-11-21T10:00:00Z, last successful never",
      "its next run is due at 2026-11-21T11:00:00Z → sync again in 3600 s",
    ]);
  });

  test("starts it once, whether or not the cache has it", async () => {
    const started = { active: [activeOf(name)] };
    scene.put(CronJobs, cronJobOf({ status: started }));
    scene.put(Jobs, jobOf(name));
    await scene.sync(key);
    expect(calls()).toEqual([]);
    scene.put(CronJobs, cronJobOf({ status: { lastScheduleTime: formatTime(sceneStart) } }));
    scene.deleteLive(Jobs, `shop/${name}`);
    scene.deliver();
    await scene.sync(key);
    expect(calls()).toEqual([]);
    expect(scene.requeues).toMatchObject([{ ms: 3_600_000 + 100 }]);
  });

  for (const [says, owner] of [
    ["its own", cronJobOf()],
    ["another's", cronJobOf({ meta: { uid: "uid-other" } })],
  ] as const) {
    test(`fails if a Job of that name exists, ${says}, and does not add it: as upstream, it is retried`, async () => {
      scene.put(CronJobs, cronJobOf());
      scene.putLive(Jobs, jobOf(name, { owner }));
      scene.refuse = ({ verb }) => (verb === "create" ? refusal(409, "AlreadyExists", "exists") : undefined);
      expect(await rejection(scene.sync(key))).toMatchObject({
        message: `the Job ${name} of this run exists, and was not started by this sync`,
      });
      expect([calls(), eventTexts()]).toEqual([[`create Job ${name}`], []]);
    });
  }

  test("reports a Job that cannot be created, and retries", async () => {
    scene.put(CronJobs, cronJobOf());
    scene.refuse = ({ verb }) => (verb === "create" ? refusal(403, "Forbidden", "no quota") : undefined);
    expect(await rejection(scene.sync(key))).toMatchObject({ code: 403 });
    expect(eventTexts()).toEqual(["Warning FailedCreate: Error creating job: no quota"]);
    expect(scene.requeues).toEqual([]);
  });

  test("records no Event in a namespace that is being deleted", async () => {
    scene.put(CronJobs, cronJobOf());
    scene.refuse = ({ verb }) =>
      verb === "create" ? refusal(403, "Forbidden", "terminating", "NamespaceTerminating") : undefined;
    expect(await rejection(scene.sync(key))).toMatchObject({ code: 403 });
    expect(eventTexts()).toEqual([]);
  });

  test("starts the latest of many missed ones, and records a warning", async () => {
    scene.put(CronJobs, cronJobOf({ meta: { creationTimestamp: minutesAgo(6100) } }));
    await scene.sync(key);
    expect(eventTexts()[0]).toBe(
      "Warning TooManyMissedTimes: too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
    );
    expect(calls()[0]).toBe(`create Job ${name}`);
  });

  for (const { lateMs, starts } of [
    { lateMs: 59_999, starts: true },
    { lateMs: 60_000, starts: false },
  ]) {
    test(`can be late by less than its deadline of 60 s: ${lateMs} ms`, async () => {
      scene.put(CronJobs, cronJobOf({ spec: { startingDeadlineSeconds: 60 } }));
      scene.now = sceneStart + lateMs;
      await scene.sync(key);
      expect(calls()[0]).toBe(starts ? `create Job ${name}` : undefined);
      expect(scene.requeues).toMatchObject([{ ms: 3_600_100 - lateMs }]);
    });
  }
});

describe("the concurrency policy", () => {
  const earlier = `nightly-${minutes - 60}`;
  const running = (policy: string): void => {
    scene.put(CronJobs, cronJobOf({ spec: { concurrencyPolicy: policy }, status: { active: [activeOf(earlier)] } }));
    scene.put(Jobs, jobOf(earlier, { startedMinutesAgo: 60 }));
  };

  test("Allow starts a Job beside another", async () => {
    running("Allow");
    await scene.sync(key);
    expect(writtenStatus()?.active?.map((job) => job.name)).toEqual([earlier, name]);
  });

  test("Forbid starts none, and records an Event", async () => {
    running("Forbid");
    await scene.sync(key);
    expect(calls()).toEqual([]);
    expect(eventTexts()).toEqual([
      "Normal JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid",
    ]);
    expect(scene.requeues).toHaveLength(1);
  });

  test("Replace deletes the other one first", async () => {
    running("Replace");
    await scene.sync(key);
    expect(calls()).toEqual([
      `get Job ${earlier}`,
      `delete Job ${earlier}`,
      `create Job ${name}`,
      "updateStatus CronJob nightly",
    ]);
    expect(eventTexts()).toEqual([
      `Normal SuccessfulDelete: Deleted job ${earlier}`,
      `Normal SuccessfulCreate: Created job ${name}`,
    ]);
    expect(writtenStatus()?.active?.map((job) => job.name)).toEqual([name]);
  });

  test("Replace starts none if the other one cannot be deleted or read", async () => {
    running("Replace");
    scene.refuse = ({ verb }) => (verb === "delete" ? refusal(500, "InternalError", "no") : undefined);
    expect(await rejection(scene.sync(key))).toMatchObject({ message: `could not replace job shop/${earlier}` });
    expect(eventTexts()).toEqual(["Warning FailedDelete: Deleted job: no"]);
    scene.refuse = ({ verb }) => (verb === "get" ? refusal(500, "InternalError", "no") : undefined);
    expect(await rejection(scene.sync(key))).toMatchObject({ code: 500 });
    expect(eventTexts()).toEqual(["Warning FailedGet: Get job: no"]);
  });
});

describe("a CronJob that starts nothing", () => {
  const rows: readonly { says: string; spec: object; meta?: object; events?: readonly string[]; sentence: string }[] = [
    { says: "is suspended", spec: { suspend: true }, sentence: "it is suspended → no Job is started" },
    {
      says: "is being deleted",
      spec: {},
      meta: { deletionTimestamp: minutesAgo(0) },
      sentence: "it is being deleted → no Job is started",
    },
    {
      says: "has an unknown time zone",
      spec: { timeZone: "Mars/Base" },
      events: ['Warning UnknownTimeZone: invalid timeZone: "Mars/Base": unknown time zone Mars/Base'],
      sentence: "its time zone Mars/Base is unknown → no Job is started",
    },
    {
      says: "has an invalid schedule",
      spec: { schedule: "61 * * * *" },
      events: [
        'Warning UnparseableSchedule: unparseable schedule: "61 * * * *" : end of range (61) above maximum (59): 61',
      ],
      sentence: "its schedule cannot be read: end of range (61) above maximum (59): 61 → no Job is started",
    },
    {
      says: "has a schedule that is never due",
      spec: { schedule: "0 0 30 2 *" },
      events: [
        "Warning InvalidSchedule: invalid schedule: 0 0 30 2 * : time difference between two schedules is less than 1 second",
      ],
      sentence: "the schedule is never due → no Job is started",
    },
  ];
  for (const { says, spec, meta, events = [], sentence } of rows) {
    test(`${says}, and is not synced again before it changes`, async () => {
      scene.put(CronJobs, cronJobOf({ spec, ...(meta !== undefined && { meta }) }));
      await scene.sync(key);
      expect([calls(), eventTexts(), decided()]).toEqual([[], [...events], [sentence]]);
      expect(scene.requeues).toEqual([]);
    });
  }

  test("waits for its first run", async () => {
    scene.put(CronJobs, cronJobOf({ spec: { schedule: "30 11 * * *", timeZone: "Europe/Berlin" } }));
    await scene.sync(key);
    expect(calls()).toEqual([]);
    expect(scene.requeues).toMatchObject([{ ms: 30 * 60_000 + 100 }]);
  });

  test("gets a warning about a zone in its schedule, which is used all the same", async () => {
    scene.put(CronJobs, cronJobOf({ spec: { schedule: "TZ=Europe/Berlin 0 11 * * *" } }));
    await scene.sync(key);
    expect(eventTexts()[0]).toStartWith(
      'Warning UnsupportedSchedule: CRON_TZ or TZ used in schedule "TZ=Europe/Berlin 0 11 * * *" is not officially supported, see https://',
    );
    expect(calls()[0]).toBe(`create Job ${name}`);
  });

  test("is deleted", async () => {
    await scene.sync(key);
    expect([calls(), decided()]).toEqual([[], []]);
  });
});

describe("the list of active Jobs", () => {
  const waiting = { schedule: "30 * * * *" };
  const put = (status: CronJob["status"]): void =>
    scene.put(CronJobs, cronJobOf({ spec: waiting, status: { lastScheduleTime: minutesAgo(30), ...status } }));

  test("drops a Job that has finished; its success is dated", async () => {
    put({ active: [activeOf("a"), activeOf("b")] });
    scene.put(Jobs, jobOf("a", { ended: "Complete", startedMinutesAgo: 20, completedMinutesAgo: 10 }), jobOf("b"));
    await scene.sync(key);
    expect(writtenStatus()?.active?.map((job) => job.name)).toEqual(["b"]);
    expect(writtenStatus()?.lastSuccessfulTime).toBe(minutesAgo(10));
    expect(eventTexts()).toEqual(["Normal SawCompletedJob: Saw completed job: a, condition: Complete"]);
  });

  test("drops one that has failed, which dates no success", async () => {
    put({ active: [activeOf("a")] });
    scene.put(Jobs, jobOf("a", { ended: "Failed", startedMinutesAgo: 20 }));
    await scene.sync(key);
    expect(writtenStatus()).toEqual({ lastScheduleTime: minutesAgo(30) });
    expect(eventTexts()).toEqual(["Normal SawCompletedJob: Saw completed job: a, condition: Failed"]);
  });

  const successes = [
    { says: "a later success", before: 40, completed: 10, after: 10 },
    { says: "an earlier one", before: 5, completed: 10, after: undefined },
  ];
  for (const { says, before, completed, after } of successes) {
    test(`with ${says} is written: ${after === undefined ? "not" : "with its time"}`, async () => {
      put({ lastSuccessfulTime: minutesAgo(before) });
      scene.put(Jobs, jobOf("a", { ended: "Complete", startedMinutesAgo: 20, completedMinutesAgo: completed }));
      await scene.sync(key);
      expect(writtenStatus()?.lastSuccessfulTime).toBe(after === undefined ? undefined : minutesAgo(after));
    });
  }

  test("drops a deleted Job, but not one that only the cache lacks", async () => {
    put({ active: [activeOf("gone"), activeOf("live")] });
    scene.putLive(Jobs, jobOf("live"));
    await scene.sync(key);
    expect(calls()).toEqual(["get Job gone", "get Job live", "updateStatus CronJob nightly"]);
    expect(eventTexts()).toEqual(["Normal MissingJob: Active job went missing: gone"]);
    expect(writtenStatus()?.active?.map((job) => job.name)).toEqual(["live"]);
  });

  test("is unknown without the server", async () => {
    put({ active: [activeOf("gone")] });
    scene.refuse = ({ verb }) => (verb === "get" ? refusal(500, "InternalError", "no") : undefined);
    expect(await rejection(scene.sync(key))).toMatchObject({ code: 500 });
    expect(eventTexts()).toEqual([]);
  });

  test("does not adopt a running Job that is not in status.active, and warns of it", async () => {
    put({});
    scene.put(Jobs, jobOf("stranger"));
    await scene.sync(key);
    expect(calls()).toEqual(["get CronJob nightly"]);
    expect(eventTexts()).toEqual([
      "Warning UnexpectedJob: Saw a job that the controller did not create or forgot: stranger",
    ]);
  });

  test("is that of the server if the cache is behind", async () => {
    put({});
    scene.putLive(
      CronJobs,
      cronJobOf({ spec: waiting, status: { active: [activeOf("mine")], lastScheduleTime: minutesAgo(30) } }),
    );
    scene.put(Jobs, jobOf("mine"));
    await scene.sync(key);
    expect([calls(), eventTexts()]).toEqual([["get CronJob nightly"], []]);
  });

  test("ignores Jobs of other controllers, and handles those of a previous CronJob of its name", async () => {
    put({});
    scene.put(Jobs, jobOf("other", { owner: cronJobOf({ meta: { name: "hourly" } }) }));
    scene.put(Jobs, jobOf("old", { owner: cronJobOf({ meta: { uid: "uid-before" } }) }));
    await scene.sync(key);
    expect(eventTexts().map((text) => text.split(": ").at(-1))).toEqual(["old"]);
  });
});

describe("the history", () => {
  const ended = (job: string, type: "Complete" | "Failed", startedMinutesAgo?: number): ReturnType<typeof jobOf> =>
    jobOf(job, { ended: type, ...(startedMinutesAgo !== undefined && { startedMinutesAgo }) });
  const jobs = [
    ended("c2", "Complete", 20),
    ended("c5", "Complete", 50),
    ended("never", "Complete"),
    ended("c4", "Complete", 40),
    ended("f3b", "Failed", 30),
    ended("f3a", "Failed", 30),
    jobOf("runs"),
  ];
  const beyond = (successfulJobsHistoryLimit?: number, failedJobsHistoryLimit?: number): string =>
    jobsBeyondHistory(cronJobOf({ spec: { successfulJobsHistoryLimit, failedJobsHistoryLimit } }), jobs)
      .map(({ metadata }) => metadata.name)
      .join();

  test("keeps the latest successful ones, and the latest failed ones", () => {
    expect(beyond(2, 1)).toBe("c5,c4,f3a");
    expect(beyond(0, 0)).toBe("c5,c4,c2,never,f3a,f3b");
    expect(beyond(9, 9)).toBe("");
    expect(beyond(undefined, 0)).toBe("f3a,f3b");
    expect(beyond()).toBe("");
  });

  test("is trimmed first; a Job that cannot be deleted stays", async () => {
    const spec = { schedule: "30 * * * *", successfulJobsHistoryLimit: 0 };
    scene.put(
      CronJobs,
      cronJobOf({
        spec,
        status: { lastScheduleTime: minutesAgo(30), lastSuccessfulTime: minutesAgo(1), active: [activeOf("a")] },
      }),
    );
    scene.put(Jobs, ended("a", "Complete", 20), ended("b", "Complete", 10));
    scene.refuse = ({ verb, name: of }) =>
      verb === "delete" && of === "b" ? refusal(500, "InternalError", "no") : undefined;
    await scene.sync(key);
    expect(calls()).toEqual(["delete Job a", "delete Job b", "updateStatus CronJob nightly"]);
    expect(eventTexts()).toEqual(["Normal SuccessfulDelete: Deleted job a", "Warning FailedDelete: Deleted job: no"]);
    expect(writtenStatus()?.active).toBeUndefined();
  });
});

describe("the Job of a run", () => {
  test("is named by the minutes since 1970, and has its time in the zone of the CronJob", () => {
    const template = { labels: { app: "x" }, annotations: { note: "1" } };
    const made = jobFromTemplate(cronJobOf({ spec: { timeZone: "America/St_Johns" }, template }), sceneStart);
    expect(jobName(cronJobOf(), sceneStart + 59_999)).toBe(name);
    expect(made.metadata.name).toBe(name);
    // The template of `cronJobOf` with metadata: `spec` above does not replace any part of it.
    expect(made.metadata).toMatchObject({
      namespace: "shop",
      creationTimestamp: "2026-11-21T10:00:00Z",
      labels: { app: "x" },
      annotations: { note: "1", "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-11-21T06:30:00-03:30" },
      ownerReferences: [{ kind: "CronJob", name: "nightly", controller: true, blockOwnerDeletion: true }],
    });
    expect(made.spec?.template.spec).toMatchObject({ restartPolicy: "Never" });
    const plain = jobFromTemplate(cronJobOf(), sceneStart);
    expect(plain.metadata).not.toHaveProperty("labels");
    expect(plain.metadata.annotations).toEqual({
      "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-11-21T10:00:00Z",
    });
  });
});

describe("a notification", () => {
  const changed = (spec: object): CronJob => cronJobOf({ spec, meta: { resourceVersion: "11" } });
  beforeEach(() => {
    scene.put(CronJobs, cronJobOf());
  });
  const woken = (): string[] => [
    ...scene.woken.map((of) => `${of} now`),
    ...scene.wokenLater.map(({ ms }) => `in ${ms} ms`),
  ];

  test("of a new, deleted or changed CronJob leads to a sync at once", () => {
    scene.notify(CronJobs, { type: "added", object: cronJobOf(), initial: false });
    scene.notify(CronJobs, { type: "updated", before: cronJobOf(), object: changed({ suspend: true }) });
    scene.notify(CronJobs, { type: "deleted", object: cronJobOf(), tombstone: false });
    expect(woken()).toEqual([`${key} now`, `${key} now`, `${key} now`]);
  });

  test("of a changed schedule or zone leads to one when the next run is due", () => {
    scene.notify(CronJobs, { type: "updated", before: cronJobOf(), object: changed({ schedule: "15 * * * *" }) });
    scene.notify(CronJobs, { type: "updated", before: cronJobOf(), object: changed({ timeZone: "Asia/Kathmandu" }) });
    // It is 10:00 UTC: both minute 15 and the next full hour in Kathmandu (UTC+5:45) are at 10:15 UTC.
    expect(woken()).toEqual([`in ${15 * 60_000 + 100} ms`, `in ${15 * 60_000 + 100} ms`]);
  });

  test("of an invalid schedule leads to an Event", () => {
    scene.notify(CronJobs, { type: "updated", before: cronJobOf(), object: changed({ schedule: "x" }) });
    expect(woken()).toEqual([]);
    expect(eventTexts()).toEqual(["Warning UnParseableCronJobSchedule: unparseable schedule for cronjob: x"]);
  });

  test("of a Job leads to a sync of its CronJob", () => {
    const job = jobOf("a");
    scene.notify(Jobs, { type: "added", object: job, initial: false });
    scene.notify(Jobs, {
      type: "updated",
      before: job,
      object: { ...job, metadata: { ...job.metadata, resourceVersion: "11" } },
    });
    scene.notify(Jobs, { type: "deleted", object: job, tombstone: false });
    scene.notify(Jobs, { type: "updated", before: job, object: job });
    expect(woken()).toEqual([`${key} now`, `${key} now`, `${key} now`]);
  });
});

describe("the definition", () => {
  test("has upstream's names and no more than the permissions of upstream's role", () => {
    expect(cronjob).toMatchObject({
      name: "cronjob",
      aliases: ["cj", "cronjob-controller"],
      component: "cronjob-controller",
      workers: 5,
    });
    const requested = cronjob.permissions.map(({ resource, verbs }) => `${verbs.join(",")} ${resource}`);
    expect(requested).toEqual([
      "get cronjobs",
      "update cronjobs/status",
      "update cronjobs/finalizers",
      "get,create,delete jobs",
    ]);
    for (const rule of cronjob.rules) {
      expect(rule.chooses).toEndWith(".");
      expect(rule.source).toContain(".go ");
      expect(rule.sentence(rule.example ?? {})).not.toMatch(/undefined|NaN|object/);
    }
  });
});

test.each([
  ["is suspended", cronJobOf({ spec: { suspend: true } }), { keepsFailures: true }],
  ["is being deleted", cronJobOf({ meta: { deletionTimestamp: formatTime(sceneStart) } }), { keepsFailures: true }],
  ["has an unknown time zone", cronJobOf({ spec: { timeZone: "Mars/Base" } }), { keepsFailures: true }],
  ["has a schedule that cannot be read", cronJobOf({ spec: { schedule: "x" } }), { keepsFailures: true }],
  ["is gone", undefined, { keepsFailures: true }],
  ["runs", cronJobOf(), {}],
] as const)("a sync of a CronJob that %s resets its back-off only if it requeues", async (_, object, result) => {
  if (object !== undefined) scene.put(CronJobs, object);
  expect(await cronjob.sync(key, scene.context(key))).toEqual(result);
});
