/** Timestamps and durations as Go parses and prints them. Source: Go time/format.go, format_rfc3339.go, time.go. */
import { formatF } from "./go-numbers.ts";
import { Duration, Timestamp } from "./value.ts";

const daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

/** Days from 1970-01-01 to a day of the Gregorian calendar; months count from 1. */
function dayNumber(year: number, { month, day }: { readonly month: number; readonly day: number }): number {
  const before = year - 1;
  const leaps = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400) - 477;
  const inYear = (daysBefore[month - 1] ?? 0) + (month > 2 && isLeap(year) ? 1 : 0) + day - 1;
  return (year - 1970) * 365 + leaps + inYear;
}

/** The components of a timestamp in its zone. */
export interface Civil {
  readonly year: number;
  /** Counts from 1. */
  readonly month: number;
  /** Counts from 1. */
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** Counts from 1. */
  readonly dayOfYear: number;
  /** Counts from Sunday, which is 0. */
  readonly weekday: number;
}

/** The calendar date and time of day of a timestamp, `offset` seconds east of UTC. */
export function civilOf(seconds: number, offset: number): Civil {
  const local = seconds + offset;
  const days = Math.floor(local / 86_400);
  const inDay = local - days * 86_400;
  let year = 1970 + Math.floor(days / 365.2425);
  while (dayNumber(year, { month: 1, day: 1 }) > days) year--;
  while (dayNumber(year + 1, { month: 1, day: 1 }) <= days) year++;
  const dayOfYear = days - dayNumber(year, { month: 1, day: 1 }) + 1;
  let month = 12;
  while (dayNumber(year, { month, day: 1 }) > days) month--;
  return {
    year,
    month,
    day: days - dayNumber(year, { month, day: 1 }) + 1,
    hour: Math.floor(inDay / 3600),
    minute: Math.floor(inDay / 60) % 60,
    second: inDay % 60,
    dayOfYear,
    weekday: (((days + 4) % 7) + 7) % 7,
  };
}

const daysInMonth = (year: number, month: number): number =>
  month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(?:(Z)|([+-])(\d\d):(\d\d))$/;

/** Parses an RFC 3339 timestamp like Go's time.Parse; undefined for other strings. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const [zoneHours, zoneMinutes] = [Number(match[10] ?? 0), Number(match[11] ?? 0)];
  if (zoneHours > 24 || zoneMinutes > 60) return undefined;
  const offset = (zoneHours * 3600 + zoneMinutes * 60) * (match[9] === "-" ? -1 : 1);
  const seconds = dayNumber(year, { month, day }) * 86_400 + hour * 3600 + minute * 60 + second - offset;
  const nanos = Number((match[7] ?? "").slice(0, 9).padEnd(9, "0"));
  return new Timestamp(seconds, { nanos, offset });
}

/** Parses a date, `2006-01-02`, as midnight UTC at its start. */
export function parseDate(text: string): Timestamp | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? parseTimestamp(`${text}T00:00:00Z`) : undefined;
}

const padded = (value: number, length = 2): string => String(value).padStart(length, "0");

/** RFC 3339 in the timestamp's zone, with as many fractional digits as needed. */
export function formatTimestamp({ seconds, nanos, offset }: Timestamp): string {
  const { year, month, day, hour, minute, second } = civilOf(seconds, offset);
  const rest = nanos === 0 ? "" : `.${padded(nanos, 9).replace(/0+$/, "")}`;
  const east = Math.abs(offset);
  const zone =
    offset === 0
      ? "Z"
      : `${offset < 0 ? "-" : "+"}${padded(Math.floor(east / 3600))}:${padded(Math.floor(east / 60) % 60)}`;
  return `${padded(year, 4)}-${padded(month)}-${padded(day)}T${padded(hour)}:${padded(minute)}:${padded(second)}${rest}${zone}`;
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Parses `1h30m`, `-1.5s` like Go's time.ParseDuration; undefined for other strings. */
export function parseGoDuration(text: string): Duration | undefined {
  const [, sign = "", body = ""] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (body === "0") return new Duration(0n);
  if (!/^((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(body)) return undefined;
  let nanos = 0n;
  for (const [, whole = "", part = "", unit = ""] of body.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g)) {
    const scale = units[unit] ?? 1n;
    nanos += BigInt(whole === "" ? 0 : whole) * scale;
    const digits = part.slice(0, 18);
    if (digits !== "") nanos += (BigInt(digits) * scale) / 10n ** BigInt(digits.length);
    if (nanos > 2n ** 63n) return undefined;
  }
  if (sign === "-") return new Duration(-nanos);
  return nanos === 2n ** 63n ? undefined : new Duration(nanos);
}

/** Seconds, with as many digits as needed: `5400s`, `0.25s`. */
export const formatDurationSeconds = (nanos: bigint): string => `${formatF(secondsOf(nanos))}s`;

/** Seconds as a double, like Go's Duration.Seconds. */
export const secondsOf = (nanos: bigint): number =>
  Number(nanos / 1_000_000_000n) + Number(nanos % 1_000_000_000n) / 1e9;

/** As Go prints a Duration: `1h30m0s`, `1.5s`, `250ms`. */
export function formatGoDuration(nanos: bigint): string {
  if (nanos === 0n) return "0s";
  const [minus, size] = nanos < 0n ? ["-", -nanos] : ["", nanos];
  const small = (unit: bigint, name: string): string => `${minus}${decimal(size, unit)}${name}`;
  if (size < 1000n) return small(1n, "ns");
  if (size < 1_000_000n) return small(1000n, "µs");
  if (size < 1_000_000_000n) return small(1_000_000n, "ms");
  const minutes = size / 60_000_000_000n;
  const seconds = `${decimal(size % 60_000_000_000n, 1_000_000_000n)}s`;
  const hours = minutes / 60n;
  return `${minus}${hours > 0n ? `${hours}h` : ""}${minutes > 0n ? `${minutes % 60n}m` : ""}${seconds}`;
}

function decimal(nanos: bigint, unit: bigint): string {
  const rest = String(nanos % unit)
    .padStart(String(unit).length - 1, "0")
    .replace(/0+$/, "");
  return unit === 1n || rest === "" ? String(nanos / unit) : `${nanos / unit}.${rest}`;
}
