/** Errors of single fields, and Invalid errors with them. Source: apimachinery v0.36 util/validation/field/errors.go. */
import { goQuoted } from "../../api/go-text.ts";
import type { StatusError } from "../../api/status-error.ts";
import { qualified, refusal, type Qualified } from "./refusal.ts";

/** An error in one field: a cause of an Invalid status. */
export interface FieldError {
  readonly reason:
    | "FieldValueRequired"
    | "FieldValueInvalid"
    | "FieldValueNotSupported"
    | "FieldValueDuplicate"
    | "FieldValueForbidden"
    | "FieldValueNotFound"
    | "FieldValueTooLong"
    | "FieldValueTooMany"
    | "FieldValueTypeInvalid"
    | "InternalError";
  /** `spec.containers[0].name`; map keys as `metadata.labels[key]`. */
  readonly field: string;
  readonly message: string;
}

/** A value as in Go's messages: strings quoted, objects as JSON. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return "null";
  return typeof value === "string" ? goQuoted(value) : JSON.stringify(value);
}

/** A map as Go prints it: sorted by key. */
export function sortedMap(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A field that must be set. */
export const required = (field: string, why = ""): FieldError => ({
  reason: "FieldValueRequired",
  field,
  message: why === "" ? "Required value" : `Required value: ${why}`,
});

/** A field whose value is not valid; `why` follows the value. */
export const invalid = (field: string, value: unknown, why: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  message: `Invalid value: ${shown(value)}: ${why}`,
});

/** `valid` in the printed order: that of a list, or sorted if the real server has a set. */
export const notSupported = (field: string, value: unknown, valid: readonly string[]): FieldError => ({
  reason: "FieldValueNotSupported",
  field,
  message: `Unsupported value: ${shown(value)}${
    valid.length === 0 ? "" : `: supported values: ${valid.map(shown).join(", ")}`
  }`,
});

/** A value that may occur only once. */
export const duplicate = (field: string, value: unknown): FieldError => ({
  reason: "FieldValueDuplicate",
  field,
  message: `Duplicate value: ${shown(value)}`,
});

/** A field that may not be set or changed. */
export const notAllowed = (field: string, why: string): FieldError => ({
  reason: "FieldValueForbidden",
  field,
  message: `Forbidden: ${why}`,
});

/** A field that cannot be checked. */
export const internalError = (field: string, why: string): FieldError => ({
  reason: "InternalError",
  field,
  message: `Internal error: ${why}`,
});

/** A value that refers to something that does not exist. */
export const missing = (field: string, value: unknown): FieldError => ({
  reason: "FieldValueNotFound",
  field,
  message: `Not found: ${shown(value)}`,
});

/** A value of more than `maximum` bytes. */
export const tooLong = (field: string, maximum: number): FieldError => ({
  reason: "FieldValueTooLong",
  field,
  message: `Too long: may not be more than ${maximum} bytes`,
});

/** A list of `actual` items, of which at most `most` are allowed. */
export const tooMany = (field: string, actual: number, most: number): FieldError => ({
  reason: "FieldValueTooMany",
  field,
  message: `Too many: ${actual}: must have at most ${most} items`,
});

/** The Invalid error for an object, with all its field errors; 422. Equal errors are reported once. */
export function invalidObject(kind: Qualified, name: string, errors: readonly FieldError[]): StatusError {
  const causes = errors.map(({ reason, field, message }) => ({ reason, message, field }));
  const lines = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  const list = lines.length === 1 ? (lines[0] ?? "") : `[${lines.join(", ")}]`;
  return refusal(422, "Invalid", `${qualified(kind)} "${name}" is invalid: ${list}`, {
    ...(name === "" ? {} : { name }),
    ...(kind.group === "" ? {} : { group: kind.group }),
    ...(kind.name === "" ? {} : { kind: kind.name }),
    causes,
  });
}
