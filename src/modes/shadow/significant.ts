/** The part of a write that reflects a decision: without times, generations, and what was made up for shadow's own objects. */
import { type FieldChange, fieldChanges } from "../../api/field-changes.ts";
import type { StoredObject } from "../../api/object.ts";
import { withReal } from "./made-up.ts";
import type { WouldBeWrite } from "./overlay.ts";

/** The changes of an update or patch, without timestamps and generations, which differ between any two writers. */
export function wantedChanges({ before, after }: WouldBeWrite): readonly FieldChange[] {
  return fieldChanges(before, after).filter(({ path }) => !isIncidental(path));
}

/** Whether a field does not reflect a decision of the writer. */
export function isIncidental(path: string): boolean {
  return /(Time|Timestamp|\.generation)$/.test(path);
}

/**
 * A type in a warning about an expression: `list(Endpoints186451947.subsets.@idx)`. The number is the nanosecond of the check.
 * Source: apiserver v0.36 pkg/admission/plugin/policy/validating/typechecking.go generateUniqueTypeName.
 */
const numberedType = /(?<=[ (])([A-Z][A-Za-z]+)\d{6,9}(?=[.,)])/g;

/** A value without what does not reflect a decision: times, generations, and random numbers. */
export function decidedPart(value: unknown): unknown {
  if (typeof value === "string") return value.replace(numberedType, "$1");
  if (Array.isArray(value)) return value.map(decidedPart);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !isIncidental(key))
      .map(([key, item]) => [key, decidedPart(item)]),
  );
}

/** The write with its made-up uids and names replaced by those of another state of the object. */
export function likeIn(write: WouldBeWrite, object: StoredObject | undefined): WouldBeWrite {
  if (write.madeUp === undefined || write.after === undefined) return write;
  // Replacing strings by strings keeps the type.
  return { ...write, after: withReal(write.after, { did: object, madeUp: write.madeUp }) as StoredObject };
}
