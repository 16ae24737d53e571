/**
 * CronJobs that run for a year, and the events during it. There are three time zones with daylight saving: two change by an hour in March
 * and back in autumn, on different days in Europe and America; Lord Howe Island changes by half an hour, in the opposite order. The year
 * contains a February 29.
 */

/** All times are in seconds since 1970. */
export interface YearPlan {
  readonly name: string;
  readonly schedule: string;
  readonly timeZone: string;
  readonly policy: "Allow" | "Forbid" | "Replace";
  /** `spec.startingDeadlineSeconds` */
  readonly deadline?: number;
  /** Durations of the Jobs in order, repeated cyclically. */
  readonly seconds: readonly number[];
  /** Suspended at the first time and resumed at the second. */
  readonly suspended?: readonly [number, number];
}

export type PeriodName = "spring" | "autumn" | "year";

export interface Period {
  readonly start: number;
  readonly end: number;
  readonly plans: readonly YearPlan[];
}

const at = (text: string): number => Date.parse(text) / 1000;

const zones = [
  { place: "berlin", timeZone: "Europe/Berlin" },
  { place: "new-york", timeZone: "America/New_York" },
  { place: "lord-howe", timeZone: "Australia/Lord_Howe" },
];

const schedules: readonly Omit<YearPlan, "timeZone">[] = [
  // Clocks change on Sundays; the hour is skipped in spring and repeated in autumn.
  { name: "in-the-gap", schedule: "15,45 2 * 3,4,9,10,11 0", policy: "Allow", seconds: [95] },
  { name: "around-the-gap", schedule: "*/20 1-3 * 3,4,9,10,11 0", policy: "Allow", seconds: [700, 1900] },
  { name: "long-jobs", schedule: "30 */6 * * 0", policy: "Forbid", seconds: [3601, 30_017, 7203] },
  { name: "replaced", schedule: "0 0,1,2,12 * 3,4,9,10,11 0", policy: "Replace", seconds: [1805, 5401] },
  // Suspended while the clocks change, and resumed too late for the last run.
  {
    name: "away",
    schedule: "30 1 * * *",
    policy: "Allow",
    deadline: 7200,
    seconds: [301],
    suspended: [at("2027-10-01T12:00:00Z"), at("2027-11-08T06:20:00Z")],
  },
  { name: "rare", schedule: "0 3 29,31 * *", policy: "Allow", seconds: [11] },
];

const plans: readonly YearPlan[] = [
  ...zones.flatMap(({ place, timeZone }) =>
    schedules.map((plan) => ({ ...plan, name: `${plan.name}-${place}`, timeZone })),
  ),
  // An interval does not depend on the time zone.
  { name: "by-interval", schedule: "@every 29h17m", timeZone: "Europe/Berlin", policy: "Allow", seconds: [61] },
];

/** The whole year, and the weeks around the clock changes. */
export const periods: Readonly<Record<PeriodName, Period>> = {
  spring: { start: at("2027-03-10T00:00:00Z"), end: at("2027-04-06T00:00:00Z"), plans },
  autumn: { start: at("2027-09-29T00:00:00Z"), end: at("2027-11-10T00:00:00Z"), plans },
  year: { start: at("2027-03-01T00:00:00Z"), end: at("2028-03-01T00:00:00Z"), plans },
};
