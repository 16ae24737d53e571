/** What is wrong with label selectors, in apimachinery's words. Source: apimachinery v0.36 labels/selector.go NewRequirement. */
import { labelKeyProblems, labelValueProblems } from "./label-names.ts";
import { type Requirement, type Selector, selectorOf } from "./labels.ts";
import type { LabelSelector } from "./types.ts";

/** A `LabelSelector` that cannot be used. The message is apimachinery's. */
export class InvalidSelectorError extends RangeError {
  override readonly name = "InvalidSelectorError";
}

/** What is wrong with the key of a requirement; `path` names it. */
export function keyProblem(key: string, path: string): string | undefined {
  const problems = labelKeyProblems(key);
  return problems.length === 0 ? undefined : invalid(path, { value: key, why: problems.join("; ") });
}

/** What is wrong with the values of a requirement. */
export function valuesProblems({ key, operator, values }: Requirement): readonly string[] {
  const ofEach = values.flatMap((value, at) => {
    const problems = labelValueProblems(value);
    return problems.length === 0 ? [] : [invalid(`values[${at}][${key}]`, { value, why: problems.join("; ") })];
  });
  return [...countProblems(operator, values), ...ofEach];
}

function countProblems(operator: Requirement["operator"], values: readonly string[]): readonly string[] {
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length > 0) return [];
      return [invalid("values", { value: null, why: "for 'in', 'notin' operators, values set can't be empty" })];
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return [];
      return [invalid("values", { value: values, why: "values set must be empty for exists and does not exist" })];
    case "GreaterThan":
    case "LessThan":
      return values.flatMap((value, at) =>
        /^[+-]?\d+$/.test(value)
          ? []
          : [invalid(`values[${at}]`, { value, why: "for 'Gt', 'Lt' operators, the value must be an integer" })],
      );
    case "Equals":
    case "NotEquals":
      return [];
  }
}

function invalid(path: string, { value, why }: { readonly value: unknown; readonly why: string }): string {
  return `${path}: Invalid value: ${JSON.stringify(value)}: ${why}`;
}

/** Several problems as one message. Source: apimachinery v0.36 util/errors Aggregate. */
export function aggregated(problems: readonly string[]): string {
  const different = [...new Set(problems)];
  return different.length === 1 ? (different[0] as string) : `[${different.join(", ")}]`;
}

/**
 * As `selectorOf`, for selectors that the API server does not validate, such as those of metrics.
 * @throws InvalidSelectorError
 * Source: apimachinery v0.36 meta/v1/helpers.go LabelSelectorAsSelector.
 */
export function validSelectorOf(selector: LabelSelector | undefined): Selector {
  for (const [key, value] of Object.entries(selector?.matchLabels ?? {})) {
    check({ key, operator: "Equals", values: [value] });
  }
  for (const { key, operator, values = [] } of selector?.matchExpressions ?? []) {
    if (!isOfObjects(operator))
      throw new InvalidSelectorError(`${JSON.stringify(operator)} is not a valid label selector operator`);
    check({ key, operator, values });
  }
  return selectorOf(selector);
}

/** The operators of `matchExpressions`; the text form has others. */
const ofObjects = ["In", "NotIn", "Exists", "DoesNotExist"] as const;

function isOfObjects(operator: string): operator is (typeof ofObjects)[number] {
  return ofObjects.some((known) => known === operator);
}

/** @throws InvalidSelectorError */
function check(requirement: Requirement): void {
  const problems = [keyProblem(requirement.key, "key") ?? [], valuesProblems(requirement)].flat();
  if (problems.length > 0) throw new InvalidSelectorError(aggregated(problems));
}
