/** Equality and ordering across types. Source: cel-go v0.26 common/types/compare.go, util.go and the Equal and Compare of each type. */
import { CelType } from "./types.ts";
import {
  CelError,
  CelList,
  CelMap,
  Duration,
  noSuchOverload,
  Opaque,
  Optional,
  overloadError,
  Timestamp,
  Uint,
  type Value,
} from "./value.ts";

const [maxInt, minInt, maxUint] = [2 ** 63, -(2 ** 63), 2 ** 64];

/** Compares a double with an integer, which is rounded to a double first, as in cel-go. */
function compareDoubleInt(double: number, int: bigint): number {
  if (double < minInt) return -1;
  if (double > maxInt) return 1;
  return sign(double, Number(int));
}

function compareDoubleUint(double: number, uint: bigint): number {
  if (double < 0) return -1;
  if (double > maxUint) return 1;
  return sign(double, Number(uint));
}

const sign = (a: number | bigint | string, b: number | bigint | string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Compares numbers of any two types; undefined if one is not a number, NaN if they have no order. */
function compareNumbers(a: Value, b: Value): number | undefined {
  const [left, right] = [a instanceof Uint ? a.value : a, b instanceof Uint ? b.value : b];
  if (typeof left === "bigint" && typeof right === "bigint") return sign(left, right);
  if (typeof left === "number" && typeof right === "number")
    return Number.isNaN(left) || Number.isNaN(right) ? Number.NaN : sign(left, right);
  if (typeof left === "number" && typeof right === "bigint") {
    if (Number.isNaN(left)) return Number.NaN;
    return b instanceof Uint ? compareDoubleUint(left, right) : compareDoubleInt(left, right);
  }
  if (typeof left === "bigint" && typeof right === "number") {
    if (Number.isNaN(right)) return Number.NaN;
    return -(a instanceof Uint ? compareDoubleUint(right, left) : compareDoubleInt(right, left));
  }
  return undefined;
}

/** `a == b`; an error if they cannot be compared. */
export function celEqual(a: Value, b: Value): boolean | CelError {
  if (typeof a === "string" || typeof a === "boolean") return a === b;
  if (a === null || b === null) return a === b;
  if (typeof a === "bigint" || typeof a === "number" || a instanceof Uint) {
    if (typeof a === "bigint" && typeof b === "bigint") return a === b;
    return compareNumbers(a, b) === 0;
  }
  if (a instanceof CelList || a instanceof CelMap || a instanceof Opaque) return a.equal(b);
  if (a instanceof CelError) return a;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof CelType) return b instanceof CelType && a.name === b.name;
  if (a instanceof Optional) return optionalsEqual(a, b);
  return b instanceof Uint8Array && compareBytes(a, b) === 0;
}

function optionalsEqual(a: Optional, b: Value): boolean | CelError {
  if (!(b instanceof Optional)) return false;
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return celEqual(a.value, b.value);
}

/** Orders strings by their UTF-8 bytes, which is the order of code points. */
function compareStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left === right) continue;
    // A surrogate is part of a code point above all others.
    const [high, low] = [left >= 0xd800 && left <= 0xdfff, right >= 0xd800 && right <= 0xdfff];
    return high === low ? (left < right ? -1 : 1) : high ? 1 : -1;
  }
  return sign(a.length, b.length);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    if (a[at] !== b[at]) return (a[at] ?? 0) < (b[at] ?? 0) ? -1 : 1;
  }
  return sign(a.length, b.length);
}

/** Negative, 0 or positive; an error for values without an order. */
export function celCompare(a: Value, b: Value): number | CelError {
  if (typeof a === "bigint" && typeof b === "bigint") return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === "bigint" || typeof a === "number" || a instanceof Uint) {
    if (typeof a === "number" && Number.isNaN(a)) return notOrdered();
    const order = compareNumbers(a, b);
    if (order === undefined) return overloadError(b);
    return Number.isNaN(order) ? notOrdered() : order;
  }
  if (typeof a === "string") return typeof b === "string" ? compareStrings(a, b) : overloadError(b);
  if (typeof a === "boolean") return typeof b === "boolean" ? Number(a) - Number(b) : overloadError(b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? compareBytes(a, b) : overloadError(b);
  if (a instanceof Duration) return b instanceof Duration ? sign(a.nanos, b.nanos) : overloadError(b);
  if (a instanceof Timestamp && b instanceof Timestamp) return sign(a.seconds, b.seconds) || sign(a.nanos, b.nanos);
  if (a instanceof Timestamp) return overloadError(b);
  return noSuchOverload();
}

const notOrdered = (): CelError => new CelError("NaN values cannot be ordered");

/** True for values with an order. */
export function isComparable(value: Value): boolean {
  if (typeof value !== "object") return true;
  return (
    value instanceof Uint || value instanceof Uint8Array || value instanceof Duration || value instanceof Timestamp
  );
}
