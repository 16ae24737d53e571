import { describe, expect, test } from "bun:test";
import { formatTime } from "../../../src/api/time.ts";
import type { CronJob } from "../../../src/api/types.ts";
import {
  missedRuns,
  nextRunInMs,
  readTimetable,
  type Timetable,
  timetableOf,
} from "../../../src/controllers/cronjob/schedule.ts";
import { cronJobOf } from "./objects.ts";

const at = (text: string): number => Date.parse(`2026-01-${text}Z`);

interface Case {
  readonly schedule?: string;
  /** The creation time; midnight on the 1st by default. */
  readonly created?: string;
  readonly last?: string;
  readonly deadline?: number;
  readonly now: string;
}

function cronJob({ schedule = "0 * * * *", created = "01T00:00:00", last, deadline }: Case): CronJob {
  return cronJobOf({
    spec: { schedule, ...(deadline !== undefined && { startingDeadlineSeconds: deadline }) },
    meta: { creationTimestamp: formatTime(at(created)) },
    status: last === undefined ? {} : { lastScheduleTime: formatTime(at(last)) },
  });
}

function missed(of: Case, withinDeadline = true): string {
  const job = cronJob(of);
  const found = missedRuns(job, { timetable: timetableOf(job), now: at(of.now), withinDeadline });
  if (found.is === "never") return `never: ${found.problem}`;
  return `${found.mostRecent === undefined ? "none due" : formatTime(found.mostRecent).slice(8, 19)}, ${found.count} missed`;
}

describe("the run that is due", () => {
  const rows: readonly (Case & { readonly says: string; readonly is: string })[] = [
    { says: "is none before the first", now: "01T00:59:59", is: "none due, none missed" },
    { says: "is the first, at its time", now: "01T01:00:00", is: "01T01:00:00, none missed" },
    { says: "is the first until the second is due", now: "01T01:59:59", is: "01T01:00:00, none missed" },
    { says: "is the second, at its time", now: "01T02:00:00", is: "01T02:00:00, few missed" },
    {
      says: "is the latest of one per second",
      schedule: "@every 1s",
      now: "01T00:00:03.5",
      is: "01T00:00:03, few missed",
    },
    { says: "is the latest of several", now: "01T05:30:00", is: "01T05:00:00, few missed" },
    { says: "counts from the last one", last: "01T04:00:00", now: "01T04:30:00", is: "none due, none missed" },
    { says: "is the one after the last", last: "01T04:00:00", now: "01T05:00:00.5", is: "01T05:00:00, none missed" },
    { says: "is the latest, with a hundred missed", now: "05T04:59:00", is: "05T04:00:00, few missed" },
    { says: "is the latest, with more than a hundred missed", now: "05T05:00:00", is: "05T05:00:00, many missed" },
    { says: "is searched only within the deadline", deadline: 600, now: "05T05:30:00", is: "none due, none missed" },
    { says: "lies within the deadline", deadline: 3600, now: "05T05:30:00", is: "05T05:00:00, none missed" },
    {
      says: "follows an interval from the last one",
      schedule: "@every 7m",
      last: "01T00:01:10",
      now: "01T01:00:00",
      is: "01T00:57:10, few missed",
    },
    {
      says: "is found if runs are not evenly spaced",
      schedule: "30 6-16/4 * * 1-5",
      created: "07T00:00:00",
      now: "12T17:00:00",
      is: "12T14:30:00, few missed",
    },
    {
      says: "does not exist for a day that does not exist",
      schedule: "59 23 31 2 *",
      now: "05T00:00:00",
      is: "never: time difference between two schedules is less than 1 second",
    },
  ];
  for (const { says, is, ...of } of rows) test(says, () => expect(missed(of)).toBe(is));

  test("is searched before the deadline, too, to find the next one", () => {
    expect(missed({ deadline: 600, now: "05T05:30:00" }, false)).toBe("05T05:00:00, many missed");
  });
});

describe("the next run", () => {
  const inSeconds = (of: Case): number | undefined => {
    const job = cronJob(of);
    const ms = nextRunInMs(job, { timetable: timetableOf(job), now: at(of.now) });
    return ms === undefined ? undefined : ms / 1000;
  };
  const rows: readonly (Case & { readonly says: string; readonly seconds: number | undefined })[] = [
    { says: "is the first one", now: "01T00:20:00", seconds: 2400.1 },
    { says: "comes after one that is due", now: "01T01:00:10", seconds: 3590.1 },
    { says: "follows the last of the missed ones", now: "01T05:30:00", seconds: 1800.1 },
    { says: "comes after the last one", last: "01T04:00:00", now: "01T04:00:00.2", seconds: 3599.9 },
    {
      says: "of an interval counts from the last one",
      schedule: "@every 7m",
      last: "01T00:01:10",
      now: "01T00:02:00",
      seconds: 370.1,
    },
    {
      says: "is searched from now on, if the deadline leaves none",
      deadline: 60,
      now: "05T05:30:00",
      seconds: 1800.1,
    },
    {
      says: "does not exist for a day that does not exist",
      schedule: "0 0 30 2 *",
      now: "05T05:30:00",
      seconds: undefined,
    },
  ];
  for (const { says, seconds, ...of } of rows) test(says, () => expect(inSeconds(of)).toBe(seconds));
});

describe("the timetable", () => {
  const zoneOf = (spec: object): string | undefined => {
    const read = readTimetable(cronJobOf({ spec }));
    return "problem" in read ? read.problem : read.timeZone;
  };
  test("is in UTC without a zone, and with an unknown one", () => {
    expect(zoneOf({ schedule: "0 0 * * *" })).toBe("UTC");
    expect(zoneOf({ schedule: "0 0 * * *", timeZone: "Europe/Berlin" })).toBe("Europe/Berlin");
    expect(zoneOf({ schedule: "0 0 * * *", timeZone: "Mars/Base" })).toBe("UTC");
  });
  test("of a schedule with a zone uses that zone", () => {
    const read = readTimetable(cronJobOf({ spec: { schedule: "TZ=Asia/Tokyo 0 0 * * *", timeZone: "Europe/Berlin" } }));
    expect((read as Timetable).schedule).toMatchObject({ timeZone: "Asia/Tokyo" });
  });
  test("gives the reason if there is none", () =>
    expect(zoneOf({ schedule: "61 0 * * *" })).toContain("above maximum (59)"));
});
