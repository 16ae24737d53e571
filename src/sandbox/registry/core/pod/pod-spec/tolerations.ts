/** Validates tolerations. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidateTolerations. */
import { invalid, notSupported, type FieldError } from "../../../../meta/field-errors.ts";
import { fieldsIn, textOf, type Fields } from "../../../../meta/object.ts";
import { choiceErrors, eachErrors, qualifiedNameErrors } from "../../../../validation/checks.ts";
import { labelValueProblems } from "../../../../../api/label-names.ts";
import { taintEffects } from "./choices.ts";

/** Numeric comparison belongs to a feature that is off by default; the real server lists the operators in errors anyway. */
const operators = ["Equal", "Exists"];
const comparisons = ["Lt", "Gt"];

function operatorErrors(operator: string, value: string, field: string): FieldError[] {
  if (comparisons.includes(operator)) return [notSupported(field, operator, [...operators, ...comparisons])];
  switch (operator) {
    case "":
    case "Equal": {
      const problems = labelValueProblems(value);
      return problems.length === 0 ? [] : [invalid(field, value, problems.join(";"))];
    }
    case "Exists":
      return value === "" ? [] : [invalid(field, value, "value must be empty when `operator` is 'Exists'")];
    default:
      return [notSupported(field, operator, operators)];
  }
}

function tolerationError(toleration: Fields, field: string): FieldError[] {
  const [key, operator, effect] = ["key", "operator", "effect"].map((name) => textOf(toleration[name])) as [
    string,
    string,
    string,
  ];
  const errors = key === "" ? [] : qualifiedNameErrors(key, `${field}.key`);
  if (key === "" && operator !== "Exists") {
    const why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalid(`${field}.operator`, operator, why));
  }
  if (toleration["tolerationSeconds"] !== undefined && effect !== "NoExecute")
    errors.push(invalid(`${field}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  return [
    ...errors,
    ...operatorErrors(operator, textOf(toleration["value"]), `${field}.operator`),
    ...(effect === "" ? [] : choiceErrors(effect, `${field}.effect`, taintEffects)),
  ];
}

/** Validates a list of tolerations. */
export const tolerationErrors = (tolerations: unknown, field: string): FieldError[] =>
  eachErrors(fieldsIn(tolerations), field, tolerationError);
