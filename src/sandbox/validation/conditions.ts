/** Validates metav1.Condition lists. Source: apimachinery v0.36 pkg/apis/meta/v1/validation/validation.go ValidateConditions. */
import { labelKeyProblems } from "../../api/label-names.ts";
import { duplicate, invalid, notSupported, required, tooLong, type FieldError } from "../meta/field-errors.ts";
import { fieldsIn, textOf } from "../meta/object.ts";
import { eachErrors, isNumber, seenBefore } from "./checks.ts";

const statuses = ["False", "True", "Unknown"];
const reasonFormat = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const reasonPattern = new RegExp(`^${reasonFormat}$`);
const wrongReason = `a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '${reasonFormat}')`;
const longestReason = 1024;
const longestMessage = 32 * 1024;

function reasonErrors(reason: string, field: string): FieldError[] {
  if (reason === "") return [required(field)];
  return [
    ...(reasonPattern.test(reason) ? [] : [invalid(field, reason, wrongReason)]),
    ...(reason.length > longestReason ? [tooLong(field, longestReason)] : []),
  ];
}

/** Validates a list of conditions. */
export function conditionsErrors(conditions: unknown, at: string): FieldError[] {
  const isRepeated = seenBefore();
  return eachErrors(fieldsIn(conditions), at, (condition, field) => {
    const [generation, time] = [condition["observedGeneration"], condition["lastTransitionTime"]];
    const [type, status] = [textOf(condition["type"]), textOf(condition["status"])];
    return [
      ...(isRepeated(type) ? [duplicate(`${field}.type`, type)] : []),
      ...labelKeyProblems(type).map((problem) => invalid(`${field}.type`, type, problem)),
      ...(statuses.includes(status) ? [] : [notSupported(`${field}.status`, status, statuses)]),
      ...(isNumber(generation) && generation < 0
        ? [invalid(`${field}.observedGeneration`, generation, "must be greater than or equal to zero")]
        : []),
      ...(time === undefined || time === null ? [required(`${field}.lastTransitionTime`)] : []),
      ...reasonErrors(textOf(condition["reason"]), `${field}.reason`),
      ...(textOf(condition["message"]).length > longestMessage ? [tooLong(`${field}.message`, longestMessage)] : []),
    ];
  });
}
