/** String functions; indexes count code points. Source: cel-go v0.26 ext/strings.go, version 2. */
import { shortEscapes } from "../../../api/go-text.ts";
import { ArrayList } from "../values/collections.ts";
import { goText } from "../values/text.ts";
import { CelError, CelList, type Value } from "../values/value.ts";
import { format } from "./format-text.ts";
import { bind, declare, type FunctionDecl, guards } from "./function.ts";

const { string, int, list } = guards;

const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`);

/** True if the string's code units are its code points. */
// oxlint-disable-next-line no-control-regex -- it tests for ASCII
const isPlain = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

const pointsOf = (text: string): readonly string[] => (isPlain(text) ? text.split("") : Array.from(text));

function charAt(text: string, index: bigint): Value {
  const points = pointsOf(text);
  if (index < 0n || index > BigInt(points.length)) return outOfRange(index);
  return points[Number(index)] ?? "";
}

interface Search {
  readonly part: string;
  /** Where the search begins. */
  readonly offset: bigint;
}

/** Whether a part is at its expected position. */
const isFoundIn =
  (points: readonly string[], part: readonly string[]): ((at: number) => boolean) =>
  (at) =>
    part.every((point, n) => points[at + n] === point);

function indexOf(text: string, { part, offset }: Search): Value {
  if (part === "") return offset;
  const [points, wanted] = [pointsOf(text), pointsOf(part)];
  const isAt = isFoundIn(points, wanted);
  if (offset < 0n) return outOfRange(offset);
  if (offset >= BigInt(points.length)) return -1n;
  for (let at = Number(offset); at <= points.length - wanted.length; at++) {
    if (isAt(at)) return BigInt(at);
  }
  return -1n;
}

function lastIndexOf(text: string, { part, offset }: Search): Value {
  if (part === "") return offset;
  const [points, wanted] = [pointsOf(text), pointsOf(part)];
  const isAt = isFoundIn(points, wanted);
  if (offset < 0n) return outOfRange(offset);
  if (offset >= BigInt(points.length)) return -1n;
  for (let at = Math.min(Number(offset), points.length - wanted.length); at >= 0; at--) {
    if (isAt(at)) return BigInt(at);
  }
  return -1n;
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

function lastIndex(text: string, part: string): Value {
  const { length } = pointsOf(text);
  if (part === "") return BigInt(length);
  if (bytesOf(text) < bytesOf(part)) return -1n;
  return lastIndexOf(text, { part, offset: BigInt(length - 1) });
}

const lower = (text: string): string => text.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase());
const upper = (text: string): string => text.replaceAll(/[a-z]+/g, (part) => part.toUpperCase());

interface Replacement {
  readonly from: string;
  readonly to: string;
  readonly most: bigint;
}

/** Like Go's strings.Replace: an empty string matches before each code point and at the end. */
function replace(text: string, { from, to, most }: Replacement): string {
  if (most < 0n && from !== "") return text.replaceAll(from, () => to);
  let left = most < 0n ? Number.POSITIVE_INFINITY : Number(most);
  if (from === "") {
    let replaced = "";
    for (const point of text) replaced += (left-- > 0 ? to : "") + point;
    return replaced + (left > 0 ? to : "");
  }
  let replaced = "";
  let at = 0;
  for (let found = text.indexOf(from); found >= 0 && left-- > 0; found = text.indexOf(from, at)) {
    replaced += text.slice(at, found) + to;
    at = found + from.length;
  }
  return replaced + text.slice(at);
}

function split(text: string, { separator, most }: { readonly separator: string; readonly most: bigint }): Value {
  if (most === 0n) return new ArrayList([]);
  const parts = separator === "" ? Array.from(text) : text.split(separator);
  if (most < 0n || BigInt(parts.length) <= most) return new ArrayList(parts);
  const kept = Number(most) - 1;
  return new ArrayList([...parts.slice(0, kept), parts.slice(kept).join(separator)]);
}

function substring(text: string, { start, end }: { readonly start: bigint; readonly end?: bigint }): Value {
  const points = pointsOf(text);
  const length = BigInt(points.length);
  if (end !== undefined && start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > length) return outOfRange(start);
  if (end !== undefined && (end < 0n || end > length)) return outOfRange(end);
  return points.slice(Number(start), end === undefined ? undefined : Number(end)).join("");
}

/** The whitespace of Go's unicode.IsSpace. */
const trimmed = (text: string): string =>
  text.replaceAll(
    /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g,
    "",
  );

const escapes: Readonly<Record<string, string>> = { ...shortEscapes, "\\": "\\\\", '"': '\\"' };

// oxlint-disable-next-line no-control-regex -- these are the escaped characters
const quoted = (text: string): string => `"${text.replaceAll(/[\x07\b\f\n\r\t\v\\"]/g, (one) => escapes[one] ?? one)}"`;

function join(items: CelList, separator: string): Value {
  let joined = "";
  for (let n = 0; n < items.size; n++) {
    const item = items.get(n);
    if (typeof item !== "string") return new CelError(`join: invalid input: ${goText(item)}`);
    joined += (n === 0 ? "" : separator) + item;
  }
  return joined;
}

/** `charAt`, `indexOf`, `format` and the others. */
export const stringFunctions: readonly FunctionDecl[] = declare({
  charAt: { string_char_at_int: ["string.(int) string", bind<[string, bigint]>([string, int], charAt)] },
  indexOf: {
    string_index_of_string: [
      "string.(string) int",
      bind<[string, string]>([string, string], (text, part) => indexOf(text, { part, offset: 0n })),
    ],
    string_index_of_string_int: [
      "string.(string, int) int",
      bind<[string, string, bigint]>([string, string, int], (text, part, offset) => indexOf(text, { part, offset })),
    ],
  },
  lastIndexOf: {
    string_last_index_of_string: ["string.(string) int", bind<[string, string]>([string, string], lastIndex)],
    string_last_index_of_string_int: [
      "string.(string, int) int",
      bind<[string, string, bigint]>([string, string, int], (text, part, offset) =>
        lastIndexOf(text, { part, offset }),
      ),
    ],
  },
  lowerAscii: { string_lower_ascii: ["string.() string", bind<[string]>([string], lower)] },
  replace: {
    string_replace_string_string: [
      "string.(string, string) string",
      bind<[string, string, string]>([string, string, string], (text, from, to) =>
        replace(text, { from, to, most: -1n }),
      ),
    ],
    string_replace_string_string_int: [
      "string.(string, string, int) string",
      bind<[string, string, string, bigint]>([string, string, string, int], (text, from, to, most) =>
        replace(text, { from, to, most }),
      ),
    ],
  },
  split: {
    string_split_string: [
      "string.(string) list(string)",
      bind<[string, string]>([string, string], (text, separator) => split(text, { separator, most: -1n })),
    ],
    string_split_string_int: [
      "string.(string, int) list(string)",
      bind<[string, string, bigint]>([string, string, int], (text, separator, most) =>
        split(text, { separator, most }),
      ),
    ],
  },
  substring: {
    string_substring_int: [
      "string.(int) string",
      bind<[string, bigint]>([string, int], (text, start) => substring(text, { start })),
    ],
    string_substring_int_int: [
      "string.(int, int) string",
      bind<[string, bigint, bigint]>([string, int, int], (text, start, end) => substring(text, { start, end })),
    ],
  },
  trim: { string_trim: ["string.() string", bind<[string]>([string], trimmed)] },
  upperAscii: { string_upper_ascii: ["string.() string", bind<[string]>([string], upper)] },
  format: { string_format: ["string.(list(dyn)) string", bind<[string, CelList]>([string, list], format)] },
  "strings.quote": { strings_quote: ["(string) string", bind<[string]>([string], quoted)] },
  join: {
    list_join: ["list(string).() string", bind<[CelList]>([list], (items) => join(items, ""))],
    list_join_string: ["list(string).(string) string", bind<[CelList, string]>([list, string], join)],
  },
});
