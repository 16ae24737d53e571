/** Components of timestamps and durations. Source: cel-go v0.26 common/stdlib/standard.go, common/types/timestamp.go. */
import { goQuoted } from "../../../api/go-text.ts";
import { type Civil, civilOf, secondsOf } from "../values/time.ts";
import { CelError, Duration, Timestamp, type Value } from "../values/value.ts";
import { bind, declare, type FunctionDecl, guards, type Signatures } from "./function.ts";

const { timestamp, string, duration } = guards;

type Part = (civil: Civil, nanos: number) => number;

const parts: Readonly<Record<string, { readonly id: string; readonly part: Part }>> = {
  getFullYear: { id: "year", part: ({ year }) => year },
  getMonth: { id: "month", part: ({ month }) => month - 1 },
  getDayOfYear: { id: "day_of_year", part: ({ dayOfYear }) => dayOfYear - 1 },
  getDayOfMonth: { id: "day_of_month", part: ({ day }) => day - 1 },
  getDate: { id: "day_of_month_1_based", part: ({ day }) => day },
  getDayOfWeek: { id: "day_of_week", part: ({ weekday }) => weekday },
  getHours: { id: "hours", part: ({ hour }) => hour },
  getMinutes: { id: "minutes", part: ({ minute }) => minute },
  getSeconds: { id: "seconds", part: ({ second }) => second },
  getMilliseconds: { id: "milliseconds", part: (_, nanos) => Math.floor(nanos / 1_000_000) },
};

const lengths: Readonly<Record<string, (nanos: bigint) => bigint>> = {
  getHours: (nanos) => BigInt(Math.trunc(secondsOf(nanos) / 3600)),
  getMinutes: (nanos) => BigInt(Math.trunc(secondsOf(nanos) / 60)),
  getSeconds: (nanos) => BigInt(Math.trunc(secondsOf(nanos))),
  getMilliseconds: (nanos) => nanos / 1_000_000n,
};

const of = (time: Timestamp, { part, offset }: { readonly part: Part; readonly offset: number }): bigint =>
  BigInt(part(civilOf(time.seconds, offset), time.nanos));

/** The UTC offset of a zone at a time, in seconds east; `+02:00`, `-5:30` and names are zones. */
function offsetIn(zone: string, time: Timestamp): number | CelError {
  const colon = zone.indexOf(":");
  if (colon < 0) return namedOffset(zone, time);
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)];
  for (const number of [hours, minutes]) {
    if (!/^[+-]?\d+$/.test(number)) return new CelError(`strconv.Atoi: parsing ${goQuoted(number)}: invalid syntax`);
  }
  const shift = Number(hours) * 60 + (zone.startsWith("-") ? -1 : 1) * Number(minutes);
  return shift * 60;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function namedOffset(zone: string, time: Timestamp): number | CelError {
  if (zone === "" || zone === "UTC") return 0;
  const unknown = new CelError(`unknown time zone ${zone}`);
  // Go accepts only names in the zone database, not offsets.
  if (/^[+-]/.test(zone)) return unknown;
  let format = formats.get(zone);
  try {
    format ??= new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset", year: "numeric" });
  } catch {
    return unknown;
  }
  formats.set(zone, format);
  const name = format.formatToParts(time.seconds * 1000).find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign = "", hours = "0", minutes = "0", seconds = "0"] =
    /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}

function signaturesOf(name: string, { id, part }: { readonly id: string; readonly part: Part }): Signatures {
  const inZone = (time: Timestamp, zone: string): Value => {
    const offset = offsetIn(zone, time);
    return typeof offset === "number" ? of(time, { part, offset }) : offset;
  };
  const zoned = name === "getSeconds" ? `timestamp_to_${id}_tz` : `timestamp_to_${id}_with_tz`;
  const length = lengths[name];
  return {
    [`timestamp_to_${id}`]: [
      "timestamp.() int",
      bind<[Timestamp]>([timestamp], (time) => of(time, { part, offset: 0 })),
    ],
    [zoned]: ["timestamp.(string) int", bind<[Timestamp, string]>([timestamp, string], inZone)],
    ...(length === undefined
      ? {}
      : {
          [`duration_to_${id}`]: [
            "duration.() int",
            bind<[Duration]>([duration], ({ nanos }) => length(nanos)),
          ] as const,
        }),
  };
}

/** `getFullYear()`, `getHours()` and the others, in UTC or in a zone. */
export const timeFunctions: readonly FunctionDecl[] = declare(
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, signaturesOf(name, part)])),
);
