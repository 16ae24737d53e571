/** Numbers as Go prints and parses them. Source: Go strconv ftoa.go, atof.go, atoi.go. */

/** The shortest digits that identify a finite double, and the power of ten of the first digit. */
function shortest(value: number): { readonly digits: string; readonly exponent: number } {
  const [mantissa = "", exponent = "0"] = Math.abs(value).toExponential().split("e");
  return { digits: mantissa.replace(".", ""), exponent: Number(exponent) };
}

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? undefined : value > 0 ? "+Inf" : "-Inf";
}

const isNegative = (value: number): boolean => value < 0 || Object.is(value, -0);

/** As with `%g`: `1.5`, `1e+06`, `+Inf`. */
export function formatG(value: number): string {
  const named = special(value);
  if (named !== undefined) return named;
  if (value === 0) return isNegative(value) ? "-0" : "0";
  const { digits, exponent } = shortest(value);
  if (exponent >= -4 && exponent < 6) return formatF(value);
  const mantissa = digits.length > 1 ? `${digits[0]}.${digits.slice(1)}` : digits;
  const power = String(Math.abs(exponent)).padStart(2, "0");
  return `${isNegative(value) ? "-" : ""}${mantissa}e${exponent < 0 ? "-" : "+"}${power}`;
}

/** Without an exponent, with as many digits as needed. */
export function formatF(value: number): string {
  const named = special(value);
  if (named !== undefined) return named;
  const { digits, exponent } = shortest(value);
  const minus = isNegative(value) ? "-" : "";
  if (exponent < 0) return `${minus}0.${"0".repeat(-exponent - 1)}${digits}`.replace(/^(-?0)\.0$/, "$1");
  if (digits.length <= exponent + 1) return `${minus}${digits}${"0".repeat(exponent + 1 - digits.length)}`;
  return `${minus}${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}

/** A finite double as a fraction of integers. */
function fraction(value: number): { readonly over: bigint; readonly under: bigint } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const mantissa = (bits & (2n ** 52n - 1n)) | (exponent === 0 ? 0n : 2n ** 52n);
  const power = (exponent === 0 ? 1 : exponent) - 1075;
  return power >= 0 ? { over: mantissa << BigInt(power), under: 1n } : { over: mantissa, under: 1n << BigInt(-power) };
}

const dividedToEven = (over: bigint, under: bigint): bigint => {
  const [quotient, rest] = [over / under, (over % under) * 2n];
  return rest > under || (rest === under && quotient % 2n === 1n) ? quotient + 1n : quotient;
};

/** With a fixed number of decimals, rounded half to even. */
export function formatFixed(value: number, precision: number): string {
  const named = special(value);
  if (named !== undefined) return named;
  const { over, under } = fraction(value);
  const scaled = dividedToEven(over * 10n ** BigInt(precision), under)
    .toString()
    .padStart(precision + 1, "0");
  const whole = scaled.slice(0, scaled.length - precision);
  return `${isNegative(value) ? "-" : ""}${whole}${precision === 0 ? "" : `.${scaled.slice(-precision)}`}`;
}

/** The mantissa with a fixed number of decimals, and the power of ten. */
export function scientific(value: number, precision: number): { readonly mantissa: string; readonly exponent: number } {
  if (value === 0) return { mantissa: formatFixed(value, precision), exponent: 0 };
  const { over, under } = fraction(value);
  let { exponent } = shortest(value);
  const digitsAt = (at: number): string => {
    const shift = precision - at;
    return (
      shift >= 0
        ? dividedToEven(over * 10n ** BigInt(shift), under)
        : dividedToEven(over, under * 10n ** BigInt(-shift))
    ).toString();
  };
  let digits = digitsAt(exponent);
  if (digits.length > precision + 1) digits = digitsAt(++exponent);
  const mantissa = precision === 0 ? digits : `${digits[0]}.${digits.slice(1)}`;
  return { mantissa: `${value < 0 ? "-" : ""}${mantissa}`, exponent };
}

const [maxInt64, minInt64, maxUint64] = [2n ** 63n - 1n, -(2n ** 63n), 2n ** 64n - 1n];

/** True for signed 64-bit integers. */
export const isInt64 = (value: bigint): boolean => value <= maxInt64 && value >= minInt64;

/** True for unsigned 64-bit integers. */
export const isUint64 = (value: bigint): boolean => value >= 0n && value <= maxUint64;

/** Parses a decimal int64; undefined for other strings. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return isInt64(value) ? value : undefined;
}

/** Parses a decimal uint64; undefined for other strings. */
export function parseUint64(text: string): bigint | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  const value = BigInt(text);
  return isUint64(value) ? value : undefined;
}

const digits = "\\d+(?:_\\d+)*";
const decimalFloat = new RegExp(`^[+-]?(?:${digits}\\.?(?:${digits})?|\\.${digits})(?:[eE][+-]?${digits})?$`);

/** Parses a double as Go does; undefined for other strings, and for numbers out of range. */
export function parseFloat64(text: string): number | undefined {
  const word = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (word !== null) {
    if (word[2]?.toLowerCase() === "nan") return word[1] === "" ? Number.NaN : undefined;
    return word[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  if (!decimalFloat.test(text)) return undefined;
  const value = Number(text.replaceAll("_", ""));
  return Number.isFinite(value) ? value : undefined;
}
