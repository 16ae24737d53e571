/** IPAddresses. Source: kubernetes v1.36 pkg/apis/networking/validation/validation.go. */
import { required, type FieldError } from "../../meta/field-errors.ts";
import { isFields, textOf } from "../../meta/object.ts";
import { nameErrors, subdomainErrors } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import {
  validateChange,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../strategy/validation-steps.ts";
import { nameRules } from "../../validation/names.ts";
import { fixed } from "../../validation/spec-checks.ts";

function parentErrors(parent: unknown): FieldError[] {
  const field = "spec.parentRef";
  if (!isFields(parent)) return [required(field)];
  const segment = (key: string, needed: boolean): FieldError[] => {
    const value = textOf(parent[key]);
    if (value === "") return needed ? [required(`${field}.${key}`)] : [];
    return nameErrors(value, `${field}.${key}`, nameRules.segment);
  };
  return [
    ...(textOf(parent["group"]) === "" ? [] : subdomainErrors(parent["group"], `${field}.group`)),
    ...segment("resource", true),
    ...segment("name", true),
    ...segment("namespace", false),
  ];
}

/** IPAddresses: named by the address, for one parent. */
export const addressStrategy: RESTStrategy = restStrategy({
  nameRule: "address",
  updateSteps: [validateObjectMeta, validateObject, validateObjectMetaUpdate, validateChange],
  validate: ({ spec = {} }) => parentErrors(spec["parentRef"]),
  validateUpdate: ({ spec }, old) => fixed(spec?.["parentRef"], old.spec?.["parentRef"], "spec.parentRef"),
});
