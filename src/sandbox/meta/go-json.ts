/** JSON as Go's encoder writes it. Source: Go encoding/json encode.go appendString. */

const unsafe = /[<>&\u2028\u2029]/;
const allUnsafe = /[<>&\u2028\u2029]/g;

/** A value as JSON that is safe within HTML. Keys stay in their order. */
export function goJson(value: unknown): string {
  const json = JSON.stringify(value);
  return unsafe.test(json)
    ? json.replaceAll(allUnsafe, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : json;
}
