/**
 * When a schedule is due next, treating clock changes as robfig/cron does: a skipped time is due after the change or not at all, a repeated
 * one may be due twice.
 * Source: robfig/cron v3.0.1 spec.go SpecSchedule.Next, constantdelay.go ConstantDelaySchedule.Next; differs: the search always ends.
 */
import type { CronSchedule } from "./schedule.ts";
import type { CalendarTime } from "../time.ts";
import { type LooseTime, timeZone, type TimeZone } from "./time-zone.ts";

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const midnight = { hour: 0, minute: 0, second: 0 };
/** How far ahead a schedule is searched. */
const mostYears = 5;

type Fields = CronSchedule & { readonly is: "fields" };

/** Where the search starts, and the zone of the schedule's fields, unless it names one itself. */
export interface NextOptions {
  /** Milliseconds since 1970. */
  readonly after: number;
  /** An IANA name; default UTC. */
  readonly timeZone?: string;
}

/** The first time after `after`, in ms since 1970; undefined if there is none within five years, as for February 30. */
export function nextTime(schedule: CronSchedule, { after, timeZone: zone = "UTC" }: NextOptions): number | undefined {
  const secondsBegun = Math.floor(after / secondMs) * secondMs;
  if (schedule.is === "every") return secondsBegun + schedule.everyMs;
  return new Search(schedule, timeZone(schedule.timeZone ?? zone)).after(secondsBegun + secondMs);
}

/** Goes from field to field, from the month down; an overflow starts again with the month. */
class Search {
  readonly #schedule: Fields;
  readonly #zone: TimeZone;
  #moment = 0;
  /** Whether a field was advanced: then those below it are at their minimum. */
  #isMoved = false;

  constructor(schedule: Fields, zone: TimeZone) {
    this.#schedule = schedule;
    this.#zone = zone;
  }

  after(moment: number): number | undefined {
    this.#moment = moment;
    const lastYear = this.#wall.year + mostYears;
    while (this.#wall.year <= lastYear) {
      if (this.#findMonth() && this.#findDay() && this.#findHour() && this.#findMinute() && this.#findSecond()) {
        return this.#moment;
      }
    }
    return undefined;
  }

  get #wall(): CalendarTime {
    return this.#zone.wallTimeAt(this.#moment);
  }

  /** At the first advance, the fields below are reset to their minimum. */
  #begin(beginning: LooseTime): void {
    if (this.#isMoved) return;
    this.#isMoved = true;
    this.#moment = this.#zone.momentOf(beginning);
  }

  /** False if the year is over; likewise for the other methods. */
  #findMonth(): boolean {
    for (let wall = this.#wall; !this.#schedule.month.values.has(wall.month); wall = this.#wall) {
      this.#begin({ ...wall, day: 1, ...midnight });
      const begun = this.#wall;
      this.#moment = this.#zone.momentOf({ ...begun, month: begun.month + 1 });
      if (this.#wall.month === 1) return false;
    }
    return true;
  }

  #findDay(): boolean {
    while (!this.#isDay(this.#wall)) {
      this.#begin({ ...this.#wall, ...midnight });
      const [begun, wall] = [this.#moment, this.#wall];
      this.#moment = this.#zone.momentOf({ ...wall, day: wall.day + 1 });
      // If clocks skip midnight.
      const shown = this.#wall.hour;
      if (shown !== 0) this.#moment += (shown > 12 ? 24 - shown : -shown) * hourMs;
      // If they skip a whole day, robfig/cron goes back to the day before, forever.
      if (this.#moment <= begun) this.#moment = begun + 24 * hourMs;
      if (this.#wall.day === 1) return false;
    }
    return true;
  }

  /** Both fields must match, unless neither is `*`: then either is enough. */
  #isDay({ day, dayOfWeek }: CalendarTime): boolean {
    const { dayOfMonth, dayOfWeek: weekday } = this.#schedule;
    const [ofMonth, ofWeek] = [dayOfMonth.values.has(day), weekday.values.has(dayOfWeek)];
    return dayOfMonth.isStar || weekday.isStar ? ofMonth && ofWeek : ofMonth || ofWeek;
  }

  #findHour(): boolean {
    while (!this.#schedule.hour.values.has(this.#wall.hour)) {
      this.#begin({ ...this.#wall, minute: 0, second: 0 });
      this.#moment += hourMs;
      if (this.#wall.hour === 0) return false;
    }
    return true;
  }

  #findMinute(): boolean {
    while (!this.#schedule.minute.values.has(this.#wall.minute)) {
      // Minutes are the same in all time zones.
      if (!this.#isMoved) this.#moment = Math.floor(this.#moment / minuteMs) * minuteMs;
      this.#isMoved = true;
      this.#moment += minuteMs;
      if (this.#wall.minute === 0) return false;
    }
    return true;
  }

  /** Schedules with five fields are due at second 0. */
  #findSecond(): boolean {
    while (this.#wall.second !== 0) {
      this.#isMoved = true;
      this.#moment += secondMs;
      if (this.#wall.second === 0) return false;
    }
    return true;
  }
}
