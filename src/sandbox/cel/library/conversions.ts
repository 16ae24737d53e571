/** Conversions between types: `int("1")`, `string(1.5)`. Source: cel-go v0.26 common/types/, ConvertToType of each type. */
import { formatG, parseFloat64, parseInt64, parseUint64 } from "../values/go-numbers.ts";
import { formatDurationSeconds, formatTimestamp, parseGoDuration, parseTimestamp } from "../values/time.ts";
import { CelType } from "../values/types.ts";
import { CelError, Duration, Opaque, Timestamp, typeOf, Uint, type Value } from "../values/value.ts";
import { timestampAt, uint64 } from "./arithmetic.ts";

/** The error for an impossible conversion; types are named as with `%s`. */
const impossible = (value: Value, to: string): CelError =>
  new CelError(`type conversion error from '${shownType(typeOf(value))}' to '${to}'`);

const shownType = ({ name, parameters }: CelType): string =>
  parameters.length === 0 ? name : `${name}(${parameters.map(shownType).join(", ")})`;

const [smallest, largest] = [-(2 ** 63), 2 ** 63];

/** `int(value)`. */
export function toInt(value: Value): Value {
  if (typeof value === "bigint") return value;
  if (value instanceof Uint) return value.value < 2n ** 63n ? value.value : new CelError("integer overflow");
  if (typeof value === "number")
    return value > smallest && value < largest ? BigInt(Math.trunc(value)) : new CelError("integer overflow");
  if (typeof value === "string") return parseInt64(value) ?? impossible(value, "int");
  if (value instanceof Timestamp) return BigInt(value.seconds);
  if (value instanceof Duration) return value.nanos;
  return impossible(value, "int");
}

/** `uint(value)`. */
export function toUint(value: Value): Value {
  if (value instanceof Uint) return value;
  if (typeof value === "bigint") return uint64(value);
  if (typeof value === "number")
    return value >= 0 && value < 2 ** 64
      ? new Uint(BigInt(Math.trunc(value)))
      : new CelError("unsigned integer overflow");
  if (typeof value !== "string") return impossible(value, "uint");
  const parsed = parseUint64(value);
  return parsed === undefined ? impossible(value, "uint") : new Uint(parsed);
}

/** `double(value)`. */
export function toDouble(value: Value): Value {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Uint) return Number(value.value);
  return (typeof value === "string" ? parseFloat64(value) : undefined) ?? impossible(value, "double");
}

const words: Readonly<Record<string, boolean>> = {
  "1": true,
  t: true,
  T: true,
  TRUE: true,
  true: true,
  True: true,
  "0": false,
  f: false,
  F: false,
  FALSE: false,
  false: false,
  False: false,
};

/** `bool(value)`. */
export function toBool(value: Value): Value {
  if (typeof value === "boolean") return value;
  return (
    (typeof value === "string" && Object.hasOwn(words, value) ? words[value] : undefined) ?? impossible(value, "bool")
  );
}

/** `string(value)`. */
export function toText(value: Value): Value {
  if (typeof value === "string") return value;
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  return typeof value === "number" ? formatG(value) : objectToText(value);
}

function objectToText(value: Value): Value {
  if (value === null) return "null";
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDurationSeconds(value.nanos);
  if (value instanceof Uint8Array) return decoded(value);
  if (value instanceof Opaque && value.type.kind === "opaque") return value.text();
  return value instanceof CelType ? value.name : impossible(value, "string");
}

function decoded(bytes: Uint8Array): Value {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new CelError("invalid UTF-8 in bytes, cannot convert to string");
  }
}

/** `bytes(value)`. */
export function toBytes(value: Value): Value {
  if (value instanceof Uint8Array) return value;
  return typeof value === "string" ? new TextEncoder().encode(value) : impossible(value, "bytes");
}

/** `duration(value)`. */
export function toDuration(value: Value): Value {
  if (value instanceof Duration) return value;
  return (
    (typeof value === "string" ? parseGoDuration(value) : undefined) ?? impossible(value, "google.protobuf.Duration")
  );
}

/** `timestamp(value)`. */
export function toTimestamp(value: Value): Value {
  if (value instanceof Timestamp) return value;
  if (typeof value === "bigint") {
    // Numbers far out of range stay out of range as doubles.
    return timestampAt(Number(value), 0);
  }
  const parsed = typeof value === "string" ? parseTimestamp(value) : undefined;
  if (parsed === undefined) return impossible(value, "google.protobuf.Timestamp");
  const inRange = timestampAt(parsed.seconds, parsed.nanos);
  return inRange instanceof CelError ? inRange : parsed;
}
