/** ClusterRoles. Source: kubernetes v1.36 pkg/apis/rbac/validation/validation.go. */
import { invalid, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, isFields, type ApiObject } from "../../meta/object.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import {
  validateChange,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../strategy/validation-steps.ts";
import { selectorErrors } from "../../validation/spec-checks.ts";
import { rulesErrors } from "./rules-and-subjects.ts";

function aggregationErrors({ aggregationRule }: ApiObject): FieldError[] {
  if (!isFields(aggregationRule)) return [];
  const field = "aggregationRule.clusterRoleSelectors";
  const selectors = fieldsIn(aggregationRule["clusterRoleSelectors"]);
  if (selectors.length === 0) {
    return [required(field, "at least one clusterRoleSelector required if aggregationRule is non-nil")];
  }
  return selectors.flatMap((selector, index) => {
    const errors = selectorErrors(selector, `${field}[${index}]`);
    return errors.length === 0 ? [] : [...errors, invalid(`${field}[${index}]`, null, "invalid label selector.")];
  });
}

/** ClusterRoles. Escalation is not checked. */
export const clusterRoleStrategy: RESTStrategy = restStrategy({
  nameRule: "segment",
  allowCreateOnUpdate: true,
  updateSteps: [validateObjectMeta, validateObject, validateObjectMetaUpdate, validateChange],
  validate: (role) => [...rulesErrors(role, false), ...aggregationErrors(role)],
});
