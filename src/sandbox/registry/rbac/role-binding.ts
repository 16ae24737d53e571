/** RoleBindings. Source: kubernetes v1.36 pkg/apis/rbac/validation/validation.go. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import {
  validateChange,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../strategy/validation-steps.ts";
import { bindingErrors, fixedRole } from "./rules-and-subjects.ts";

/** RoleBindings: their roleRef never changes. */
export const roleBindingStrategy: RESTStrategy = restStrategy({
  nameRule: "segment",
  allowCreateOnUpdate: true,
  updateSteps: [validateObjectMeta, validateObject, validateObjectMetaUpdate, validateChange],
  validate: (binding) => bindingErrors(binding, true),
  validateUpdate: fixedRole,
});
