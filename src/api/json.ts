/** A JSON object, as parsed. */
export type JsonObject = Record<string, unknown>;

/** Whether a JSON value is an object: neither a list nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
