/** A Job's pod failure policy. Source: kubernetes v1.36 pkg/apis/batch/validation/validation.go. */
import { duplicate, invalid, notSupported, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, isFields, type Fields } from "../../meta/object.ts";
import { labelKeyProblems } from "../../../api/label-names.ts";
import { isOneOf } from "../../validation/spec-checks.ts";

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const operators = ["In", "NotIn"];
const statuses = ["False", "True", "Unknown"];

/** An error without a value. */
const plain = (field: string, why: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  message: `Invalid value: ${why}`,
});

const listed = (values: readonly string[]): string =>
  `valid values: [${values.map((value) => JSON.stringify(value)).join(" ")}]`;

function choiceErrors(value: unknown, field: string, values: readonly string[]): FieldError[] {
  if (value === undefined || value === "") return [required(field, listed(values))];
  return isOneOf(value, values) ? [] : [notSupported(field, value, values)];
}

function exitCodeErrors(codes: Fields, field: string, containers: ReadonlySet<unknown>): FieldError[] {
  const { operator, containerName } = codes;
  const values = Array.isArray(codes["values"]) ? (codes["values"] as number[]) : [];
  const errors = choiceErrors(operator, `${field}.operator`, operators);
  if (containerName !== undefined && !containers.has(containerName)) {
    const why = "must be one of the container or initContainer names in the pod template";
    errors.push(invalid(`${field}.containerName`, containerName, why));
  }
  if (values.length === 0) errors.push(invalid(`${field}.values`, values, "at least one value is required"));
  const seen = new Set<number>();
  for (const [index, value] of values.entries()) {
    const here = `${field}.values[${index}]`;
    if (operator === "In" && value === 0) errors.push(invalid(here, value, "must not be 0 for the In operator"));
    if (seen.has(value)) errors.push(duplicate(here, value));
    seen.add(value);
  }
  if (values.some((value, index) => index > 0 && (values[index - 1] ?? 0) > value)) {
    errors.push(invalid(`${field}.values`, values, "must be ordered"));
  }
  return errors;
}

function ruleErrors(spec: Fields, rule: Fields, field: string, containers: ReadonlySet<unknown>): FieldError[] {
  const { action, onExitCodes } = rule;
  const conditions = fieldsIn(rule["onPodConditions"]);
  const errors: FieldError[] = [];
  if (action === "FailIndex") {
    if (spec["backoffLimitPerIndex"] === undefined)
      errors.push(invalid(`${field}.action`, action, "requires the backoffLimitPerIndex to be set"));
  } else errors.push(...choiceErrors(action, `${field}.action`, actions));
  if (isFields(onExitCodes)) errors.push(...exitCodeErrors(onExitCodes, `${field}.onExitCodes`, containers));
  for (const [index, { type, status }] of conditions.entries()) {
    const here = `${field}.onPodConditions[${index}]`;
    const name = typeof type === "string" ? type : "";
    errors.push(...labelKeyProblems(name).map((problem) => invalid(`${here}.type`, name, problem)));
    errors.push(...choiceErrors(status, `${here}.status`, statuses));
  }
  if (onExitCodes !== undefined && conditions.length > 0)
    errors.push(plain(field, "specifying both OnExitCodes and OnPodConditions is not supported"));
  if (onExitCodes === undefined && conditions.length === 0)
    errors.push(plain(field, "specifying one of OnExitCodes and OnPodConditions is required"));
  return errors;
}

/** Validates the pod failure policy of a Job; `field` is its path. */
export function failurePolicyErrors(spec: Fields, field: string): FieldError[] {
  const policy = spec["podFailurePolicy"];
  if (!isFields(policy)) return [];
  const template = isFields(spec["template"]) ? spec["template"] : {};
  const podSpec = isFields(template["spec"]) ? template["spec"] : {};
  const containers = [...fieldsIn(podSpec["containers"]), ...fieldsIn(podSpec["initContainers"])];
  const names = new Set(containers.map(({ name }) => name));
  return fieldsIn(policy["rules"]).flatMap((rule, index) => ruleErrors(spec, rule, `${field}.rules[${index}]`, names));
}
