/** The values of YAML scalars, by the rules of Go's parser. Source: go.yaml.in/yaml/v2 resolve.go. */

export type Scalar = string | number | boolean | null;

/** A value that does not match its tag. */
export class TagProblem extends Error {
  override readonly name = "TagProblem";
}

type TagName = "str" | "bool" | "int" | "float" | "null" | "timestamp" | "merge";

interface Resolved {
  readonly tag: TagName;
  readonly value: Scalar;
}

const words = new Map<string, Resolved>();
for (const [tag, value, texts] of [
  ["bool", true, "y Y yes Yes YES true True TRUE on On ON"],
  ["bool", false, "n N no No NO false False FALSE off Off OFF"],
  ["null", null, " ~ null Null NULL"],
  ["float", NaN, ".nan .NaN .NAN"],
  ["float", Infinity, ".inf .Inf .INF +.inf +.Inf +.INF"],
  ["float", -Infinity, "-.inf -.Inf -.INF"],
  ["merge", "<<", "<<"],
] as const) {
  for (const text of texts.split(" ")) words.set(text, { tag, value });
}

const integer = /^([-+]?)(?:0x([0-9a-f]+)|0o?([0-7]+)|0b([01]+)|(0|[1-9][0-9]*))$/i;
const decimal = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const timestamp =
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(\.[0-9]+)?(Z|[-+][0-9]{2}:[0-9]{2})?)?$/;

/** The largest and the smallest integers in Go; beyond them, numbers are floats. */
const [largest, smallest] = [2n ** 64n - 1n, -(2n ** 63n)];

function integerOf(text: string): number | undefined {
  const [, sign, hex, octal, binary, plain] = integer.exec(text) ?? [];
  const digits =
    hex === undefined
      ? octal === undefined
        ? binary === undefined
          ? plain
          : `0b${binary}`
        : `0o${octal}`
      : `0x${hex}`;
  if (digits === undefined) return undefined;
  const value = sign === "-" ? -BigInt(digits) : BigInt(digits);
  return value > largest || value < smallest ? undefined : Number(value);
}

function resolved(text: string): Resolved {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(text)) return { tag: "str", value: text };
  if (timestamp.test(text)) return { tag: "timestamp", value: text };
  const plain = text.startsWith(".") ? text : text.replaceAll("_", "");
  const whole = integerOf(plain);
  if (whole !== undefined) return { tag: "int", value: whole };
  return decimal.test(plain) ? { tag: "float", value: Number(plain) } : { tag: "str", value: text };
}

/** The value of a plain scalar. */
export function plainValue(text: string): Scalar {
  return resolved(text).value;
}

/** True if a string without quotes would be another value. */
export function needsQuotes(text: string): boolean {
  return resolved(text).tag !== "str" || /^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$/.test(text);
}

const prefix = "tag:yaml.org,2002:";

/** The value of a scalar with a tag. @throws TagProblem */
export function taggedValue(tag: string, text: string): Scalar {
  if (!tag.startsWith(prefix)) return text;
  const name = tag.slice(prefix.length);
  if (name === "binary") return binaryOf(text);
  if (!["bool", "int", "float", "null", "timestamp"].includes(name)) return text;
  const { tag: is, value } = resolved(text);
  if (is === name || (is === "int" && name === "float")) return value;
  throw new TagProblem(`cannot decode !!${is} \`${text}\` as a !!${name}`);
}

function binaryOf(text: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text.replaceAll(/\s/g, "")), (char) => char.charCodeAt(0)));
  } catch {
    throw new TagProblem("!!binary value contains invalid base64 data");
  }
}
