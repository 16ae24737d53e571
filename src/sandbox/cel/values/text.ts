/** Values as messages print them. Source: Go fmt with %v over the types of cel-go v0.26 common/types/. */
import { formatG } from "./go-numbers.ts";
import { formatGoDuration, formatTimestamp } from "./time.ts";
import { CelError, CelList, CelMap, Duration, Opaque, Optional, Timestamp, Uint, type Value } from "./value.ts";
import { CelType } from "./types.ts";

/** A value as `%v` prints it: strings without quotes, lists in brackets. */
export function goText(value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return formatG(value);
  if (typeof value !== "object") return String(value);
  if (value === null) return "0";
  if (value instanceof Uint) return String(value.value);
  if (value instanceof CelList)
    return `[${Array.from({ length: value.size }, (_, n) => goText(value.get(n))).join(", ")}]`;
  if (value instanceof CelMap)
    return `{${value
      .keys()
      .map((key) => `${goText(key)}: ${goText(value.find(key) ?? null)}`)
      .join(", ")}}`;
  if (value instanceof Timestamp) return goTime(value);
  if (value instanceof Duration) return formatGoDuration(value.nanos);
  if (value instanceof CelType) return value.name;
  if (value instanceof Optional)
    return value.value === undefined ? "optional.none()" : `optional(${goText(value.value)})`;
  if (value instanceof CelError) return value.message;
  if (value instanceof Opaque) return value.text();
  return `[${value.join(" ")}]`;
}

/** `2026-01-02 03:04:05.5 +0000 UTC`. */
function goTime(time: Timestamp): string {
  const text = formatTimestamp(time);
  const [, date = "", clock = "", zone = ""] = /^(.+)T([\d:.]+)(.+)$/.exec(text) ?? [];
  const offset = zone === "Z" ? "+0000" : zone.replace(":", "");
  return `${date} ${clock} ${offset} ${zone === "Z" ? "UTC" : offset}`;
}
