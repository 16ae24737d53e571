/** Values of expressions as JSON. Source: cel-go v0.26 common/types ConvertToNative; apiserver v0.36 pkg/cel/mutation/dynamic/objects.go. */
import { entriesOf, itemsOf } from "../values/collections.ts";
import { formatDurationSeconds, formatTimestamp } from "../values/time.ts";
import { CelList, CelMap, Duration, Opaque, Timestamp, typeOf, Uint, type Value } from "../values/value.ts";
import { ObjectValue } from "./patch-values.ts";

/** @throws TypeError for a value that has no JSON form. */
export function toJson(value: Value): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean" || typeof value === "number")
    return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Uint) return Number(value.value);
  if (value instanceof CelList) return itemsOf(value).map(toJson);
  if (value instanceof CelMap) return fieldsOf(entriesOf(value));
  if (value instanceof ObjectValue) return fieldsOf([...value.fields]);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDurationSeconds(value.nanos);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  const what = value instanceof Opaque ? value.type.name : typeOf(value).name;
  throw new TypeError(`unable to convert ${what} to JSON`);
}

function fieldsOf(entries: readonly (readonly [Value, Value])[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [key, value] of entries) {
    if (typeof key !== "string") throw new TypeError(`map key ${JSON.stringify(toJson(key))} is not a string`);
    // A field may be named `__proto__`.
    Object.defineProperty(fields, key, { value: toJson(value), enumerable: true, configurable: true, writable: true });
  }
  return fields;
}
