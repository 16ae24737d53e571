/**
 * Cron schedules as Kubernetes reads them.
 * Source: robfig/cron v3.0.1 parser.go ParseStandard, constantdelay.go Every. The error texts are theirs: the server responds with them.
 */
import { goQuoted } from "../go-text.ts";
import { parseGoDuration } from "./go-duration.ts";
import { isTimeZone } from "./time-zone.ts";

/** A field of a schedule: which values match. */
export interface CronField {
  readonly values: ReadonlySet<number>;
  /** Whether it is `*`: of two fields for days, only one that is not restricts. */
  readonly isStar: boolean;
}

/** When a CronJob is due. */
export type CronSchedule =
  | {
      readonly is: "fields";
      readonly minute: CronField;
      readonly hour: CronField;
      readonly dayOfMonth: CronField;
      readonly month: CronField;
      /** Sunday is 0. */
      readonly dayOfWeek: CronField;
      /** Named in the schedule itself, `TZ=Europe/Berlin 0 6 * * *`; undefined for the process's zone. */
      readonly timeZone: string | undefined;
    }
  /** Whole seconds, at least one. */
  | { readonly is: "every"; readonly everyMs: number };

/** An invalid schedule. */
export class CronError extends Error {
  override readonly name = "CronError";
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: ReadonlyMap<string, number>;
}

function names(list: string, first: number): ReadonlyMap<string, number> {
  return new Map(list.split(" ").map((name, index) => [name, index + first]));
}

const minutes: Bounds = { min: 0, max: 59 };
const hours: Bounds = { min: 0, max: 23 };
const daysOfMonth: Bounds = { min: 1, max: 31 };
const months: Bounds = { min: 1, max: 12, names: names("jan feb mar apr may jun jul aug sep oct nov dec", 1) };
const daysOfWeek: Bounds = { min: 0, max: 6, names: names("sun mon tue wed thu fri sat", 0) };

const descriptors: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** Parses five fields or a descriptor, optionally preceded by a time zone. @throws CronError */
export function parseCronSchedule(text: string): CronSchedule {
  if (text === "") throw new CronError("empty spec string");
  const zoned = /^(?:CRON_)?TZ=/.exec(text);
  if (zoned === null) return parseSpec(text, undefined);
  const end = text.indexOf(" ");
  // robfig/cron panics here, which a server recovers from.
  if (end < zoned[0].length)
    throw new CronError("invalid schedule format: runtime error: slice bounds out of range [:-1]");
  const zone = text.slice(zoned[0].length, end);
  if (zone !== "" && !isTimeZone(zone)) throw new CronError(`provided bad location ${zone}: unknown time zone ${zone}`);
  return parseSpec(text.slice(end).trim(), zone === "" ? "UTC" : zone);
}

function parseSpec(spec: string, timeZone: string | undefined): CronSchedule {
  if (spec.startsWith("@every ")) return { is: "every", everyMs: parseEvery(spec) };
  const fields = (spec.startsWith("@") ? expand(spec) : spec).split(/\s+/).filter((field) => field !== "");
  const [minute, hour, dayOfMonth, month, dayOfWeek, ...more] = fields;
  if (
    minute === undefined ||
    hour === undefined ||
    dayOfMonth === undefined ||
    month === undefined ||
    dayOfWeek === undefined ||
    more.length > 0
  ) {
    throw new CronError(`expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`);
  }
  return {
    is: "fields",
    minute: parseField(minute, minutes),
    hour: parseField(hour, hours),
    dayOfMonth: parseField(dayOfMonth, daysOfMonth),
    month: parseField(month, months),
    dayOfWeek: parseField(dayOfWeek, daysOfWeek),
    timeZone,
  };
}

function expand(descriptor: string): string {
  const fields = descriptors[descriptor];
  if (fields === undefined) throw new CronError(`unrecognized descriptor: ${descriptor}`);
  return fields;
}

/** Rounded down to whole seconds; less than one counts as one. */
function parseEvery(spec: string): number {
  try {
    const ms = parseGoDuration(spec.slice("@every ".length));
    return Math.max(1, Math.floor(ms / 1000)) * 1000;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CronError(`failed to parse duration ${spec}: ${error.message}`, { cause: error });
  }
}

/** Comma-separated values and ranges; empty parts are skipped. */
function parseField(text: string, bounds: Bounds): CronField {
  const values = new Set<number>();
  let isStar = false;
  for (const part of text.split(",")) {
    if (part === "") continue;
    const range = parseRange(part, bounds);
    for (let value = range.first; value <= range.last; value += range.step) values.add(value);
    isStar ||= range.isStar;
  }
  return { values, isStar };
}

interface Range {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  readonly isStar: boolean;
}

/** `5`, `5-7`, `*`, `?`, each with an optional step: `5/2` runs to the end of the field. */
function parseRange(text: string, bounds: Bounds): Range {
  const [ends = "", ...steps] = text.split("/");
  const isStar = /^[*?](?:-|$)/.test(ends);
  const [first, to] = isStar ? [bounds.min, bounds.max] : parseEnds(ends, { text, bounds });
  if (steps.length > 1) throw new CronError(`too many slashes: ${text}`);
  const step = steps[0] === undefined ? 1 : parseNumber(steps[0]);
  const last = steps.length > 0 && !ends.includes("-") ? bounds.max : to;
  const { min, max } = bounds;
  if (first < min) throw new CronError(`beginning of range (${first}) below minimum (${min}): ${text}`);
  if (last > max) throw new CronError(`end of range (${last}) above maximum (${max}): ${text}`);
  if (first > last) throw new CronError(`beginning of range (${first}) beyond end of range (${last}): ${text}`);
  if (step === 0) throw new CronError(`step of range should be a positive number: ${text}`);
  // Every second day is a restriction, every day is not.
  return { first, last, step, isStar: isStar && step === 1 };
}

function parseEnds(
  ends: string,
  { text, bounds }: { readonly text: string; readonly bounds: Bounds },
): [number, number] {
  const [from = "", to, ...more] = ends.split("-");
  const first = parseValue(from, bounds);
  if (to === undefined) return [first, first];
  if (more.length > 0) throw new CronError(`too many hyphens: ${text}`);
  return [first, parseValue(to, bounds)];
}

function parseValue(text: string, bounds: Bounds): number {
  return bounds.names?.get(text.toLowerCase()) ?? parseNumber(text);
}

/** Parses like Go's strconv.Atoi. */
function parseNumber(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) {
    throw new CronError(`failed to parse int from ${text}: strconv.Atoi: parsing ${goQuoted(text)}: invalid syntax`);
  }
  const value = BigInt(text.replace(/^\+/, ""));
  if (BigInt.asIntN(64, value) !== value) {
    throw new CronError(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${goQuoted(text)}: value out of range`,
    );
  }
  if (value < 0n) throw new CronError(`negative number (${value}) not allowed: ${text}`);
  return Number(value);
}
