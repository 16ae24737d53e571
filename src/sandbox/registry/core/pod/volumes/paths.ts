/** Paths inside volumes. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validateLocalDescendingPath. */
import { invalid, required, type FieldError } from "../../../../meta/field-errors.ts";
import { textOf } from "../../../../meta/object.ts";
import { isNumber } from "../../../../validation/checks.ts";

/** A path without `..`. */
export const noBackstepErrors = (path: string, field: string): FieldError[] =>
  path.split("/").includes("..") ? [invalid(field, path, "must not contain '..'")] : [];

/** The same for a path that is required. */
export function neededPathErrors(value: unknown, field: string): FieldError[] {
  const path = textOf(value);
  return path === "" ? [required(field)] : noBackstepErrors(path, field);
}

/** A relative path without `..`. */
export const relativePathErrors = (path: string, field: string): FieldError[] => [
  ...(path.startsWith("/") ? [invalid(field, path, "must be a relative path")] : []),
  ...noBackstepErrors(path, field),
];

/** A relative path whose first name does not begin with two dots, which the kubelet reserves. */
export const ownPathErrors = (path: string, field: string): FieldError[] => [
  ...relativePathErrors(path, field),
  ...(path.startsWith("..") && !path.startsWith("../") ? [invalid(field, path, "must not start with '..'")] : []),
];

const highestMode = 0o777;

/** The mode of a file, if there is one. */
export const fileModeErrors = (mode: unknown, field: string): FieldError[] =>
  isNumber(mode) && (mode < 0 || mode > highestMode)
    ? [invalid(field, mode, "must be a number between 0 and 0777 (octal), both inclusive")]
    : [];
