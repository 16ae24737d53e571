/** The status of ValidatingAdmissionPolicies. Source: kubernetes v1.36 pkg/apis/admissionregistration/validation/validation.go. */
import { invalid, required, type FieldError } from "../../meta/field-errors.ts";
import { at, fieldsIn, textOf, type ApiObject } from "../../meta/object.ts";
import { eachErrors } from "../../validation/checks.ts";
import { conditionsErrors } from "../../validation/conditions.ts";
import { jsonPathProblem } from "../../validation/json-path.ts";

/** Validates the field reference of a warning. */
function fieldRefErrors(value: unknown, field: string): FieldError[] {
  const path = textOf(value).trim();
  if (path === "") return [required(field)];
  const problem = jsonPathProblem(path);
  return problem === undefined ? [] : [invalid(field, path, `invalid JSONPath: ${problem}`)];
}

/** Validates the status that the type checker writes. */
export function policyStatusErrors({ status = {} }: ApiObject): FieldError[] {
  const warnings = fieldsIn(at(status, "typeChecking", "expressionWarnings"));
  return [
    ...eachErrors(warnings, "status.typeChecking.expressionWarnings", ({ warning, fieldRef }, field) => [
      ...(textOf(warning) === "" ? [required(`${field}.warning`)] : []),
      ...fieldRefErrors(fieldRef, `${field}.fieldRef`),
    ]),
    ...conditionsErrors(status["conditions"], "status.conditions"),
  ];
}
