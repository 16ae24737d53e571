/** Checks that fields of many kinds need: names, choices, lists. Source: apimachinery v0.36 util/validation, kubernetes v1.36 pkg/apis/core/validation. */
import { deepEqual } from "../../api/field-changes.ts";
import { invalid, notSupported, required, tooLong, type FieldError } from "../meta/field-errors.ts";
import { isFields, textOf } from "../meta/object.ts";
import { labelKeyProblems, subdomainProblems } from "../../api/label-names.ts";
import { labelProblems } from "./names.ts";

/** Applies a name rule to a value. */
export const nameErrors = (value: string, field: string, rule: (value: string) => string[]): FieldError[] =>
  rule(value).map((problem) => invalid(field, value, problem));

/** The value must be a DNS label. */
export const labelNameErrors = (value: unknown, field: string): FieldError[] =>
  nameErrors(textOf(value), field, labelProblems);

/** The value must be a DNS subdomain. */
export const subdomainErrors = (value: unknown, field: string): FieldError[] =>
  nameErrors(textOf(value), field, subdomainProblems);

/** The value must be a qualified name: a name with an optional prefix, like label keys. */
export const qualifiedNameErrors = (value: unknown, field: string): FieldError[] =>
  nameErrors(textOf(value), field, labelKeyProblems);

/** The same, but an empty value is a missing one. */
export function neededErrors(
  value: unknown,
  field: string,
  rule: (value: unknown, field: string) => FieldError[],
): FieldError[] {
  return textOf(value) === "" ? [required(field)] : rule(value, field);
}

/** The value must be one of `values`, which are in printed order. */
export function choiceErrors(value: unknown, field: string, values: readonly string[]): FieldError[] {
  return values.includes(textOf(value)) ? [] : [notSupported(field, value ?? "", values)];
}

/** The same, with a separate error for an unset value. */
export function neededChoiceErrors(value: unknown, field: string, values: readonly string[]): FieldError[] {
  return textOf(value) === "" ? [required(field)] : choiceErrors(value, field, values);
}

/** Validates each item of a list. */
export function eachErrors<T>(
  list: readonly T[],
  field: string,
  errors: (item: T, field: string, index: number) => FieldError[],
): FieldError[] {
  return list.flatMap((item, index) => errors(item, `${field}[${index}]`, index));
}

/** Tells whether a name has occurred before: one function per list. */
export function seenBefore(): (name: unknown) => boolean {
  const seen = new Set<unknown>();
  return (name) => {
    const before = seen.has(name);
    seen.add(name);
    return before;
  };
}

/** True for numbers, including zero. */
export const isNumber = (value: unknown): value is number => typeof value === "number";

/** A number, if set, must be at least 0. */
export const nonNegativeErrors = (value: unknown, field: string): FieldError[] =>
  isNumber(value) && value < 0 ? [invalid(field, value, "must be greater than or equal to 0")] : [];

const portRange = "must be between 1 and 65535, inclusive";

/** The value must be a port number; unset counts as 0. */
export const portNumberErrors = (value: unknown, field: string): FieldError[] => {
  const port = isNumber(value) ? value : 0;
  return port < 1 || port > 65_535 ? [invalid(field, port, portRange)] : [];
};

const longestDriver = 63;

/** Validates the name of a CSI driver. */
export function driverNameErrors(value: unknown, field: string): FieldError[] {
  const name = textOf(value);
  if (name === "") return [required(field)];
  const errors = name.length > longestDriver ? [tooLong(field, longestDriver)] : [];
  return [...errors, ...subdomainProblems(name.toLowerCase()).map((problem) => invalid(field, name, problem))];
}

const mostParameters = 512;
const parameterBytes = 256 * 1024;

/** Validates the parameters of a storage class. */
export function parameterErrors(value: unknown, field: string, mayBeEmpty: boolean): FieldError[] {
  const parameters = isFields(value) ? Object.entries(value) : [];
  if (parameters.length > mostParameters) return [tooLong(field, mostParameters)];
  const errors = parameters.flatMap(([key]) => (key === "" ? [invalid(field, key, "field can not be empty.")] : []));
  const bytes = parameters.reduce((sum, [key, text]) => sum + key.length + textOf(text).length, 0);
  if (bytes > parameterBytes) errors.push(tooLong(field, parameterBytes));
  if (!mayBeEmpty && parameters.length === 0) errors.push(required(field, "must contain at least one key/value pair"));
  return errors;
}

/** Deep equality of JSON values. */
export const isEqual: (a: unknown, b: unknown) => boolean = deepEqual;
