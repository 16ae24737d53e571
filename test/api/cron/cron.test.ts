import { describe, expect, test } from "bun:test";
import { parseGoDuration } from "../../../src/api/cron/go-duration.ts";
import { nextTime } from "../../../src/api/cron/next-time.ts";
import { CronError, parseCronSchedule } from "../../../src/api/cron/schedule.ts";
import { isTimeZone, timeZone } from "../../../src/api/cron/time-zone.ts";
import { formatTime } from "../../../src/api/time.ts";
import golden from "./golden.json";

interface Golden {
  readonly schedule: string;
  readonly zone?: string;
  readonly after?: string;
  readonly next?: readonly string[];
  readonly error?: string;
  readonly hangs?: boolean;
}

/** Written by `scripts/cron/extract.ts` with robfig/cron itself. */
const schedules: readonly Golden[] = golden;

function problemOf(schedule: string): string | undefined {
  try {
    parseCronSchedule(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof CronError) return error.message;
    throw error;
  }
}

function fiveTimes({ schedule, zone, after = "" }: Golden): string[] {
  const parsed = parseCronSchedule(schedule);
  const times: string[] = [];
  let last: number | undefined = Date.parse(after);
  while (times.length < 5) {
    last = nextTime(parsed, { after: last, ...(zone !== undefined && { timeZone: zone }) });
    if (last === undefined) break;
    times.push(formatTime(last));
  }
  return times;
}

describe("a schedule is parsed as by robfig/cron", () => {
  const refused = schedules.filter(({ error, zone }) => error !== undefined && zone === undefined);
  const read = schedules.filter(({ error }) => error === undefined);

  test("is refused if robfig/cron refuses it, with the same message", () => {
    expect(refused.length).toBeGreaterThan(60);
    for (const { schedule, error } of refused) {
      expect({ schedule, error: problemOf(schedule) }).toEqual({ schedule, error });
    }
  });

  test("is due at the same times, across clock changes", () => {
    const going = read.filter(({ hangs }) => hangs !== true);
    expect(going.length).toBeGreaterThan(950);
    for (const one of going) {
      const { schedule, zone, after } = one;
      expect({ schedule, zone, after, next: fiveTimes(one) }).toEqual({
        schedule,
        zone,
        after,
        next: [...(one.next ?? [])],
      });
    }
  });

  test("is found where robfig/cron searches forever, as across the day that Samoa skipped", () => {
    const endless = read.filter(({ hangs }) => hangs === true);
    expect(endless.map(({ schedule, zone }) => `${schedule} ${zone}`)).toEqual([
      "0 0 * * 0 Pacific/Apia",
      "0 3 1 * * Pacific/Apia",
      "0 0 30 12 * Pacific/Apia",
    ]);
    expect(endless.map((one) => fiveTimes(one)[0])).toEqual([
      "2011-12-31T10:00:00Z",
      "2011-12-31T13:00:00Z",
      "2012-12-29T10:00:00Z",
    ]);
  });
});

describe("Go durations", () => {
  const rows = [
    { text: "1h30m", ms: 5_400_000 },
    { text: "1.5s", ms: 1500 },
    { text: "-2ms", ms: -2 },
    { text: "+.5h", ms: 1_800_000 },
    { text: "5.s", ms: 5000 },
    { text: "0", ms: 0 },
    { text: "3us", ms: 0.003 },
  ];
  for (const { text, ms } of rows) test(`${text} is ${ms} ms`, () => expect(parseGoDuration(text)).toBeCloseTo(ms, 9));

  const wrong = [
    { text: "", says: 'time: invalid duration ""' },
    { text: "5", says: 'time: missing unit in duration "5"' },
    { text: "1d", says: 'time: unknown unit "d" in duration "1d"' },
    { text: ".s", says: 'time: invalid duration ".s"' },
    { text: "9999999h", says: 'time: invalid duration "9999999h"' },
  ];
  for (const { text, says } of wrong)
    test(`"${text}" is invalid`, () => expect(() => parseGoDuration(text)).toThrow(says));
});

describe("a time zone", () => {
  test("is found by its name", () => {
    expect(["UTC", "Europe/Berlin", "Mars/Base", ""].map(isTimeZone)).toEqual([true, true, false, false]);
  });

  const berlin = timeZone("Europe/Berlin");
  test("shows times at its offsets", () => {
    expect(berlin.offsetAt(Date.UTC(2026, 0, 1))).toBe(3_600_000);
    expect(berlin.offsetAt(Date.UTC(2026, 6, 1))).toBe(7_200_000);
    const shown = berlin.wallTimeAt(Date.UTC(2026, 6, 1, 22, 30, 5));
    expect(shown).toEqual({ year: 2026, month: 7, day: 2, hour: 0, minute: 30, second: 5, dayOfWeek: 4 });
    expect(timeZone("Asia/Kathmandu").offsetAt(0)).toBe(5.5 * 3_600_000);
  });

  test("finds the instant of a local time, also past the end of its month", () => {
    const midnight = { hour: 0, minute: 0, second: 0 };
    expect(berlin.momentOf({ year: 2026, month: 1, day: 32, ...midnight })).toBe(Date.UTC(2026, 0, 31, 23));
    expect(berlin.momentOf({ year: 2026, month: 13, day: 1, ...midnight })).toBe(Date.UTC(2026, 11, 31, 23));
  });
});
