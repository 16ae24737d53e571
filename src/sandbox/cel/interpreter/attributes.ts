/**
 * Names, selections and indexes: `self.spec.items[0]` is one attribute with three qualifiers. Costs are as in cel-go: 1 per qualifier, and
 * 1 more for the whole attribute unless it is part of another one. Source: cel-go v0.26 interpreter/attributes.go.
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
  /** The value at this step, or why there is none. */
  apply(frame: Frame, from: Value): Value;
  /** The value at this step, or undefined if there is none. */
  applyIfPresent(frame: Frame, from: Value): Value | undefined;
}

/** A value to which more steps can be added. */
export interface Attribute {
  /** Evaluates the value, at the cost of only its qualifiers. */
  readonly resolve: Evaluate;
  /** The attribute's own cost if it is not part of another. */
  readonly ownCost: 0 | 1;
  /** The attribute with one more step. */
  with(qualifier: Qualifier): Attribute;
}

/** An attribute with steps from the value of `base`. */
export function attribute(base: Evaluate, qualifiers: readonly Qualifier[] = []): Attribute {
  return {
    resolve: qualifiers.length === 0 ? (frame) => settled(base(frame)) : resolver(base, qualifiers),
    ownCost: 1,
    with: (qualifier) => attribute(base, [...qualifiers, qualifier]),
  };
}

/** As in cel-go, an optional's value loses its schema when it is named. */
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

/** `condition ? then : otherwise`; further steps apply to both branches. */
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

/** A valid index into a list, or an error. */
function indexOf(key: Value): number | CelError {
  if (typeof key === "bigint") return Number(key);
  if (typeof key === "number")
    return Number.isInteger(key) ? key : new CelError(`unsupported index value ${goText(key)} in list`);
  if (key instanceof Uint)
    return key.value < 2n ** 63n ? Number(key.value) : new CelError(`unsupported index value ${goText(key)} in list`);
  return new CelError(`unsupported index type '${typeText(typeOf(key))}' in list`);
}

/** The value at a key; undefined if there is none. */
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

/** A step with a constant key. */
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

/** The last step of `has()`: whether the field exists. */
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

/** True for valid types of keys. */
export const isKey = (value: Value): boolean =>
  ["string", "bigint", "number", "boolean"].includes(typeof value) || value instanceof Uint;

/** The error for a value that cannot be a key. */
export const badKey = (value: Value): CelError => new CelError(`invalid qualifier type: ${goTypeName(value)}`);

/** A step with a key that is known only at run time. */
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

/** The Go type of a value in cel-go. */
export const goTypeName = (value: Value): string => {
  const { name } = typeOf(value);
  return goTypes[name] ?? (name.startsWith("kubernetes.") ? name.replace("kubernetes.", "cel.") : `types.${name}`);
};
