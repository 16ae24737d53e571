/** `text.format([...])`. Source: cel-go v0.26 ext/formatting.go; numbers as golang.org/x/text prints them in en_US. */
import { formatFixed, scientific } from "../values/go-numbers.ts";
import { goQuoted } from "../../../api/go-text.ts";
import { formatDurationSeconds, formatTimestamp } from "../values/time.ts";
import { CelType } from "../values/types.ts";
import { CelError, CelList, CelMap, Duration, Timestamp, typeOf, Uint, type Value } from "../values/value.ts";
import { toText } from "./conversions.ts";

/** An error in a format or an argument. */
class FormatProblem extends Error {}

/** A format clause: `%.2f` is a fixed-point clause with two digits. */
export interface Clause {
  readonly is: "string" | "decimal" | "fixed" | "scientific" | "binary" | "hex" | "octal";
  readonly precision: number | undefined;
  readonly isUpper: boolean;
}

const names: Readonly<Record<string, Clause["is"]>> = {
  s: "string",
  d: "decimal",
  f: "fixed",
  e: "scientific",
  b: "binary",
  x: "hex",
  X: "hex",
  o: "octal",
};

/** The messages for arguments that a clause does not accept. */
const refusals: Readonly<Record<Clause["is"], string>> = {
  string:
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
  decimal: "decimal clause can only be used on integers",
  fixed: "fixed-point clause can only be used on doubles",
  scientific: "scientific clause can only be used on doubles",
  binary: "only integers and bools can be formatted as binary",
  hex: "only integers, byte buffers, and strings can be formatted as hex",
  octal: "octal clause can only be used on integers",
};

/** The message for an argument that a clause does not accept. */
export const refusal = (is: Clause["is"], type: string): string => `${refusals[is]}, was given ${type}`;

/** Receives the clauses of a format in order, and returns the text for each. */
export interface Arguments {
  readonly count: number;
  /** Formats an argument with a clause; errors that it throws are reported as formatting errors. @throws Error */
  take(index: number, clause: Clause): string;
}

/**
 * Walks through a format.
 * @throws Error with cel-go's message
 */
export function eachClause(text: string, args: Arguments): string {
  let built = "";
  let index = 0;
  for (let at = 0; at < text.length;) {
    if (text[at] !== "%") {
      built += text[at++];
      continue;
    }
    if (text[at + 1] === "%") {
      built += "%";
      at += 2;
      continue;
    }
    if (index >= args.count) throw new FormatProblem(`index ${index} out of range`);
    if (at + 1 >= text.length) throw new FormatProblem("unexpected end of string");
    const { clause, end } = clauseAt(text, at + 1);
    built += taken(args, { index: index++, clause });
    at = end;
  }
  return built;
}

function taken(args: Arguments, { index, clause }: { readonly index: number; readonly clause: Clause }): string {
  try {
    return args.take(index, clause);
  } catch (cause) {
    throw new FormatProblem(`error during formatting: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

function clauseAt(text: string, start: number): { readonly clause: Clause; readonly end: number } {
  const failed = (why: string): FormatProblem => new FormatProblem(`could not parse formatting clause: ${why}`);
  let at = start;
  let precision: number | undefined;
  if (text[at] === ".") {
    const digits = /^\d*/.exec(text.slice(at + 1))?.[0] ?? "";
    at += 1 + digits.length;
    if (at >= text.length) throw failed("error while parsing precision: could not find end of precision specifier");
    if (digits === "")
      throw failed(
        'error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
      );
    precision = Number(digits);
  }
  const letter = text[at] ?? "";
  const is = names[letter];
  if (is === undefined) throw failed(`unrecognized formatting clause "${letter}"`);
  return { clause: { is, precision, isUpper: letter === "X" }, end: at + 1 };
}

/** The formatted text, or an error. */
export function format(text: string, args: CelList): Value {
  try {
    return eachClause(text, {
      count: args.size,
      take: (index, clause) => formatted(args.get(index), clause),
    });
  } catch (error) {
    if (error instanceof FormatProblem) return new CelError(error.message);
    throw error;
  }
}

function formatted(value: Value, clause: Clause): string {
  const refused = (): FormatProblem => new FormatProblem(refusal(clause.is, typeOf(value).name));
  switch (clause.is) {
    case "string":
      return plainText(value);
    case "decimal":
      return whole(value, 10) ?? raise(refused());
    case "fixed":
    case "scientific":
      return floating(value, clause) ?? raise(refused());
    case "binary":
      return typeof value === "boolean" ? String(Number(value)) : (whole(value, 2) ?? raise(refused()));
    case "octal":
      return whole(value, 8) ?? raise(refused());
    case "hex": {
      const digits = hex(value) ?? raise(refused());
      return clause.isUpper ? digits.toUpperCase() : digits;
    }
  }
}

function raise(problem: Error): never {
  throw problem;
}

const whole = (value: Value, base: number): string | undefined =>
  typeof value === "bigint" ? value.toString(base) : value instanceof Uint ? value.value.toString(base) : undefined;

function hex(value: Value): string | undefined {
  if (typeof value === "string") return hexBytes(new TextEncoder().encode(value));
  return value instanceof Uint8Array ? hexBytes(value) : whole(value, 16);
}

const hexBytes = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const wordsOfNumbers: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};

function floating(value: Value, { is, precision = 6 }: Clause): string | undefined {
  const number = typeof value === "string" ? wordsOfNumbers[value] : value;
  if (typeof number !== "number") return undefined;
  if (Number.isNaN(number)) return "NaN";
  if (!Number.isFinite(number)) return number > 0 ? "∞" : "-∞";
  return is === "fixed" ? grouped(formatFixed(number, precision)) : superscript(number, precision);
}

/** `1234.5` is `1,234.5`. */
const grouped = (text: string): string => {
  const [, minus = "", digits = "", rest = ""] = /^(-?)(\d+)(.*)$/.exec(text) ?? [];
  return `${minus}${digits.replaceAll(/\B(?=(\d{3})+$)/g, ",")}${rest}`;
};

const raised: readonly string[] = ["⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"];

/** As in cel-go, the precision of a scientific clause is used as a width. */
function superscript(value: number, width: number): string {
  const { mantissa, exponent } = scientific(value, 6);
  const digits = String(Math.abs(exponent)).padStart(2, "0");
  const power = Array.from(digits, (digit) => raised[Number(digit)] ?? "").join("");
  return `${mantissa}×10${exponent < 0 ? "⁻" : ""}${power}`.padStart(width);
}

/** A value as a string clause prints it. */
function plainText(value: Value): string {
  if (value instanceof CelList) return listText(value);
  if (value instanceof CelMap) return mapText(value);
  const isText =
    typeof value !== "object" ||
    value === null ||
    value instanceof Uint ||
    value instanceof Timestamp ||
    value instanceof Duration ||
    value instanceof Uint8Array ||
    value instanceof CelType;
  const text = isText ? toText(value) : undefined;
  if (typeof text === "string") return text;
  if (text instanceof CelError)
    throw new FormatProblem(`could not convert argument ${goQuoted(text.message)} to string`);
  throw new FormatProblem(refusal("string", typeOf(value).name));
}

/** A value within a list or a map; strings are quoted. */
function innerText(value: Value): string {
  if (typeof value === "string") return goQuoted(value);
  if (typeof value === "bigint" || typeof value === "boolean" || value === null) return String(value);
  if (typeof value === "number")
    return Number.isFinite(value) ? formatFixed(value, 6) : goQuoted(formatFixed(value, 6));
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Timestamp) return `timestamp(${goQuoted(formatTimestamp(value))})`;
  if (value instanceof Duration) return `duration(${goQuoted(formatDurationSeconds(value.nanos))})`;
  if (value instanceof Uint8Array) return `b${goQuoted(plainText(value))}`;
  if (value instanceof CelList) return listText(value);
  if (value instanceof CelMap) return mapText(value);
  if (value instanceof CelType) return value.name;
  throw new FormatProblem(`no formatting function for ${typeOf(value).name}`);
}

const listText = (list: CelList): string =>
  `[${Array.from({ length: list.size }, (_, n) => innerText(list.get(n))).join(", ")}]`;

function mapText(map: CelMap): string {
  const entries = map.keys().map((key) => {
    const isKey = ["string", "boolean", "bigint"].includes(typeof key) || key instanceof Uint;
    if (!isKey) throw new FormatProblem(`no formatting function for map key of type ${typeOf(key).name}`);
    return [innerText(key), innerText(map.find(key) ?? null)] as const;
  });
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(", ")}}`;
}
