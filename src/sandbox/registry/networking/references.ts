/** References to objects of any group. Source: kubernetes v1.36 pkg/apis/networking/validation/validation.go. */
import { invalid, required, type FieldError } from "../../meta/field-errors.ts";
import { textOf, type Fields } from "../../meta/object.ts";
import { subdomainProblems } from "../../../api/label-names.ts";
import { nameRules } from "../../validation/names.ts";

/** An error for each problem of one value. */
export const problemErrors = (problems: readonly string[], field: string, value: string): FieldError[] =>
  problems.map((problem) => invalid(field, value, problem));

/** A reference by group, kind and name to another object. */
export function referenceErrors(reference: Fields, field: string): FieldError[] {
  const group = reference["apiGroup"];
  const part = (key: string): FieldError[] => {
    const value = textOf(reference[key]);
    return value === ""
      ? [required(`${field}.${key}`)]
      : problemErrors(nameRules.segment(value), `${field}.${key}`, value);
  };
  const errors =
    typeof group !== "string"
      ? []
      : problemErrors(subdomainProblems(textOf(group)), `${field}.apiGroup`, textOf(group));
  return [...errors, ...part("kind"), ...part("name")];
}
