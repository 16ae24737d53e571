/** ValidatingAdmissionPolicyBindings. Source: kubernetes v1.36 pkg/apis/admissionregistration/validation/validation.go. */
import { duplicate, invalid, required, type FieldError } from "../../meta/field-errors.ts";
import { textsIn } from "../../meta/object.ts";
import { choiceErrors, eachErrors, seenBefore } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateObject, validateObjectMeta } from "../strategy/validation-steps.ts";
import { bindingErrors } from "./policies.ts";

const actions = ["Audit", "Deny", "Warn"];

function actionErrors(validationActions: readonly string[]): FieldError[] {
  const field = "spec.validationActions";
  const isRepeated = seenBefore();
  const errors = eachErrors(validationActions, field, (action, here) => [
    ...choiceErrors(action, here, actions),
    ...(isRepeated(action) ? [duplicate(here, action)] : []),
  ]);
  if (validationActions.includes("Deny") && validationActions.includes("Warn")) {
    const why =
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
    errors.push(invalid(field, validationActions, why));
  }
  if (validationActions.length === 0) errors.push(required(field, "at least one validation action is required"));
  return errors;
}

/** ValidatingAdmissionPolicyBindings. */
export const validatingBindingStrategy: RESTStrategy = restStrategy({
  takesAnyFinalizer: true,
  generation: "spec",
  updateSteps: [validateObjectMeta, validateObject],
  allowUnconditionalUpdate: false,
  validate: ({ spec = {} }) => [...bindingErrors(spec, false), ...actionErrors(textsIn(spec["validationActions"]))],
});
