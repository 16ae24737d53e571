/** Time zones: what the clock shows at a moment, and at which moment it shows a time. */

/** What the clocks of a time zone show. */
export interface WallTime {
  readonly year: number;
  /** 1 is January. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** 0 is Sunday. */
  readonly dayOfWeek: number;
}

/** A time whose month and day may lie beyond their ends, as Go takes them: January 32 is February 1. */
export type LooseTime = Omit<WallTime, "dayOfWeek">;

/** A time zone. Moments are in ms since 1970, whole seconds. */
export interface TimeZone {
  /** How far its clocks are ahead of UTC, in ms. */
  offsetAt(moment: number): number;
  wallTimeAt(moment: number): WallTime;
  /**
   * When the clocks show the time. A time that they skip, or show twice, is taken by one of the two offsets, as Go does.
   * Source: Go time.Date.
   */
  momentOf(time: LooseTime): number;
}

/** True if a time zone of this name is known here. */
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

/** No zone has changed its offset in between since 1972. */
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
    wallTimeAt: (moment) => wallTime(moment + offsetAt(moment)),
    momentOf({ year, month, day, hour, minute, second }) {
      const shown = Date.UTC(year, month - 1, day, hour, minute, second);
      const first = offsetAt(shown);
      const moment = shown - first;
      const offset = offsetAt(moment);
      return offset === first ? moment : shown - offset;
    },
  };
}

/** Of `1/1/2026, GMT+05:30`, in ms. */
function offsetIn(text: string): number {
  const match = /GMT([+-])(\d+):(\d+)(?::(\d+))?/.exec(text);
  if (match === null) return 0;
  const [, sign, hours, minutes, seconds = "0"] = match;
  const ms = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return sign === "-" ? -ms : ms;
}

function wallTime(shown: number): WallTime {
  const date = new Date(shown);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    dayOfWeek: date.getUTCDay(),
  };
}
