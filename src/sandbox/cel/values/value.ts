/**
 * CEL values. `int` is a bigint and `double` a number, which keeps them distinct; other basic types are JavaScript's own. An error is a
 * value too: `&&`, `||` and comprehensions decide how to handle it. Source: cel-go v0.26 common/types/.
 */
import {
  boolType,
  bytesType,
  CelType,
  doubleType,
  durationType,
  errorType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  timestampType,
  typeType,
  uintType,
} from "./types.ts";

/** The result of an expression. */
export type Value =
  | boolean
  | bigint
  | number
  | string
  | null
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | CelType
  | Optional
  | CelList
  | CelMap
  | Opaque
  | CelError;

/** A failed evaluation; the message is cel-go's. */
export class CelError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** An unsigned 64-bit integer. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A timestamp, with its original zone. */
export class Timestamp {
  /** Seconds since 1970 in UTC, rounded down. */
  readonly seconds: number;
  /** 0 to 999,999,999. */
  readonly nanos: number;
  /** Seconds east of UTC. */
  readonly offset: number;

  constructor(seconds: number, { nanos = 0, offset = 0 }: { readonly nanos?: number; readonly offset?: number } = {}) {
    this.seconds = seconds;
    this.nanos = nanos;
    this.offset = offset;
  }
}

/** A duration in nanoseconds, 64 bits. */
export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A value that may be absent. */
export class Optional {
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** The empty optional. */
export const optionalNone: Optional = new Optional(undefined);

/** A value of a library type, such as an IP address. */
export abstract class Opaque {
  abstract readonly type: CelType;
  /** Equality with any other value; an error if the types cannot be compared. */
  abstract equal(other: Value): boolean | CelError;
  /** The printed form. */
  abstract text(): string;
  /** Its size, if it has one, for the cost of traversal. */
  size(): number | undefined {
    return undefined;
  }
}

/** A list; its items are created on demand. */
export abstract class CelList {
  abstract readonly size: number;
  /** The item at an index below the size. */
  abstract get(index: number): Value;
  /** The concatenation of both lists. */
  abstract add(other: CelList): CelList;
  abstract contains(value: Value): boolean | CelError;
  abstract equal(other: Value): boolean | CelError;
  /** The list without its schema: items are converted from plain JSON. */
  untyped(): CelList {
    return this;
  }
}

/** A map; its values are created on demand. */
export abstract class CelMap {
  abstract readonly size: number;
  /** Undefined if the key does not exist; an error if it is not a valid key. */
  abstract find(key: Value): Value | undefined;
  abstract keys(): Value[];
  abstract equal(other: Value): boolean | CelError;
  /** The map without its schema: values are converted from plain JSON. */
  untyped(): CelMap {
    return this;
  }
}

/** The error for operands without an overload. */
export const noSuchOverload = (): CelError => new CelError("no such overload");

/** The value, if it is an error, or else `noSuchOverload`. */
export const overloadError = (value: Value): CelError => (value instanceof CelError ? value : noSuchOverload());

/** The runtime type of a value. */
export function typeOf(value: Value): CelType {
  if (typeof value === "boolean") return boolType;
  if (typeof value === "bigint") return intType;
  if (typeof value === "number") return doubleType;
  return typeof value === "string" ? stringType : typeOfObject(value);
}

function typeOfObject(value: Exclude<Value, boolean | bigint | number | string>): CelType {
  if (value === null) return nullType;
  if (value instanceof CelMap) return mapType;
  if (value instanceof CelList) return listType;
  if (value instanceof Opaque) return value.type;
  if (value instanceof Uint) return uintType;
  if (value instanceof Timestamp) return timestampType;
  if (value instanceof Duration) return durationType;
  if (value instanceof Optional) return optionalType;
  if (value instanceof CelType) return typeType;
  if (value instanceof Uint8Array) return bytesType;
  return errorType;
}

/** The length of a string in code points, as CEL counts it. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit <= 0xdbff && at + 1 < text.length) {
      count--;
      at++;
    }
  }
  return count;
}

/** The size of a value for cost calculation: 1 if it has no size. */
export function sizeOf(value: Value): number {
  if (typeof value === "string") return codePoints(value);
  if (typeof value !== "object" || value === null) return 1;
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof Opaque) return value.size() ?? 1;
  return 1;
}
