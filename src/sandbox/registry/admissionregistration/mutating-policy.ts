/**
 * MutatingAdmissionPolicies. CEL is not compiled: an expression that means nothing is accepted.
 * Source: kubernetes v1.36 pkg/apis/admissionregistration/validation/validation.go.
 */
import { invalid, notSupported, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, isFields, textOf, type Fields } from "../../meta/object.ts";
import { eachErrors, neededChoiceErrors } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { commonErrors } from "./policies.ts";

const reinvocations = ["IfNeeded", "Never"];

const patchTypes = ["ApplyConfiguration", "JSONPatch"];

function mutationErrors(mutation: Fields, field: string): FieldError[] {
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
      ? textOf(patch["expression"]).trim() === ""
        ? [required(`${field}.${own}.expression`, "expression is not specified")]
        : []
      : [required(`${field}.${own}`, `must be specified when patchType is ${type}`)]),
    ...(mutation[other] === undefined
      ? []
      : [invalid(`${field}.${other}`, `{${other}}`, `must not be specified when patchType is ${type}`)]),
  ];
}

/** MutatingAdmissionPolicies: structure only, CEL is not compiled. */
export const mutatingPolicyStrategy: RESTStrategy = restStrategy({
  takesAnyFinalizer: true,
  generation: "spec",
  allowUnconditionalUpdate: false,
  validate({ spec = {} }) {
    const mutations = fieldsIn(spec["mutations"]);
    return [
      ...commonErrors(spec, true),
      ...(mutations.length === 0
        ? [required("spec.mutations", "mutations must contain at least one item")]
        : eachErrors(mutations, "spec.mutations", mutationErrors)),
      ...neededChoiceErrors(spec["reinvocationPolicy"], "spec.reinvocationPolicy", reinvocations),
    ];
  },
});
