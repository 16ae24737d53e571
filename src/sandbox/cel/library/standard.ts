/** The operators and functions that every environment has. Source: cel-go v0.26 common/stdlib/standard.go. */
import { celCompare, celEqual } from "../values/equality.ts";
import type { TypeKind } from "../values/types.ts";
import { CelError, CelList, CelMap, codePoints, overloadError, typeOf, type Value } from "../values/value.ts";
import { add, divide, modulo, multiply, negate, subtract } from "./arithmetic.ts";
import { toBool, toBytes, toDouble, toDuration, toInt, toText, toTimestamp, toUint } from "./conversions.ts";
import { bind, declare, type FunctionDecl, guards, overloadsOf, type Run, type Signatures } from "./function.ts";
import { matches } from "./regular-expressions.ts";
import { timeFunctions } from "./time.ts";

const kinds = (names: string): ReadonlySet<TypeKind> =>
  // All of these names are type kinds.
  new Set(names.split(" ") as TypeKind[]);

const adders = kinds("bytes double duration int list string timestamp uint");
const comparers = kinds("bool bytes double duration int string timestamp uint");
const numbers = kinds("double int uint");

interface Operator {
  readonly signatures: Signatures;
  readonly kinds?: ReadonlySet<TypeKind>;
  readonly run: Run;
}

const operator = (name: string, { signatures, kinds: accepted, run }: Operator): FunctionDecl => ({
  name,
  overloads: overloadsOf(signatures),
  binding: { run, ...(accepted === undefined ? {} : { kinds: accepted }) },
});

const unused: Run = () => new CelError("no such overload");

/** `less_int64: (int, int) bool` and the like: all ordered types, and numbers across types. */
function orderSignatures(prefix: string): Signatures {
  const plain = "bool bytes duration string timestamp".split(" ");
  const numeric: Readonly<Record<string, string>> = { int64: "int", uint64: "uint", double: "double" };
  const signatures: Record<string, string> = {};
  for (const type of plain) signatures[`${prefix}_${type}`] = `(${type}, ${type}) bool`;
  for (const [left, one] of Object.entries(numeric)) {
    for (const [right, other] of Object.entries(numeric))
      signatures[`${prefix}_${left}${left === right ? "" : `_${right}`}`] = `(${one}, ${other}) bool`;
  }
  return signatures;
}

function ordering(
  name: string,
  { prefix, holds }: { readonly prefix: string; readonly holds: (order: number) => boolean },
): FunctionDecl {
  return operator(name, {
    signatures: orderSignatures(prefix),
    kinds: comparers,
    run: (a = null, b = null) => {
      const order = celCompare(a, b);
      return typeof order === "number" ? holds(order) : order;
    },
  });
}

/** `value in list`, `key in map`. */
export function isIn(value: Value, all: Value): Value {
  if (all instanceof CelList) return all.contains(value);
  if (!(all instanceof CelMap)) return overloadError(all);
  const found = all.find(value);
  return found instanceof CelError ? found : found !== undefined;
}

/** `size(value)`. */
export function size(value: Value): Value {
  if (typeof value === "string") return BigInt(codePoints(value));
  if (value instanceof CelList || value instanceof CelMap) return BigInt(value.size);
  return value instanceof Uint8Array ? BigInt(value.length) : overloadError(value);
}

const sizes: Signatures = {
  size_bytes: "(bytes) int",
  bytes_size: "bytes.() int",
  size_list: "(list(A)) int",
  list_size: "list(A).() int",
  size_map: "(map(A, B)) int",
  map_size: "map(A, B).() int",
  size_string: "(string) int",
  string_size: "string.() int",
};

const operators: readonly FunctionDecl[] = [
  operator("_?_:_", { signatures: { conditional: "(bool, A, A) A" }, run: unused }),
  operator("_&&_", { signatures: { logical_and: "(bool, bool) bool" }, run: unused }),
  operator("_||_", { signatures: { logical_or: "(bool, bool) bool" }, run: unused }),
  operator("!_", {
    signatures: { logical_not: "(bool) bool" },
    run: (value = null) => (typeof value === "boolean" ? !value : overloadError(value)),
  }),
  operator("@not_strictly_false", {
    signatures: { not_strictly_false: "(bool) bool" },
    run: (value) => value !== false,
  }),
  operator("_==_", { signatures: { equals: "(A, A) bool" }, run: (a = null, b = null) => celEqual(a, b) }),
  operator("_!=_", { signatures: { not_equals: "(A, A) bool" }, run: (a = null, b = null) => celEqual(a, b) !== true }),
  operator("_+_", {
    signatures: {
      add_bytes: "(bytes, bytes) bytes",
      add_double: "(double, double) double",
      add_duration_duration: "(duration, duration) duration",
      add_duration_timestamp: "(duration, timestamp) timestamp",
      add_timestamp_duration: "(timestamp, duration) timestamp",
      add_int64: "(int, int) int",
      add_list: "(list(A), list(A)) list(A)",
      add_string: "(string, string) string",
      add_uint64: "(uint, uint) uint",
    },
    kinds: adders,
    run: (a = null, b = null) => add(a, b),
  }),
  operator("_-_", {
    signatures: {
      subtract_double: "(double, double) double",
      subtract_duration_duration: "(duration, duration) duration",
      subtract_int64: "(int, int) int",
      subtract_timestamp_duration: "(timestamp, duration) timestamp",
      subtract_timestamp_timestamp: "(timestamp, timestamp) duration",
      subtract_uint64: "(uint, uint) uint",
    },
    kinds: kinds("double duration int timestamp uint"),
    run: (a = null, b = null) => subtract(a, b),
  }),
  operator("_*_", {
    signatures: {
      multiply_double: "(double, double) double",
      multiply_int64: "(int, int) int",
      multiply_uint64: "(uint, uint) uint",
    },
    kinds: numbers,
    run: (a = null, b = null) => multiply(a, b),
  }),
  operator("_/_", {
    signatures: {
      divide_double: "(double, double) double",
      divide_int64: "(int, int) int",
      divide_uint64: "(uint, uint) uint",
    },
    kinds: numbers,
    run: (a = null, b = null) => divide(a, b),
  }),
  operator("_%_", {
    signatures: { modulo_int64: "(int, int) int", modulo_uint64: "(uint, uint) uint" },
    kinds: kinds("int uint"),
    run: (a = null, b = null) => modulo(a, b),
  }),
  operator("-_", {
    signatures: { negate_double: "(double) double", negate_int64: "(int) int" },
    kinds: kinds("bool double duration int"),
    run: (a = null) => negate(a),
  }),
  ordering("_<_", { prefix: "less", holds: (order) => order < 0 }),
  ordering("_<=_", { prefix: "less_equals", holds: (order) => order <= 0 }),
  ordering("_>_", { prefix: "greater", holds: (order) => order > 0 }),
  ordering("_>=_", { prefix: "greater_equals", holds: (order) => order >= 0 }),
  operator("_[_]", {
    signatures: { index_list: "(list(A), int) A", index_map: "(map(A, B), A) B" },
    run: unused,
  }),
  operator("@in", {
    signatures: { in_list: "(A, list(A)) bool", in_map: "(A, map(A, B)) bool" },
    run: (value = null, all = null) => isIn(value, all),
  }),
  operator("size", { signatures: sizes, kinds: kinds("bytes list map string"), run: (value = null) => size(value) }),
  operator("type", { signatures: { type: "(A) type(A)" }, run: (value = null) => typeOf(value) }),
  operator("dyn", { signatures: { to_dyn: "(A) dyn" }, run: (value = null) => value }),
  operator("matches", {
    signatures: { matches: "(string, string) bool", matches_string: "string.(string) bool" },
    kinds: kinds("string"),
    run: (text = null, pattern = null) => matches(text, pattern),
  }),
];

const converted =
  (convert: (value: Value) => Value): Run =>
  (value = null) =>
    convert(value);

const conversions: Readonly<Record<string, Signatures>> = {
  bool: { bool_to_bool: ["(bool) bool", converted(toBool)], string_to_bool: ["(string) bool", converted(toBool)] },
  bytes: {
    bytes_to_bytes: ["(bytes) bytes", converted(toBytes)],
    string_to_bytes: ["(string) bytes", converted(toBytes)],
  },
  double: {
    double_to_double: ["(double) double", converted(toDouble)],
    int64_to_double: ["(int) double", converted(toDouble)],
    string_to_double: ["(string) double", converted(toDouble)],
    uint64_to_double: ["(uint) double", converted(toDouble)],
  },
  duration: {
    duration_to_duration: ["(duration) duration", converted(toDuration)],
    int64_to_duration: ["(int) duration", converted(toDuration)],
    string_to_duration: ["(string) duration", converted(toDuration)],
  },
  int: {
    int64_to_int64: ["(int) int", converted(toInt)],
    double_to_int64: ["(double) int", converted(toInt)],
    duration_to_int64: ["(duration) int", converted(toInt)],
    string_to_int64: ["(string) int", converted(toInt)],
    timestamp_to_int64: ["(timestamp) int", converted(toInt)],
    uint64_to_int64: ["(uint) int", converted(toInt)],
  },
  string: {
    string_to_string: ["(string) string", converted(toText)],
    bool_to_string: ["(bool) string", converted(toText)],
    bytes_to_string: ["(bytes) string", converted(toText)],
    double_to_string: ["(double) string", converted(toText)],
    duration_to_string: ["(duration) string", converted(toText)],
    int64_to_string: ["(int) string", converted(toText)],
    timestamp_to_string: ["(timestamp) string", converted(toText)],
    uint64_to_string: ["(uint) string", converted(toText)],
  },
  timestamp: {
    timestamp_to_timestamp: ["(timestamp) timestamp", converted(toTimestamp)],
    int64_to_timestamp: ["(int) timestamp", converted(toTimestamp)],
    string_to_timestamp: ["(string) timestamp", converted(toTimestamp)],
  },
  uint: {
    uint64_to_uint64: ["(uint) uint", converted(toUint)],
    double_to_uint64: ["(double) uint", converted(toUint)],
    int64_to_uint64: ["(int) uint", converted(toUint)],
    string_to_uint64: ["(string) uint", converted(toUint)],
  },
};

const { string } = guards;
const texts: Readonly<Record<string, Signatures>> = {
  contains: {
    contains_string: [
      "string.(string) bool",
      bind<[string, string]>([string, string], (text, part) => text.includes(part)),
    ],
  },
  endsWith: {
    ends_with_string: [
      "string.(string) bool",
      bind<[string, string]>([string, string], (text, end) => text.endsWith(end)),
    ],
  },
  startsWith: {
    starts_with_string: [
      "string.(string) bool",
      bind<[string, string]>([string, string], (text, start) => text.startsWith(start)),
    ],
  },
};

/** The conversion functions: applied to constants, they are evaluated at planning time. */
export const conversionNames: ReadonlySet<string> = new Set([...Object.keys(conversions), "dyn", "type"]);

/** The standard library. */
export const standardFunctions: readonly FunctionDecl[] = [
  ...operators,
  ...declare(conversions),
  ...declare(texts).map((one) => ({ ...one, isUnguarded: true })),
  ...timeFunctions,
];
