/** MutatingAdmissionPolicyBindings. Source: kubernetes v1.36 pkg/apis/admissionregistration/validation/validation.go. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateObject, validateObjectMeta } from "../strategy/validation-steps.ts";
import { bindingErrors } from "./policies.ts";

/** MutatingAdmissionPolicyBindings. */
export const mutatingBindingStrategy: RESTStrategy = restStrategy({
  takesAnyFinalizer: true,
  generation: "spec",
  updateSteps: [validateObjectMeta, validateObject],
  allowUnconditionalUpdate: false,
  validate: ({ spec = {} }) => bindingErrors(spec, true),
});
