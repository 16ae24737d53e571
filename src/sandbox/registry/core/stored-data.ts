/** Checks that ConfigMaps and Secrets share: keys, sizes, `immutable`. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go. */
import { deepEqual } from "../../../api/field-changes.ts";
import { invalid, notAllowed, type FieldError } from "../../meta/field-errors.ts";
import { isNil } from "../../meta/canonical.ts";
import { isFields, type ApiObject } from "../../meta/object.ts";
import { configKeyProblems } from "../../validation/names.ts";

/** The keys of a map, sorted; none if the value is not a map. */
export const keysOf = (value: unknown): string[] => (isFields(value) ? Object.keys(value).sort() : []);

/** A key must be a valid file name. */
export const keyErrors = (field: string, key: string): FieldError[] =>
  configKeyProblems(key).map((problem) => invalid(`${field}[${key}]`, key, problem));

const encoder = new TextEncoder();
/** The maximum total size of the values, in bytes. */
export const mostBytes: number = 1024 * 1024;

/** The total size of a map's values as stored, in bytes: strings, or base64. */
export function sizeOf(values: unknown, isBase64: boolean): number {
  if (!isFields(values)) return 0;
  let bytes = 0;
  for (const value of Object.values(values)) {
    if (typeof value !== "string") continue;
    bytes += isBase64 ? Math.floor((value.replace(/=+$/, "").length * 3) / 4) : encoder.encode(value).length;
  }
  return bytes;
}

/** An empty map that was sent counts as a map: comparisons of immutable data distinguish it from no map. */
export const asCompared = (object: ApiObject, key: string): ApiObject =>
  object[key] !== undefined || isNil(object, key) ? object : { ...object, [key]: {} };

const immutableSet = "field is immutable when `immutable` is set";

/** What `immutable: true` protects. */
export function immutableErrors(object: ApiObject, old: ApiObject, ...fields: readonly string[]): FieldError[] {
  if (old["immutable"] !== true) return [];
  const errors = object["immutable"] === true ? [] : [notAllowed("immutable", immutableSet)];
  for (const field of fields) if (!deepEqual(object[field], old[field])) errors.push(notAllowed(field, immutableSet));
  return errors;
}
