/** Validates node and pod affinity. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validateAffinity. */
import { invalid, required, type FieldError } from "../../../../meta/field-errors.ts";
import { at, fieldsIn, isFields, textOf, textsIn, type Fields } from "../../../../meta/object.ts";
import { eachErrors, isNumber, nameErrors, qualifiedNameErrors } from "../../../../validation/checks.ts";
import { labelProblems } from "../../../../validation/names.ts";
import { nodeSelectorErrors, nodeSelectorTermErrors } from "../../../../validation/node-selector.ts";
import { selectorErrors } from "../../../../validation/spec-checks.ts";
import { labelKeyErrors } from "./label-keys.ts";

function weightErrors(weight: unknown, field: string): FieldError[] {
  const number = isNumber(weight) ? weight : 0;
  return number < 1 || number > 100 ? [invalid(field, number, "must be in the range 1-100")] : [];
}

function nodeErrors(affinity: unknown, field: string): FieldError[] {
  if (!isFields(affinity)) return [];
  const needed = affinity["requiredDuringSchedulingIgnoredDuringExecution"];
  const wanted = fieldsIn(affinity["preferredDuringSchedulingIgnoredDuringExecution"]);
  return [
    ...(isFields(needed) ? nodeSelectorErrors(needed, `${field}.requiredDuringSchedulingIgnoredDuringExecution`) : []),
    ...eachErrors(wanted, `${field}.preferredDuringSchedulingIgnoredDuringExecution`, (term, here) => [
      ...weightErrors(term["weight"], `${here}.weight`),
      ...nodeSelectorTermErrors(isFields(term["preference"]) ? term["preference"] : {}, `${here}.preference`, {
        anyValues: true,
      }),
    ]),
  ];
}

function termErrors(term: Fields, field: string): FieldError[] {
  const topology = `${field}.topologyKey`;
  return [
    ...["labelSelector", "namespaceSelector"].flatMap((key) =>
      isFields(term[key]) ? selectorErrors(term[key], `${field}.${key}`) : [],
    ),
    ...textsIn(term["namespaces"]).flatMap((name) => nameErrors(name, `${field}.namespace`, labelProblems)),
    ...labelKeyErrors(term, field),
    ...(textOf(term["topologyKey"]) === "" ? [required(topology, "can not be empty")] : []),
    ...qualifiedNameErrors(term["topologyKey"], topology),
  ];
}

function podErrors(affinity: unknown, field: string): FieldError[] {
  const [needed, wanted] = ["required", "preferred"].map((how) => `${how}DuringSchedulingIgnoredDuringExecution`) as [
    string,
    string,
  ];
  return [
    ...eachErrors(fieldsIn(at(affinity, needed)), `${field}.${needed}`, termErrors),
    ...eachErrors(fieldsIn(at(affinity, wanted)), `${field}.${wanted}`, (weighted, here) => [
      ...weightErrors(weighted["weight"], `${here}.weight`),
      ...termErrors(
        isFields(weighted["podAffinityTerm"]) ? weighted["podAffinityTerm"] : {},
        `${here}.podAffinityTerm`,
      ),
    ]),
  ];
}

/** Validates the affinity of a pod. */
export function affinityErrors(affinity: unknown, field: string): FieldError[] {
  if (!isFields(affinity)) return [];
  return [
    ...nodeErrors(affinity["nodeAffinity"], `${field}.nodeAffinity`),
    ...podErrors(affinity["podAffinity"], `${field}.podAffinity`),
    ...podErrors(affinity["podAntiAffinity"], `${field}.podAntiAffinity`),
  ];
}
