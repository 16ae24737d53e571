/**
 * Values of expressions. `int` is a bigint and `double` a number, so that the two stay apart; the other plain types are JavaScript's
 * own. An error is a value too: `&&`, `||` and comprehensions decide what becomes of it. Source: cel-go v0.26 common/types/.
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

/** What an expression evaluates to. */
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

/** An evaluation that failed; the message is cel-go's. */
export class CelError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** A whole number of 64 bits without a sign. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A point in time, with the zone it was written in. */
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

/** A length of time in nanoseconds; 64 bits. */
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

/** The optional without a value. */
export const optionalNone: Optional = new Optional(undefined);

/** A value of a type that a library brings, such as an IP address. */
export abstract class Opaque {
  abstract readonly type: CelType;
  /** Equality with any other value; an error where the types cannot be compared. */
  abstract equal(other: Value): boolean | CelError;
  /** How it is printed. */
  abstract text(): string;
  /** Its size where it has one: what traversing it costs. */
  size(): number | undefined {
    return undefined;
  }
}

/** A list; its items are made when they are asked for. */
export abstract class CelList {
  abstract readonly size: number;
  /** The item at an index within the size. */
  abstract get(index: number): Value;
  /** Both lists, one after the other. */
  abstract add(other: CelList): CelList;
  abstract contains(value: Value): boolean | CelError;
  abstract equal(other: Value): boolean | CelError;
  /** The list without what a schema says of it: its items are what JSON makes them. */
  untyped(): CelList {
    return this;
  }
}

/** A map; its values are made when they are asked for. */
export abstract class CelMap {
  abstract readonly size: number;
  /** Undefined for a key that is not there; an error for one that cannot be. */
  abstract find(key: Value): Value | undefined;
  abstract keys(): Value[];
  abstract equal(other: Value): boolean | CelError;
  /** The map without what a schema says of it: its values are what JSON makes them. */
  untyped(): CelMap {
    return this;
  }
}

/** An operation without an overload for its operands. */
export const noSuchOverload = (): CelError => new CelError("no such overload");

/** The error that a value is, or that nothing takes it. */
export const overloadError = (value: Value): CelError => (value instanceof CelError ? value : noSuchOverload());

/** The type of a value at run time. */
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

/** The characters of a text: code points, as CEL counts them. */
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

/** How large a value is, for what working on it costs: 1 for all that has no size. */
export function sizeOf(value: Value): number {
  if (typeof value === "string") return codePoints(value);
  if (typeof value !== "object" || value === null) return 1;
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof Opaque) return value.size() ?? 1;
  return 1;
}
