/** ReplicaSets, and checks that Deployments share with them. Source: kubernetes v1.36 pkg/apis/apps/validation/validation.go. */
import { matchesEverything, selectorOf, type Selector } from "../../../api/labels.ts";
import { invalid, required, type FieldError } from "../../meta/field-errors.ts";
import { isFields, type ApiObject, type Fields } from "../../meta/object.ts";
import { alwaysErrors, replicatedWarnings, templateErrors } from "../core/pod/template.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { countErrors } from "../../validation/replica-counts.ts";
import { fixedSelector, negativeErrors, printedSelector, selectorErrors } from "../../validation/spec-checks.ts";

/** The selector must not be empty, and must match the template's labels. */
export function selectedTemplateErrors(spec: Fields): FieldError[] {
  const errors: FieldError[] = [];
  const selector = spec["selector"];
  let chosen: Selector = "nothing";
  if (isFields(selector)) {
    errors.push(...selectorErrors(selector, "spec.selector"));
    if (errors.length > 0)
      return [...errors, invalid("spec.selector", printedSelector(selector), "invalid label selector")];
    chosen = selectorOf(selector);
    if (matchesEverything(chosen))
      errors.push(invalid("spec.selector", printedSelector(selector), "empty selector is invalid for deployment"));
  } else errors.push(required("spec.selector"));
  const template = isFields(spec["template"]) ? spec["template"] : {};
  return [
    ...errors,
    ...templateErrors(template, chosen, "spec.template"),
    ...alwaysErrors(template, "spec.template", "ReplicaSet"),
  ];
}

/** Updates cannot change the selector. */
export const sameSelectorErrors = (object: ApiObject, old: ApiObject): FieldError[] =>
  fixedSelector(object.spec?.["selector"], old.spec?.["selector"]);

/** ReplicaSets. */
export const replicaSetStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  warningsOnCreate: replicatedWarnings,
  warningsOnUpdate: replicatedWarnings,
  validate: (replicaSet) => [
    ...negativeErrors(replicaSet.spec ?? {}, "spec", "replicas", "minReadySeconds"),
    ...selectedTemplateErrors(replicaSet.spec ?? {}),
  ],
  validateUpdate: sameSelectorErrors,
  status: { validateUpdate: countErrors },
});
