/** What pods are stricter about than templates. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validateContainerOnlyForPod. */
import { invalid, type FieldError } from "../../../../meta/field-errors.ts";
import { textOf, type Fields } from "../../../../meta/object.ts";

/** An image with space around its name, which a template may have and a pod may not. */
export function imageSpaceErrors({ image }: Fields, field: string): FieldError[] {
  const name = textOf(image);
  if (name === name.trim()) return [];
  return [invalid(`${field}.image`, name, "must not have leading or trailing whitespace")];
}
