/** `quantity()`. Source: apiserver v0.36 pkg/cel/library/quantity.go; apimachinery v0.36 api/resource/quantity.go, amount.go. */
import { decimalPowers, formatQuantity, parseQuantity, type QuantityFormat } from "../../../api/quantity.ts";
import { isInt64 } from "../values/go-numbers.ts";
import { type CelType, objectOf } from "../values/types.ts";
import { CelError, Opaque, overloadError, type Value } from "../values/value.ts";
import { bind, declare, type FunctionDecl, guards } from "./function.ts";

/** The type of quantities. */
export const quantityType: CelType = objectOf("kubernetes.Quantity");

/** A number with few digits and its power of ten, as Go stores it; larger ones are arbitrary-precision decimals. */
interface Amount {
  readonly value: bigint;
  readonly scale: number;
}

interface Sum {
  readonly nano: bigint;
  readonly format: QuantityFormat;
  /** Undefined for an arbitrary-precision decimal. */
  readonly amount: Amount | undefined;
}

/** A quantity. */
class QuantityValue extends Opaque {
  readonly type = quantityType;
  readonly sum: Sum;

  constructor(sum: Sum) {
    super();
    this.sum = sum;
  }

  equal(other: Value): boolean | CelError {
    return other instanceof QuantityValue ? this.sum.nano === other.sum.nano : overloadError(other);
  }

  text(): string {
    return formatQuantity(this.sum);
  }
}

const mostDigits = 18;

/** How Go stores a number written this way. Source: quantity.go ParseQuantity. */
function amountOf(text: string, format: QuantityFormat): Amount | undefined {
  const [, sign = "", written = "", denominator = "", suffix = ""] =
    /^([+-]?)0*(\d*)(?:\.(\d*))?(.*)$/.exec(text) ?? [];
  const digits = written === "" ? "0" : written;
  const minus = sign === "-" ? -1n : 1n;
  if (format === "binary") {
    const power = 10 * (["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].indexOf(suffix) + 1);
    const precision = 15 - digits.length - Math.trunc((power * 3) / 10) - 1;
    if (denominator !== "" || precision < 0) return undefined;
    const value = BigInt(digits) << BigInt(power);
    return isInt64(value) ? { value: value * minus, scale: 0 } : undefined;
  }
  if (digits.length + denominator.length > mostDigits) return undefined;
  const exponent = format === "exponent" ? Number(suffix.slice(1)) : (decimalPowers[suffix] ?? 0);
  const scale = exponent - denominator.length;
  return scale < -9 ? undefined : { value: BigInt(digits + denominator) * minus, scale };
}

function quantityOf(text: string): QuantityValue | CelError {
  const parsed = parseQuantity(text);
  if (parsed === undefined) return new CelError(problemOf(text));
  return new QuantityValue({ ...parsed, amount: amountOf(text, parsed.format) });
}

const pattern = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$";

/** Why a string is not a quantity, in Go's words. */
function problemOf(text: string): string {
  const suffix = /^[+-]?\d*(?:\.\d*)?([eEinumkKMGTP]*[-+]?\d*)$/.exec(text)?.[1];
  if (text === "" || suffix === undefined) return `quantities must match the regular expression '${pattern}'`;
  return /^[+-]?\.?[^\d.]/.test(text) && suffix === ""
    ? "unable to parse numeric part of quantity"
    : "unable to parse quantity's suffix";
}

/** The value as an int64; undefined if Go has none, even for an integer. */
function wholeOf({ amount }: Sum): bigint | undefined {
  if (amount === undefined || amount.scale < 0) return undefined;
  if (amount.scale > 18) return undefined;
  const value = amount.value * 10n ** BigInt(amount.scale);
  return isInt64(value) ? value : undefined;
}

function added(a: Amount | undefined, b: Amount | undefined): Amount | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (b.value === 0n) return a;
  if (a.value === 0n) return b;
  const scale = Math.min(a.scale, b.scale);
  if (Math.max(a.scale, b.scale) - scale > 18) return undefined;
  const scaled = (one: Amount): bigint => one.value * 10n ** BigInt(one.scale - scale);
  const value = scaled(a) + scaled(b);
  return [scaled(a), scaled(b), value].every(isInt64) ? { value, scale } : undefined;
}

const plus = (a: Sum, b: Sum): QuantityValue =>
  new QuantityValue({
    nano: a.nano + b.nano,
    format: a.nano === 0n ? b.format : a.format,
    amount: added(a.amount, b.amount),
  });

const negative = (sum: Sum): Sum => ({
  ...sum,
  nano: -sum.nano,
  amount: sum.amount === undefined ? undefined : { ...sum.amount, value: -sum.amount.value },
});

const ofInt = (value: bigint): Sum => ({
  nano: value * 1_000_000_000n,
  format: "exponent",
  amount: { value, scale: 0 },
});

function approximate({ amount, nano }: Sum): number {
  if (amount === undefined) return Number(nano) * 1e-9;
  return amount.scale === 0 ? Number(amount.value) : Number(amount.value) * Number(`1e${amount.scale}`);
}

const order = (a: Sum, b: Sum): bigint => (a.nano < b.nano ? -1n : a.nano > b.nano ? 1n : 0n);

const { string, int } = guards;
const isQuantity = (value: Value | undefined): value is QuantityValue => value instanceof QuantityValue;
const onOne = (run: (sum: Sum) => Value): ReturnType<typeof bind> =>
  bind<[QuantityValue]>([isQuantity], ({ sum }) => run(sum));
const onTwo = (run: (a: Sum, b: Sum) => Value): ReturnType<typeof bind> =>
  bind<[QuantityValue, QuantityValue]>([isQuantity, isQuantity], (a, b) => run(a.sum, b.sum));
const onInt = (run: (a: Sum, b: Sum) => Value): ReturnType<typeof bind> =>
  bind<[QuantityValue, bigint]>([isQuantity, int], (a, b) => run(a.sum, ofInt(b)));

/** `quantity`, `isLessThan` and the others. */
export const quantityFunctions: readonly FunctionDecl[] = declare(
  {
    quantity: { string_to_quantity: ["(string) Quantity", bind<[string]>([string], quantityOf)] },
    isQuantity: {
      is_quantity_string: ["(string) bool", bind<[string]>([string], (text) => parseQuantity(text) !== undefined)],
    },
    sign: { quantity_sign: ["(Quantity) int", onOne((sum) => order(sum, ofInt(0n)))] },
    isGreaterThan: { quantity_is_greater_than: ["Quantity.(Quantity) bool", onTwo((a, b) => order(a, b) > 0n)] },
    isLessThan: { quantity_is_less_than: ["Quantity.(Quantity) bool", onTwo((a, b) => order(a, b) < 0n)] },
    compareTo: { quantity_compare_to: ["Quantity.(Quantity) int", onTwo(order)] },
    asApproximateFloat: { quantity_get_float: ["Quantity.() double", onOne(approximate)] },
    asInteger: {
      quantity_get_int: [
        "Quantity.() int",
        onOne((sum) => wholeOf(sum) ?? new CelError("cannot convert value to integer")),
      ],
    },
    isInteger: { quantity_is_integer: ["Quantity.() bool", onOne((sum) => wholeOf(sum) !== undefined)] },
    add: {
      quantity_add: ["Quantity.(Quantity) Quantity", onTwo(plus)],
      quantity_add_int: ["Quantity.(int) Quantity", onInt(plus)],
    },
    sub: {
      quantity_sub: ["Quantity.(Quantity) Quantity", onTwo((a, b) => plus(a, negative(b)))],
      quantity_sub_int: ["Quantity.(int) Quantity", onInt((a, b) => plus(a, negative(b)))],
    },
  },
  { Quantity: quantityType },
);
