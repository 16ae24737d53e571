/** Time zones: the local time at a moment, and the moment of a local time. */

import { type CalendarTime, formatTime, utcMoment, utcTime } from "../time.ts";

/** A time whose month and day may exceed their range, as in Go: January 32 is February 1. */
export type LooseTime = Omit<CalendarTime, "dayOfWeek">;

/** A time zone. Moments are in ms since 1970, whole seconds. */
export interface TimeZone {
  /** How far its clocks are ahead of UTC, in ms. */
  offsetAt(moment: number): number;
  wallTimeAt(moment: number): CalendarTime;
  /**
   * When the clocks show the time. For a skipped or repeated time, one of the two offsets is used, as in Go.
   * Source: Go time.Date.
   */
  momentOf(time: LooseTime): number;
}

/** True if a time zone of this name is known. */
export function isTimeZone(name: string): boolean {
  try {
    return formatOf(name).resolvedOptions().timeZone !== "";
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** @throws RangeError for an unknown zone. */
function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset", year: "numeric" });
    formats.set(zone, format);
  }
  return format;
}

/** Since 1972, no zone has changed its offset within such a span. */
const granuleMs = 900_000;

/** A time zone by its IANA name. @throws RangeError for an unknown one. */
export function timeZone(name: string): TimeZone {
  const format = formatOf(name);
  let last = { granule: NaN, offset: 0 };
  const offsetAt = (moment: number): number => {
    const granule = Math.floor(moment / granuleMs);
    if (granule !== last.granule) last = { granule, offset: offsetIn(format.format(granule * granuleMs)) };
    return last.offset;
  };
  return {
    offsetAt,
    wallTimeAt: (moment) => utcTime(moment + offsetAt(moment)),
    momentOf(time) {
      const shown = utcMoment(time);
      const first = offsetAt(shown);
      const moment = shown - first;
      const offset = offsetAt(moment);
      return offset === first ? moment : shown - offset;
    },
  };
}

/** RFC 3339 in whole seconds, in the time zone: `2026-07-01T08:00:00+02:00`, with `Z` if its offset is 0. */
export function formatInZone(moment: number, zone: string): string {
  const offset = timeZone(zone).offsetAt(moment);
  const shown = formatTime(moment + offset).slice(0, 19);
  if (offset === 0) return `${shown}Z`;
  const minutes = Math.abs(Math.trunc(offset / 60_000));
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${shown}${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Of `1/1/2026, GMT+05:30`, in ms. */
function offsetIn(text: string): number {
  const match = /GMT([+-])(\d+):(\d+)(?::(\d+))?/.exec(text);
  if (match === null) return 0;
  const [, sign, hours, minutes, seconds = "0"] = match;
  const ms = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return sign === "-" ? -ms : ms;
}
