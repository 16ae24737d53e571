/**
 * Conditions in the status of both kinds: each has a unique type. Source: kubernetes v1.36 pkg/apis/flowcontrol/validation/validation.go.
 */
import { duplicate, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, textOf, type ApiObject } from "../../meta/object.ts";
import { eachErrors, seenBefore } from "../../validation/checks.ts";

/** Validates the conditions of a status. */
export function typedConditionErrors({ status = {} }: ApiObject): FieldError[] {
  const isRepeated = seenBefore();
  return eachErrors(fieldsIn(status["conditions"]), "status.conditions", (condition, field) => {
    const type = textOf(condition["type"]);
    return [
      ...(isRepeated(type) ? [duplicate(`${field}.type`, type)] : []),
      ...(type === "" ? [required(`${field}.type`)] : []),
    ];
  });
}
