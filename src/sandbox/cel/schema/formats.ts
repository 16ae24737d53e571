/** Converts formatted strings to values: timestamps, durations, bytes. Source: kube-openapi pkg/validation/strfmt/. */
import { timeProblem } from "../../meta/go-time.ts";
import { parseDate, parseGoDuration, parseTimestamp } from "../values/time.ts";
import { CelError, Duration, Timestamp, type Value } from "../values/value.ts";

/** A reader for strings of a format; undefined if expressions see the format as a string. */
export function readFormat(format: string): ((text: string) => Value) | undefined {
  switch (format) {
    case "duration":
      return readDuration;
    case "date":
      return (text) =>
        parseDate(text) ??
        new CelError(
          `Invalid date formatted string ${text}: ${timeProblem(`${text}T00:00:00Z`, "2006-01-02T15:04:05Z07:00") ?? ""}`,
        );
    case "date-time":
      return readDateTime;
    case "byte":
      return readBytes;
    default:
      return undefined;
  }
}

const unitNames: readonly (readonly [readonly string[], bigint])[] = [
  [["ns", "nano"], 1n],
  [["us", "µs", "micro"], 1000n],
  [["ms", "milli"], 1_000_000n],
  [["s", "sec"], 1_000_000_000n],
  [["m", "min"], 60_000_000_000n],
  [["h", "hr", "hour"], 3_600_000_000_000n],
  [["d", "day"], 86_400_000_000_000n],
  [["w", "wk", "week"], 604_800_000_000_000n],
];

/** `1h30m` as in Go, or `2 days`. */
function readDuration(text: string): Value {
  const duration = parseGoDuration(text);
  if (duration !== undefined) return duration;
  let nanos: bigint | undefined;
  for (const [, count = "0", unit = ""] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const wanted = unit.toLowerCase();
    for (const [names, scale] of unitNames) {
      for (const [n, name] of names.entries()) {
        const isUnit = name === wanted || (n === names.length - 1 && wanted.startsWith(name));
        if (isUnit) nanos = (nanos ?? 0n) + BigInt(count) * scale;
      }
    }
  }
  return nanos === undefined
    ? new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`)
    : new Duration(BigInt.asIntN(64, nanos));
}

/** RFC 3339; without a zone, UTC. */
function readDateTime(text: string): Value {
  if (text === "") return new Timestamp(0);
  const local = "2006-01-02T15:04:05";
  const time = parseTimestamp(text) ?? parseTimestamp(`${text}Z`);
  if (time !== undefined) return time;
  return new CelError(`Invalid date-time formatted string ${text}: ${timeProblem(text, local) ?? ""}`);
}

/** URL-safe base64. */
function readBytes(text: string): Value {
  const clean = text.replaceAll(/[\r\n]/g, "");
  const bad = clean.search(/[^A-Za-z0-9\-_=]/);
  const failed = (at: number): CelError =>
    new CelError(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${at}`);
  if (bad >= 0) return failed(bad);
  if (!/^(?:[A-Za-z0-9\-_]{4})*(?:[A-Za-z0-9\-_]{2}==|[A-Za-z0-9\-_]{3}=)?$/.test(clean))
    return failed(clean.length - (clean.length % 4));
  return Uint8Array.from(atob(clean.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
}
