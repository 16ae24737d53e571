/** Integers as Go parses them. Source: Go strconv ParseInt, ParseUint. */
import { goQuoted } from "../../api/go-text.ts";

const maxInt64 = 2n ** 63n - 1n;
const maxUint64 = 2n ** 64n - 1n;

/** Why a text is not an int64, in Go's words; undefined if it is one. */
export function intProblem(text: string): string | undefined {
  if (!/^[+-]?\d+$/.test(text)) return `strconv.ParseInt: parsing ${goQuoted(text)}: invalid syntax`;
  const number = BigInt(text.replace("+", ""));
  return number > maxInt64 || number < -maxInt64 - 1n
    ? `strconv.ParseInt: parsing ${goQuoted(text)}: value out of range`
    : undefined;
}

/** Why a text is not a uint64, in Go's words; undefined if it is one. */
export function uintProblem(text: string): string | undefined {
  if (!/^\d+$/.test(text)) return `strconv.ParseUint: parsing ${goQuoted(text)}: invalid syntax`;
  // 19 digits always fit.
  return text.length > 19 && BigInt(text) > maxUint64
    ? `strconv.ParseUint: parsing ${goQuoted(text)}: value out of range`
    : undefined;
}
