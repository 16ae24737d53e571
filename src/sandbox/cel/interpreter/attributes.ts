/**
 * Names, selections and indexes: `self.spec.items[0]` is one attribute with three qualifiers. What each step costs is as cel-go
 * observes it: a qualifier 1, the whole attribute 1 more, unless it is part of another one. Source: cel-go v0.26
 * interpreter/attributes.go.
 */
import { goText } from "../values/text.ts";
import { typeText } from "../values/types.ts";
import {
  CelError,
  CelList,
  CelMap,
  Optional,
  optionalNone,
  overloadError,
  typeOf,
  Uint,
  type Value,
} from "../values/value.ts";
import type { Evaluate, Frame } from "./frame.ts";

/** One step of an attribute. */
export interface Qualifier {
  readonly isOptional: boolean;
  /** What the step leads to, or why there is nothing. */
  apply(frame: Frame, from: Value): Value;
  /** What the step leads to, or undefined where there is nothing. */
  applyIfPresent(frame: Frame, from: Value): Value | undefined;
}

/** A value that more steps may follow. */
export interface Attribute {
  /** The value, at the cost of its qualifiers alone. */
  readonly resolve: Evaluate;
  /** What the attribute itself costs where it stands alone. */
  readonly ownCost: 0 | 1;
  /** The attribute with one more step. */
  with(qualifier: Qualifier): Attribute;
}

/** Steps from what `base` evaluates to. */
export function attribute(base: Evaluate, qualifiers: readonly Qualifier[] = []): Attribute {
  return {
    resolve: qualifiers.length === 0 ? (frame) => settled(base(frame)) : resolver(base, qualifiers),
    ownCost: 1,
    with: (qualifier) => attribute(base, [...qualifiers, qualifier]),
  };
}

/** An optional's value loses its schema where it is named, as in cel-go. */
function settled(value: Value): Value {
  if (!(value instanceof Optional) || value.value === undefined) return value;
  const { value: held } = value;
  return held instanceof CelMap || held instanceof CelList ? new Optional(held.untyped()) : value;
}

function resolver(base: Evaluate, qualifiers: readonly Qualifier[]): Evaluate {
  const [first] = qualifiers;
  if (qualifiers.length === 1 && first !== undefined && !first.isOptional) {
    return (frame) => {
      const value = base(frame);
      if (value instanceof CelError) return value;
      return value instanceof Optional ? qualified(frame, [value, qualifiers]) : first.apply(frame, value);
    };
  }
  return (frame) => {
    const value = base(frame);
    return value instanceof CelError ? value : qualified(frame, [value, qualifiers]);
  };
}

function qualified(frame: Frame, [from, qualifiers]: readonly [Value, readonly Qualifier[]]): Value {
  let value = from;
  let isOptional = from instanceof Optional;
  if (from instanceof Optional) {
    if (from.value === undefined) return from;
    value = from.value instanceof CelMap || from.value instanceof CelList ? from.value.untyped() : from.value;
  }
  for (const qualifier of qualifiers) {
    isOptional ||= qualifier.isOptional;
    if (isOptional) {
      const next = qualifier.applyIfPresent(frame, value);
      if (next === undefined) return optionalNone;
      value = next;
    } else value = qualifier.apply(frame, value);
    if (value instanceof CelError) return value;
  }
  return isOptional ? new Optional(value) : value;
}

/** `condition ? then : otherwise`; steps that follow are steps of both. */
export function conditional(condition: Evaluate, [then, otherwise]: readonly [Attribute, Attribute]): Attribute {
  return {
    resolve: (frame) => {
      const value = condition(frame);
      if (value === true) return then.resolve(frame);
      return value === false ? otherwise.resolve(frame) : overloadError(value);
    },
    ownCost: 0,
    with: (qualifier) => conditional(condition, [then.with(qualifier), otherwise.with(qualifier)]),
  };
}

const missingKey = (key: Value): CelError => new CelError(`no such key: ${goText(key)}`);

/** An index into a list, or why it is none. */
function indexOf(key: Value): number | CelError {
  if (typeof key === "bigint") return Number(key);
  if (typeof key === "number")
    return Number.isInteger(key) ? key : new CelError(`unsupported index value ${goText(key)} in list`);
  if (key instanceof Uint)
    return key.value < 2n ** 63n ? Number(key.value) : new CelError(`unsupported index value ${goText(key)} in list`);
  return new CelError(`unsupported index type '${typeText(typeOf(key))}' in list`);
}

/** What is at a key; undefined where there is nothing. */
function find(from: Value, key: Value): Value | undefined {
  if (from instanceof CelMap) return from.find(key);
  if (from instanceof CelList) {
    const index = indexOf(key);
    if (index instanceof CelError) return index;
    return index >= 0 && index < from.size ? from.get(index) : undefined;
  }
  return from instanceof CelError ? from : undefined;
}

const missing = (from: Value, key: Value): CelError =>
  from instanceof CelList ? new CelError(`index out of bounds: ${goText(key)}`) : missingKey(key);

/** A step by a constant. */
export function constantQualifier(key: Value, isOptional: boolean): Qualifier {
  return {
    isOptional,
    apply(frame, from) {
      frame.spend(1);
      const found = find(from, key);
      return found === undefined ? missing(from, key) : found;
    },
    applyIfPresent(frame, from) {
      const found = find(from, key);
      if (found !== undefined && !(found instanceof CelError)) frame.spend(1);
      return found;
    },
  };
}

/** The last step of `has()`: whether there is something. */
export function testQualifier(key: Value): Qualifier {
  return {
    isOptional: false,
    apply(frame, from) {
      frame.spend(1);
      const found = find(from, key);
      return found instanceof CelError ? found : found !== undefined;
    },
    applyIfPresent(frame, from) {
      const found = find(from, key);
      if (found !== undefined && !(found instanceof CelError)) frame.spend(1);
      return found;
    },
  };
}

/** True for values that can be keys. */
export const isKey = (value: Value): boolean =>
  ["string", "bigint", "number", "boolean"].includes(typeof value) || value instanceof Uint;

/** The error for a value that can be no key. */
export const badKey = (value: Value): CelError => new CelError(`invalid qualifier type: ${goTypeName(value)}`);

/** A step by a value that is known only at run time. */
export function dynamicQualifier(key: Attribute, isOptional: boolean): Qualifier {
  const keyIn = (frame: Frame): Value => {
    const value = key.resolve(frame);
    return value instanceof CelError || isKey(value) ? value : badKey(value);
  };
  return {
    isOptional,
    apply(frame, from) {
      const value = keyIn(frame);
      frame.spend(1);
      if (value instanceof CelError) return value;
      const found = find(from, value);
      return found === undefined ? missing(from, value) : found;
    },
    applyIfPresent(frame, from) {
      const value = keyIn(frame);
      if (value instanceof CelError) return value;
      const found = find(from, value);
      if (found !== undefined && !(found instanceof CelError)) frame.spend(1);
      return found;
    },
  };
}

const goTypes: Readonly<Record<string, string>> = {
  bool: "types.Bool",
  bytes: "types.Bytes",
  double: "types.Double",
  "google.protobuf.Duration": "types.Duration",
  "google.protobuf.Timestamp": "types.Timestamp",
  int: "types.Int",
  null_type: "types.Null",
  optional_type: "*types.Optional",
  string: "types.String",
  type: "*types.Type",
  uint: "types.Uint",
  "net.IP": "cel.IP",
  "net.CIDR": "cel.CIDR",
};

/** The type that cel-go has for a value in Go. */
export const goTypeName = (value: Value): string => {
  const { name } = typeOf(value);
  return goTypes[name] ?? (name.startsWith("kubernetes.") ? name.replace("kubernetes.", "cel.") : `types.${name}`);
};
