/**
 * Quantities: `500m`, `1Gi`, `2e3`. Source: apimachinery v0.36 api/resource/quantity.go, suffix.go; differs: exact integers in billionths
 * instead of scaled ones.
 */

/** How a quantity was written; sums keep the format. */
export type QuantityFormat = "decimal" | "binary" | "exponent";

/** An exact amount, and its format. */
export interface Quantity {
  /** In billionths, the finest precision: finer amounts are rounded up, away from zero. */
  readonly nano: bigint;
  /** The format that it was read in, and is written in. */
  readonly format: QuantityFormat;
}

const billion = 1_000_000_000n;
const largest = (2n ** 63n - 1n) * billion;
const pattern = /^([+-]?)(\d*)(?:\.(\d*))?([eE][+-]?\d+|[KMGTPE]i|[numkMGTPE]?)$/;
/** The power of ten of each decimal suffix. */
export const decimalPowers: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binaryUnits = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const decimalUnits: Readonly<Record<number, string>> = {
  [-9]: "n",
  [-6]: "u",
  [-3]: "m",
  0: "",
  3: "k",
  6: "M",
  9: "G",
  12: "T",
  15: "P",
  18: "E",
};

const cachedAtMost = 10_000;

/** Caches the results for the first texts: the same few quantities recur. */
function cached<T>(compute: (text: string) => T | undefined): (text: string) => T | undefined {
  const results = new Map<string, T>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = compute(text);
    if (result !== undefined && results.size < cachedAtMost) results.set(text, result);
    return result;
  };
}

/** Undefined if the string is not a quantity. Numbers above 2⁶³ − 1 become 2⁶³ − 1. Cached. */
export const parseQuantity: (text: string) => Quantity | undefined = cached(parse);

function parse(text: string): Quantity | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction = "", suffix = ""] = match;
  if (whole === "" && fraction === "") return undefined;
  const format: QuantityFormat = /^[eE][+-]?\d/.test(suffix) ? "exponent" : suffix.endsWith("i") ? "binary" : "decimal";
  const digits = BigInt(whole + fraction);
  let nano: bigint;
  if (format === "binary") {
    const unit = 1024n ** BigInt(binaryUnits.indexOf(suffix));
    nano = dividedUp(digits * unit * billion, 10n ** BigInt(fraction.length));
  } else {
    const power =
      (format === "exponent" ? Number(suffix.slice(1)) : (decimalPowers[suffix] ?? 0)) + 9 - fraction.length;
    // Bounded: beyond these powers, the value is zero or the maximum, whatever its digits.
    if (power > 60 && digits > 0n) nano = largest;
    else if (power < -2000) nano = digits > 0n ? 1n : 0n;
    else nano = power >= 0 ? digits * 10n ** BigInt(power) : dividedUp(digits, 10n ** BigInt(-power));
  }
  if (nano > largest) nano = largest;
  return { nano: sign === "-" ? -nano : nano, format };
}

function dividedUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

/**
 * The canonical form, in which the API server writes a quantity: `1000m` is `1`, `0.5` is `500m`, `1024Mi` is `1Gi`.
 */
export function formatQuantity({ nano, format }: Quantity): string {
  if (nano === 0n) return "0";
  const negative = nano < 0n;
  const size = negative ? -nano : nano;
  const text =
    format === "binary" && size >= 1024n * billion && size % billion === 0n
      ? binary(size / billion)
      : decimal(size, format === "exponent");
  return negative ? `-${text}` : text;
}

function binary(value: bigint): string {
  let unit = 0;
  let left = value;
  while (left % 1024n === 0n && unit < binaryUnits.length - 1) {
    left /= 1024n;
    unit++;
  }
  return `${left}${binaryUnits[unit]}`;
}

function decimal(nano: bigint, exponent: boolean): string {
  let power = -9;
  let left = nano;
  while (left % 1000n === 0n && power < 18) {
    left /= 1000n;
    power += 3;
  }
  if (exponent) return power === 0 ? String(left) : `${left}e${power}`;
  return `${left}${decimalUnits[power]}`;
}

/** A quantity's text in canonical form; undefined if it is not a quantity. Cached. */
export const canonicalQuantity: (text: string) => string | undefined = cached((text) => {
  const quantity = parseQuantity(text);
  return quantity === undefined ? undefined : formatQuantity(quantity);
});

/** Below 0, 0 or above 0 if `a` is less than, equal to, or greater than `b`. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return a.nano < b.nano ? -1 : a.nano > b.nano ? 1 : 0;
}

/** `a + b`, in the format of `a`. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nano: a.nano + b.nano, format: a.nano === 0n ? b.format : a.format };
}

const million = 1_000_000n;

/**
 * In thousandths, rounded away from zero; what does not fit 64 bits (over 9.2 · 10¹⁵ units) wraps around, as in Go. Source:
 * apimachinery v0.36 api/resource/quantity.go MilliValue.
 */
export function milliValue({ nano }: Quantity): bigint {
  const size = dividedUp(nano < 0n ? -nano : nano, million);
  return BigInt.asIntN(64, nano < 0n ? -size : size);
}

/** The quantity for a number of thousandths. */
export function ofMilli(milli: bigint, format: QuantityFormat = "decimal"): Quantity {
  return { nano: milli * million, format };
}
