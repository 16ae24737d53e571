/** Sets unset fields. */
import type { Fields } from "../../meta/object.ts";

/** Sets the defaults of an object of one type, in place; those of nested objects are set afterwards. */
export type Filler = (fields: Fields) => void;

/** Sets fields that are unset; an empty string counts as unset. */
export function fill(fields: Fields, values: Readonly<Record<string, unknown>>): void {
  for (const key of Object.keys(values)) {
    const there = fields[key];
    if (there === undefined || (there === "" && typeof values[key] === "string")) fields[key] = values[key];
  }
}

/** The same for fields that are pointers in the real server's types, where an empty string counts as set. */
export function fillUnset(fields: Fields, values: Readonly<Record<string, unknown>>): void {
  for (const key of Object.keys(values)) if (fields[key] === undefined) fields[key] = values[key];
}

/** The same for numbers, where 0 counts as unset. */
export function fillNumbers(fields: Fields, values: Readonly<Record<string, number>>): void {
  for (const key of Object.keys(values)) if (fields[key] === undefined || fields[key] === 0) fields[key] = values[key];
}
