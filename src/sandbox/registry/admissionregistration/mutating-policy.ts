/**
 * MutatingAdmissionPolicies.
 * Source: kubernetes v1.36 pkg/apis/admissionregistration/validation/validation.go.
 */
import { invalid, notSupported, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, isFields, textOf, type Fields } from "../../meta/object.ts";
import { eachErrors, neededChoiceErrors } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateObject, validateObjectMeta } from "../strategy/validation-steps.ts";
import type { ExpressionPlace } from "./expression-checks.ts";
import { commonErrors, expressionsOf } from "./policies.ts";

const reinvocations = ["IfNeeded", "Never"];

const patchTypes = ["ApplyConfiguration", "JSONPatch"];

function expressionErrors(patch: Fields, { field, expressions, use }: Mutation): FieldError[] {
  const text = textOf(patch["expression"]).trim();
  return text === "" ? [required(field)] : expressions.errors({ text, field }, use);
}

interface Mutation extends ExpressionPlace {
  readonly use: "json patch" | "apply configuration";
}

function mutationErrors(mutation: Fields, { field, expressions }: ExpressionPlace): FieldError[] {
  const type = textOf(mutation["patchType"]);
  if (type === "") return [required(`${field}.patchType`)];
  if (!patchTypes.includes(type)) return [notSupported(`${field}.patchType`, type, patchTypes)];
  const [own, other] =
    type === "JSONPatch"
      ? (["jsonPatch", "applyConfiguration"] as const)
      : (["applyConfiguration", "jsonPatch"] as const);
  const patch = mutation[own];
  return [
    ...(isFields(patch)
      ? expressionErrors(patch, {
          field: `${field}.${own}.expression`,
          expressions,
          use: type === "JSONPatch" ? "json patch" : "apply configuration",
        })
      : [required(`${field}.${own}`, `must be specified when patchType is ${type}`)]),
    ...(mutation[other] === undefined
      ? []
      : [invalid(`${field}.${other}`, `{${other}}`, `must not be specified when patchType is ${type}`)]),
  ];
}

/** MutatingAdmissionPolicies. */
export const mutatingPolicyStrategy: RESTStrategy = restStrategy({
  takesAnyFinalizer: true,
  generation: "spec",
  updateSteps: [validateObjectMeta, validateObject],
  allowUnconditionalUpdate: false,
  validate({ spec = {} }) {
    const mutations = fieldsIn(spec["mutations"]);
    const expressions = expressionsOf(spec, true);
    return [
      ...commonErrors(spec, { mutating: true, expressions }),
      ...(mutations.length === 0
        ? [required("spec.mutations", "mutations must contain at least one item")]
        : eachErrors(mutations, "spec.mutations", (mutation, here) =>
            mutationErrors(mutation, { field: here, expressions }),
          )),
      ...neededChoiceErrors(spec["reinvocationPolicy"], "spec.reinvocationPolicy", reinvocations),
    ];
  },
});
