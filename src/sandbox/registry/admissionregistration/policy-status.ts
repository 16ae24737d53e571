/** The status of ValidatingAdmissionPolicies. Source: kubernetes v1.36 pkg/apis/admissionregistration/validation/validation.go. */
import { invalid, required, type FieldError } from "../../meta/field-errors.ts";
import { at, fieldsIn, textOf, type ApiObject } from "../../meta/object.ts";
import { eachErrors } from "../../validation/checks.ts";
import { conditionsErrors } from "../../validation/conditions.ts";
import { jsonPathProblem } from "../../validation/json-path.ts";

/** The field that a warning is about. */
function fieldRefErrors(value: unknown, field: string): FieldError[] {
  const path = textOf(value).trim();
  if (path === "") return [required(field)];
  const problem = jsonPathProblem(path);
  return problem === undefined ? [] : [invalid(field, path, `invalid JSONPath: ${problem}`)];
}

/** What is wrong with the status that a type checker writes. */
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
