/** Field changes as short text. */
import type { FieldChange } from "../../src/api/field-changes.ts";
import type { ChangeSummary } from "../../src/views/field-interest.ts";
import { shorten } from "../cli/style.ts";

/** Longer values are truncated. */
const maxValueLength = 40;
/** The same for wide output. */
const maxWideLength = 200;

/** `3`, `web:2`, `{replicas, paused}`, `2 items`; for a condition its status; long texts are truncated. */
export function shortValue(value: unknown): string {
  if (value === undefined) return "none";
  if (Array.isArray(value)) return value.length === 1 ? "1 item" : `${value.length} items`;
  if (typeof value === "object" && value !== null) {
    const keys = Object.keys(value);
    if ("type" in value && "status" in value && typeof value.status === "string") return value.status;
    return `{${keys.length > 3 ? `${keys.slice(0, 3).join(", ")}, …` : keys.join(", ")}}`;
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return shorten(text.includes("\n") ? JSON.stringify(text) : text, maxValueLength);
}

/** `.spec.replicas 3 → 5`, `.metadata.deletionTimestamp set`, `.spec.paused true`, `.metadata.labels.app removed (web)`. */
export function changeText({ path, ...change }: FieldChange): string {
  const short = path.replace(/^\.metadata\.(?=labels|annotations)/, ".");
  if (/^\.metadata\.(deletionTimestamp|creationTimestamp)$/.test(path))
    return `${path} ${"after" in change ? "set" : "removed"}`;
  if (!("before" in change)) return `${short} ${shortValue(change.after)}`;
  if (!("after" in change)) return `${short} removed`;
  if (Array.isArray(change.before) && Array.isArray(change.after)) {
    return `${short} ${change.before.length} → ${shortValue(change.after)}`;
  }
  return `${short} ${shortValue(change.before)} → ${shortValue(change.after)}`;
}

/** Every change with its full values: lists and objects as JSON, very long ones truncated. */
export function wideChangesText(changes: readonly FieldChange[]): readonly string[] {
  const value = (of: unknown): string => shorten(typeof of === "string" && of !== "" ? of : json(of), maxWideLength);
  return changes.map(({ path, ...change }) => {
    if (!("before" in change)) return `${path} ${value(change.after)}`;
    if (!("after" in change)) return `${path} removed (${value(change.before)})`;
    return `${path} ${value(change.before)} → ${value(change.after)}`;
  });
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? "none";
}

/** The changes of a summary, one text each, and the number of further changes. */
export function summaryText({ shown, more }: ChangeSummary): readonly string[] {
  return [...shown.map(changeText), ...(more === 0 ? [] : [`${more} more changes`])];
}
