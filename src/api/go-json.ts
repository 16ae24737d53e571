/** JSON as Go's encoder writes it. Source: Go encoding/json encode.go appendString, mapEncoder. */
import { isObject } from "./json.ts";

const unsafe = /[<>&\u2028\u2029]/;
const allUnsafe = /[<>&\u2028\u2029]/g;

/** A value as HTML-safe JSON. Keys keep their order. */
export function goJson(value: unknown): string {
  const json = JSON.stringify(value);
  return unsafe.test(json)
    ? json.replaceAll(allUnsafe, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : json;
}

/** The same with the keys of every object in the order of Go's maps; undefined fields are omitted. */
export function sortedGoJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedGoJson).join(",")}]`;
  if (!isObject(value)) return goJson(value ?? null);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const fields = entries
    .sort(([a], [b]) => compareAsGo(a, b))
    .map(([key, item]) => `${goJson(key)}:${sortedGoJson(item)}`);
  return `{${fields.join(",")}}`;
}

const encoder = new TextEncoder();

/** The byte order of two strings: that of their code points, not of UTF-16. */
export function compareAsGo(a: string, b: string): number {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  const at = left.findIndex((byte, n) => byte !== right[n]);
  return at < 0 ? left.length - right.length : (left[at] ?? -1) - (right[at] ?? -1);
}
