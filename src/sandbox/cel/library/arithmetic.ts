/** Arithmetic of all types, with overflow errors. Source: cel-go v0.26 common/types/overflow.go, int.go, timestamp.go, duration.go. */
import { isInt64, isUint64 } from "../values/go-numbers.ts";
import {
  CelError,
  CelList,
  Duration,
  noSuchOverload,
  overloadError,
  Timestamp,
  Uint,
  type Value,
} from "../values/value.ts";

const intOverflow = (): CelError => new CelError("integer overflow");
const billion = 1_000_000_000n;
const [earliest, latest] = [-62_135_596_800, 253_402_300_799];

/** A signed 64-bit integer, or an overflow error. */
export const int64 = (value: bigint): bigint | CelError => (isInt64(value) ? value : intOverflow());

/** An unsigned 64-bit integer, or an overflow error. */
export const uint64 = (value: bigint): Uint | CelError =>
  isUint64(value) ? new Uint(value) : new CelError("unsigned integer overflow");

const duration = (nanos: bigint): Duration | CelError => (isInt64(nanos) ? new Duration(nanos) : intOverflow());

/** A timestamp between the years 1 and 9999, or an overflow error. */
export const timestampAt = (seconds: number, nanos: number): Timestamp | CelError =>
  seconds < earliest || seconds > latest ? new CelError("timestamp overflow") : new Timestamp(seconds, { nanos });

/** A timestamp plus a duration, in the same zone. */
function later(time: Timestamp, by: bigint): Timestamp | CelError {
  const total = BigInt(time.seconds) * billion + BigInt(time.nanos) + by;
  let seconds = total / billion;
  if (total % billion < 0n) seconds -= 1n;
  const moved = timestampAt(Number(seconds), Number(total - seconds * billion));
  return moved instanceof Timestamp ? new Timestamp(moved.seconds, { nanos: moved.nanos, offset: time.offset }) : moved;
}

/** `a + b`. */
export function add(a: Value, b: Value): Value {
  if (typeof a === "bigint") return typeof b === "bigint" ? int64(a + b) : overloadError(b);
  if (typeof a === "string") return typeof b === "string" ? a + b : overloadError(b);
  if (typeof a === "number") return typeof b === "number" ? a + b : overloadError(b);
  if (a instanceof CelList) return b instanceof CelList ? a.add(b) : overloadError(b);
  if (a instanceof Uint) return b instanceof Uint ? uint64(a.value + b.value) : overloadError(b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? joined(a, b) : overloadError(b);
  if (a instanceof Timestamp) return b instanceof Duration ? later(a, b.nanos) : overloadError(b);
  if (a instanceof Duration) {
    if (b instanceof Timestamp) return later(b, a.nanos);
    return b instanceof Duration ? duration(a.nanos + b.nanos) : overloadError(b);
  }
  return noSuchOverload();
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** `a - b`. */
export function subtract(a: Value, b: Value): Value {
  if (typeof a === "bigint") return typeof b === "bigint" ? int64(a - b) : overloadError(b);
  if (typeof a === "number") return typeof b === "number" ? a - b : overloadError(b);
  if (a instanceof Uint) return b instanceof Uint ? uint64(a.value - b.value) : overloadError(b);
  if (a instanceof Duration) return b instanceof Duration ? duration(a.nanos - b.nanos) : overloadError(b);
  if (a instanceof Timestamp) {
    if (b instanceof Timestamp) {
      return duration(BigInt(a.seconds - b.seconds) * billion + BigInt(a.nanos - b.nanos));
    }
    if (!(b instanceof Duration)) return overloadError(b);
    return isInt64(-b.nanos) ? later(a, -b.nanos) : intOverflow();
  }
  return noSuchOverload();
}

/** `a * b`. */
export function multiply(a: Value, b: Value): Value {
  if (typeof a === "bigint") return typeof b === "bigint" ? int64(a * b) : overloadError(b);
  if (typeof a === "number") return typeof b === "number" ? a * b : overloadError(b);
  if (a instanceof Uint) return b instanceof Uint ? uint64(a.value * b.value) : overloadError(b);
  return noSuchOverload();
}

const byZero = (what: "division" | "modulus"): CelError => new CelError(`${what} by zero`);

/** `a / b`. */
export function divide(a: Value, b: Value): Value {
  if (typeof a === "bigint") {
    if (typeof b !== "bigint") return overloadError(b);
    return b === 0n ? byZero("division") : int64(a / b);
  }
  if (typeof a === "number") return typeof b === "number" ? a / b : overloadError(b);
  if (a instanceof Uint) {
    if (!(b instanceof Uint)) return overloadError(b);
    return b.value === 0n ? byZero("division") : new Uint(a.value / b.value);
  }
  return noSuchOverload();
}

/** `a % b`. */
export function modulo(a: Value, b: Value): Value {
  if (typeof a === "bigint") {
    if (typeof b !== "bigint") return overloadError(b);
    if (b === 0n) return byZero("modulus");
    return b === -1n && !isInt64(-a) ? intOverflow() : a % b;
  }
  if (a instanceof Uint) {
    if (!(b instanceof Uint)) return overloadError(b);
    return b.value === 0n ? byZero("modulus") : new Uint(a.value % b.value);
  }
  return noSuchOverload();
}

/** `-a`. */
export function negate(a: Value): Value {
  if (typeof a === "bigint") return int64(-a);
  if (typeof a === "number") return -a;
  return a instanceof Duration ? duration(-a.nanos) : overloadError(a);
}
