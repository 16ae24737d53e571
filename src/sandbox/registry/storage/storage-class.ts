/** StorageClasses. Source: kubernetes v1.36 pkg/apis/storage/validation/validation.go. */
import { duplicate, invalid, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, textOf, textsIn, type ApiObject, type Fields } from "../../meta/object.ts";
import { choiceErrors, eachErrors, isEqual, parameterErrors } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import {
  validateChange,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../strategy/validation-steps.ts";
import { labelKeyProblems } from "../../../api/label-names.ts";
import { oldLabels } from "../../validation/node-label-warnings.ts";
import { fixed } from "../../validation/spec-checks.ts";

const policies = ["Delete", "Retain"];
const bindingModes = ["Immediate", "WaitForFirstConsumer"];

function provisionerErrors(value: unknown): FieldError[] {
  const name = textOf(value).toLowerCase();
  if (name === "") return [required("provisioner")];
  return labelKeyProblems(name).map((problem) => invalid("provisioner", name, problem));
}

/** The values by key, and their errors. */
function termErrors(term: Fields, field: string): FieldError[] {
  const seen = new Set<string>();
  return eachErrors(fieldsIn(term["matchLabelExpressions"]), `${field}.matchLabelExpressions`, (expression, here) => {
    const key = textOf(expression["key"]);
    const values = textsIn(expression["values"]);
    const errors = values.length === 0 ? [required(`${here}.values`)] : [];
    for (const [index, value] of values.entries())
      if (values.indexOf(value) < index) errors.push(duplicate(`${here}.values[${index}]`, value));
    errors.push(...labelKeyProblems(key).map((problem) => invalid(`${here}.key`, key, problem)));
    if (seen.has(key)) errors.push(duplicate(`${here}.key`, key));
    seen.add(key);
    return errors;
  });
}

const valuesByKey = (term: Fields): unknown =>
  Object.fromEntries(
    fieldsIn(term["matchLabelExpressions"]).map(({ key, values }) => [
      textOf(key),
      [...new Set(textsIn(values))].sort(),
    ]),
  );

function topologyErrors(terms: readonly Fields[]): FieldError[] {
  return eachErrors(terms, "allowedTopologies", (term, field, index) => {
    // The real server's list of earlier terms begins with as many empty terms as there are terms.
    const earlier = [...terms.map(() => ({})), ...terms.slice(0, index)];
    const same = earlier.filter((other) => isEqual(valuesByKey(other), valuesByKey(term)));
    return [...termErrors(term, field), ...same.map(() => duplicate(`${field}.matchLabelExpressions`, ""))];
  });
}

/** Warnings about deprecated labels of nodes. Source: kubernetes v1.36 pkg/api/storage/util.go. */
const warnings = (storageClass: ApiObject): string[] =>
  fieldsIn(storageClass["allowedTopologies"]).flatMap((term, index) =>
    fieldsIn(term["matchLabelExpressions"]).flatMap(({ key }, at) => {
      const message = oldLabels[textOf(key)];
      const field = `allowedTopologies[${index}].matchLabelExpressions[${at}].key`;
      return message === undefined ? [] : [`${field}: ${message}`];
    }),
  );

/** StorageClasses: most fields never change. */
export const storageClassStrategy: RESTStrategy = restStrategy({
  updateSteps: [validateObjectMeta, validateObject, validateObjectMetaUpdate, validateChange],
  returnsDeletedObject: true,
  validate: (storageClass) => [
    ...provisionerErrors(storageClass["provisioner"]),
    ...parameterErrors(storageClass["parameters"], "parameters", true),
    ...(textOf(storageClass["reclaimPolicy"]) === ""
      ? []
      : choiceErrors(storageClass["reclaimPolicy"], "reclaimPolicy", policies)),
    ...choiceErrors(storageClass["volumeBindingMode"], "volumeBindingMode", bindingModes),
    ...topologyErrors(fieldsIn(storageClass["allowedTopologies"])),
  ],
  warningsOnCreate: warnings,
  warningsOnUpdate: warnings,
  validateUpdate: (now, old) =>
    ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"].flatMap((field) =>
      fixed(now[field], old[field], field),
    ),
});
