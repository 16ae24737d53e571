/** Validates when an Indexed Job succeeds early. Source: kubernetes v1.36 pkg/apis/batch/validation/validation.go validateSuccessPolicy. */
import { invalid, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, isFields, type Fields } from "../../meta/object.ts";
import { negativeErrors } from "../../validation/spec-checks.ts";
import { indexesIn } from "./index-intervals.ts";

function ruleErrors(rule: Fields, completions: number, field: string): FieldError[] {
  const { succeededCount: count, succeededIndexes: list } = rule;
  if (count === undefined && list === undefined) {
    return [required(field, "at least one of succeededCount or succeededIndexes must be specified")];
  }
  const errors: FieldError[] = [];
  const indexes = typeof list === "string" ? indexesIn(list, completions) : undefined;
  if (typeof indexes === "string") {
    errors.push(invalid(`${field}.succeededIndexes`, list, `error parsing succeededIndexes: ${indexes}`));
  }
  if (typeof count !== "number") return errors;
  errors.push(...negativeErrors(rule, field, "succeededCount"));
  const there = `${field}.succeededCount`;
  const most = (number: number, what: string): void => {
    if (count > number) errors.push(invalid(there, count, `must be less than or equal to ${number} (${what})`));
  };
  most(completions, "the number of specified completions");
  if (indexes !== undefined) {
    most(typeof indexes === "number" ? indexes : 0, "the number of indexes in the specified succeededIndexes field");
  }
  return errors;
}

/** Validates the success policy of a Job; `field` is its path. */
export function successPolicyErrors(spec: Fields, field: string): FieldError[] {
  const policy = spec["successPolicy"];
  if (!isFields(policy)) return [];
  const rules = fieldsIn(policy["rules"]);
  if (spec["completionMode"] !== "Indexed") {
    // Printed like the Go type.
    return [invalid(field, { Rules: rules.map(goRule) }, "requires indexed completion mode")];
  }
  const completions = Number(spec["completions"] ?? 0);
  const none = "at least one rules must be specified when the successPolicy is specified";
  return [
    ...(rules.length === 0 ? [required(`${field}.rules`, none)] : []),
    ...rules.flatMap((rule, index) => ruleErrors(rule, completions, `${field}.rules[${index}]`)),
  ];
}

const goRule = ({ succeededIndexes = null, succeededCount = null }: Fields): Fields => ({
  SucceededIndexes: succeededIndexes,
  SucceededCount: succeededCount,
});
