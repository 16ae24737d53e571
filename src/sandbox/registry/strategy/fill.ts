/** Filling in fields that are not there. */
import type { Fields } from "../../meta/object.ts";

/** Fills in an object of one type, in place; what stands inside it comes after. */
export type Filler = (fields: Fields) => void;

/** Sets a field that is not there, or empty where a text is asked for. */
export function fill(fields: Fields, values: Readonly<Record<string, unknown>>): void {
  for (const key of Object.keys(values)) {
    const there = fields[key];
    if (there === undefined || (there === "" && typeof values[key] === "string")) fields[key] = values[key];
  }
}

/** The same for fields whose empty text is something: pointers in the real server's types. */
export function fillUnset(fields: Fields, values: Readonly<Record<string, unknown>>): void {
  for (const key of Object.keys(values)) if (fields[key] === undefined) fields[key] = values[key];
}

/** The same for numbers that mean nothing when they are 0. */
export function fillNumbers(fields: Fields, values: Readonly<Record<string, number>>): void {
  for (const key of Object.keys(values)) if (fields[key] === undefined || fields[key] === 0) fields[key] = values[key];
}
