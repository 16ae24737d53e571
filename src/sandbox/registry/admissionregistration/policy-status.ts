/** The status of ValidatingAdmissionPolicies. Source: kubernetes v1.36 pkg/apis/admissionregistration/validation/validation.go. */
import { required, type FieldError } from "../../meta/field-errors.ts";
import { at, fieldsIn, textOf, type ApiObject } from "../../meta/object.ts";
import { eachErrors } from "../../validation/checks.ts";
import { conditionsErrors } from "../../validation/conditions.ts";

/** What is wrong with the status that a type checker writes. */
export function policyStatusErrors({ status = {} }: ApiObject): FieldError[] {
  const warnings = fieldsIn(at(status, "typeChecking", "expressionWarnings"));
  return [
    ...eachErrors(warnings, "status.typeChecking.expressionWarnings", ({ warning, fieldRef }, field) => [
      ...(textOf(warning) === "" ? [required(`${field}.warning`)] : []),
      ...(textOf(fieldRef) === "" ? [required(`${field}.fieldRef`)] : []),
    ]),
    ...conditionsErrors(status["conditions"], "status.conditions"),
  ];
}
