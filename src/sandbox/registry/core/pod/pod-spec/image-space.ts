/**
 * A check that pods have and templates lack. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validateContainerOnlyForPod.
 */
import { invalid, type FieldError } from "../../../../meta/field-errors.ts";
import { textOf, type Fields } from "../../../../meta/object.ts";

/** Whitespace around an image name, allowed in templates but not in pods. */
export function imageSpaceErrors({ image }: Fields, field: string): FieldError[] {
  const name = textOf(image);
  if (name === name.trim()) return [];
  return [invalid(`${field}.image`, name, "must not have leading or trailing whitespace")];
}
