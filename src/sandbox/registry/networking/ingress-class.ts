/** IngressClasses. Source: kubernetes v1.36 pkg/apis/networking/validation/validation.go. */
import { notAllowed, notSupported, required, tooLong, type FieldError } from "../../meta/field-errors.ts";
import { isFields, textOf, type Fields } from "../../meta/object.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import {
  validateChange,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../strategy/validation-steps.ts";
import { labelProblems } from "../../validation/names.ts";
import { fixed, prefixedPathErrors } from "../../validation/spec-checks.ts";
import { problemErrors, referenceErrors } from "./references.ts";

const longestController = 250;

function controllerErrors(controller: string): FieldError[] {
  const field = "spec.controller";
  const errors = controller.length > longestController ? [tooLong(field, longestController)] : [];
  return [...errors, ...prefixedPathErrors(controller, field)];
}

const scopes = ["Cluster", "Namespace"];

function parameterErrors(parameters: Fields): FieldError[] {
  const field = "spec.parameters";
  const errors = referenceErrors(parameters, field);
  const { scope, namespace } = parameters;
  if (!scopes.includes(textOf(scope))) return [...errors, notSupported(`${field}.scope`, scope, scopes)];
  const there = `${field}.namespace`;
  if (scope === "Cluster") {
    return namespace === undefined ? errors : [...errors, notAllowed(there, "`parameters.scope` is set to 'Cluster'")];
  }
  if (namespace === undefined) return [...errors, required(there, "`parameters.scope` is set to 'Namespace'")];
  return [...errors, ...problemErrors(labelProblems(textOf(namespace)), there, textOf(namespace))];
}

/** IngressClasses: their controller never changes. */
export const ingressClassStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  updateSteps: [validateObjectMetaUpdate, validateChange, validateObjectMeta, validateObject],
  validate: ({ spec = {} }) => [
    ...controllerErrors(textOf(spec["controller"])),
    ...(isFields(spec["parameters"]) ? parameterErrors(spec["parameters"]) : []),
  ],
  validateUpdate: (ingressClass, old) =>
    fixed(textOf(ingressClass.spec?.["controller"]), textOf(old.spec?.["controller"]), "spec.controller"),
});
