/** Topology spread constraints. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validateTopologySpreadConstraints. */
import { duplicate, invalid, required, type FieldError } from "../../../../meta/field-errors.ts";
import { fieldsIn, isFields, textOf, type Fields } from "../../../../meta/object.ts";
import { choiceErrors, eachErrors, isNumber } from "../../../../validation/checks.ts";
import { selectorErrors } from "../../../../validation/spec-checks.ts";
import { labelKeyErrors } from "./label-keys.ts";

const actions = ["DoNotSchedule", "ScheduleAnyway"];
const nodePolicies = ["Honor", "Ignore"];

const positiveErrors = (value: unknown, field: string): FieldError[] => {
  const number = isNumber(value) ? value : 0;
  return number > 0 ? [] : [invalid(field, number, "must be greater than zero")];
};

function domainErrors(count: unknown, action: string, field: string): FieldError[] {
  if (count === undefined) return [];
  const why = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  return [...positiveErrors(count, field), ...(action === "DoNotSchedule" ? [] : [invalid(field, count, why)])];
}

const kindOf = ({ topologyKey, whenUnsatisfiable }: Fields): string =>
  `{${textOf(topologyKey)}, ${textOf(whenUnsatisfiable)}}`;

/** Validates the topology spread constraints of a pod. */
export function spreadErrors(constraints: unknown, field: string): FieldError[] {
  const all = fieldsIn(constraints);
  return eachErrors(all, field, (constraint, here, index) => {
    const action = textOf(constraint["whenUnsatisfiable"]);
    const kind = kindOf(constraint);
    const isRepeated = all.slice(index + 1).some((other) => kindOf(other) === kind);
    const selector = constraint["labelSelector"];
    return [
      ...positiveErrors(constraint["maxSkew"], `${here}.maxSkew`),
      ...(textOf(constraint["topologyKey"]) === "" ? [required(`${here}.topologyKey`, "can not be empty")] : []),
      ...choiceErrors(action, `${here}.whenUnsatisfiable`, actions),
      ...(isRepeated ? [duplicate(`${here}.{topologyKey, whenUnsatisfiable}`, kind)] : []),
      ...domainErrors(constraint["minDomains"], action, `${here}.minDomains`),
      ...["nodeAffinityPolicy", "nodeTaintsPolicy"].flatMap((key) =>
        constraint[key] === undefined ? [] : choiceErrors(constraint[key], `${here}.${key}`, nodePolicies),
      ),
      ...labelKeyErrors({ ...constraint, mismatchLabelKeys: undefined }, here),
      ...(isFields(selector) ? selectorErrors(selector, `${here}.labelSelector`) : []),
    ];
  });
}
