/** Times on the wire. Pure: nothing here reads the clock. */

/**
 * Milliseconds since 1970 of an RFC 3339 time.
 * @throws RangeError for any other string.
 */
export function parseTime(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new RangeError(`Cannot read the time ${JSON.stringify(text)}: it is not RFC 3339`);
  return ms;
}

/** Like `parseTime`; undefined for an absent or invalid time, as other controllers may write. */
export function readTime(text: string | undefined): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Midnight UTC of a date, `2026-11-21`; undefined for an invalid date. Source: Go time.Parse of `2006-01-02`. */
export function readDay(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const ms = readTime(`${text}T00:00:00Z`);
  // Some engines read February 30 as March 2.
  return ms !== undefined && formatDay(ms) === text ? ms : undefined;
}

/** The date in UTC: `2026-11-21`. */
export function formatDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const rfc3339 = /^(\d{4}-\d\d-\d\d)T((?:[01]?\d|2[0-3])(?::[0-5]\d){2})(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/;

/**
 * A time written by a user, parsed as in Go: undefined for anything but a complete RFC 3339 time. Source: Go time.Parse of time.RFC3339.
 */
export function readStrictTime(text: string): number | undefined {
  const [, day = "", clock = "", fraction = "", zone = ""] = rfc3339.exec(text) ?? [];
  return readDay(day) === undefined
    ? undefined
    : readTime(`${day}T${clock.padStart(8, "0")}.${fraction.padEnd(3, "0").slice(0, 3)}${zone}`);
}

/** The last formatted time: most are formatted many times within their second. */
let last = { seconds: NaN, text: "" };

/** `metav1.Time`: whole seconds, UTC: `2026-11-21T10:41:07Z`. */
export function formatTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds !== last.seconds) last = { seconds, text: `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z` };
  return last.text;
}

/** `metav1.MicroTime`: six decimals, UTC: `2026-11-21T10:41:07.212000Z`. */
export function formatMicroTime(ms: number): string {
  const micros = Math.floor((ms - Math.floor(ms)) * 1000);
  return `${new Date(Math.floor(ms)).toISOString().slice(0, 23)}${String(micros).padStart(3, "0")}Z`;
}

/** As in the header Expires of Go's server: RFC 1123, `Mon, 22 Nov 2027 06:00:55 UTC`. */
export function formatExpires(ms: number): string {
  return new Date(ms).toUTCString().replace("GMT", "UTC");
}

/** A date and a time of day, in some time zone. */
export interface CalendarTime {
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

/** The UTC date and time of a moment in ms since 1970. */
export function utcTime(ms: number): CalendarTime {
  const date = new Date(ms);
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

/** The moment of a UTC date and time, in ms since 1970. Months and days may exceed their range: January 32 is February 1. */
export function utcMoment({ year, month, day, hour, minute, second }: Omit<CalendarTime, "dayOfWeek">): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** The hour, minute, second and millisecond of the local time zone: `10:41:07.212`. */
export function formatLocalClock(ms: number): string {
  const d = new Date(ms);
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}.${String(d.getMilliseconds()).padStart(3, "0")}`;
}
