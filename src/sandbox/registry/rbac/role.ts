/** Roles. Source: kubernetes v1.36 pkg/apis/rbac/validation/validation.go. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import {
  validateChange,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../strategy/validation-steps.ts";
import { rulesErrors } from "./rules-and-subjects.ts";

/** Roles. Escalation is not checked. */
export const roleStrategy: RESTStrategy = restStrategy({
  nameRule: "segment",
  allowCreateOnUpdate: true,
  updateSteps: [validateObjectMeta, validateObject, validateObjectMetaUpdate, validateChange],
  validate: (role) => rulesErrors(role, true),
});
