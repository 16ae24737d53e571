/** ClusterRoleBindings. Source: kubernetes v1.36 pkg/apis/rbac/validation/validation.go. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import {
  validateChange,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../strategy/validation-steps.ts";
import { bindingErrors, fixedRole } from "./rules-and-subjects.ts";

/** ClusterRoleBindings: their roleRef never changes. */
export const clusterRoleBindingStrategy: RESTStrategy = restStrategy({
  nameRule: "segment",
  allowCreateOnUpdate: true,
  updateSteps: [validateObjectMeta, validateObject, validateObjectMetaUpdate, validateChange],
  validate: (binding) => bindingErrors(binding, false),
  validateUpdate: fixedRole,
});
