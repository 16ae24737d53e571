/** Validates names of field managers, and managed fields. Source: apimachinery v0.36 apis/meta/v1/validation/validation.go. */
import { unprintableIn } from "../../api/go-text.ts";
import { invalid, tooLong, type FieldError } from "./field-errors.ts";
import { textOf, type Fields } from "./object.ts";

const longestManager = 128;
const longestSubresource = 256;

/** A manager's name must be short and printable. */
export function managerErrors(manager: string, field: string): FieldError[] {
  const long = Buffer.byteLength(manager) > longestManager ? [tooLong(field, longestManager)] : [];
  const bad = unprintableIn(manager).map(({ code, at }) => {
    const character = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    return invalid(field, manager, `invalid character ${character} (at position ${at})`);
  });
  return [...long, ...bad];
}

/** Validates the managed fields of an object: only those that a client sent can be invalid. */
export function managedFieldsErrors(entries: readonly Fields[] | undefined): FieldError[] {
  if (entries === undefined) return [];
  return entries.flatMap(({ manager, subresource }, index) => {
    const field = `metadata.managedFields[${index}]`;
    const long = Buffer.byteLength(textOf(subresource)) > longestSubresource;
    return [
      ...managerErrors(textOf(manager), `${field}.manager`),
      ...(long ? [tooLong(`${field}.subresource`, longestSubresource)] : []),
    ];
  });
}
