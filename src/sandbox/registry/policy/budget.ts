/** PodDisruptionBudgets. Source: kubernetes v1.36 pkg/apis/policy/validation/validation.go. */
import { invalid, notSupported, type FieldError } from "../../meta/field-errors.ts";
import { isFields, type ApiObject } from "../../meta/object.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateNewObject, validateObject } from "../strategy/validation-steps.ts";
import { conditionsErrors } from "../../validation/conditions.ts";
import { amountErrors, negativeErrors, selectorErrors, tooMuchErrors } from "../../validation/spec-checks.ts";

const policies = ["AlwaysAllow", "IfHealthyBudget"];

function specErrors({ spec = {} }: ApiObject): FieldError[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const shown = {
      MinAvailable: minAvailable,
      Selector: selector ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: policy ?? null,
    };
    errors.push(invalid("spec", shown, "minAvailable and maxUnavailable cannot be both set"));
  }
  for (const [key, value] of Object.entries({ minAvailable, maxUnavailable })) {
    errors.push(...amountErrors(value, `spec.${key}`), ...tooMuchErrors(value, `spec.${key}`));
  }
  if (isFields(selector)) errors.push(...selectorErrors(selector, "spec.selector"));
  if (typeof policy === "string" && !policies.includes(policy)) {
    errors.push(notSupported("spec.unhealthyPodEvictionPolicy", policy, policies));
  }
  return errors;
}

/** PodDisruptionBudgets: an update does not validate the metadata a second time. */
export const budgetStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  allowUnconditionalUpdate: false,
  // Metadata is validated only if nothing else is wrong, by the generic check after these steps.
  createSteps: [validateObject, validateNewObject],
  updateSteps: [validateObject, validateChange],
  validate: specErrors,
  status: {
    updateSteps: [validateChange],
    validateUpdate: ({ status = {} }) => [
      ...conditionsErrors(status["conditions"], "status.conditions"),
      ...negativeErrors(status, "status", "disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"),
    ],
  },
});
