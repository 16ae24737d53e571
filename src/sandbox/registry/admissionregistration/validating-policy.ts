/**
 * ValidatingAdmissionPolicies. CEL is not compiled: an expression that means nothing is accepted.
 * Source: kubernetes v1.36 pkg/apis/admissionregistration/validation/validation.go.
 */
import { duplicate, invalid, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, textOf, type Fields } from "../../meta/object.ts";
import { choiceErrors, eachErrors, seenBefore } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { allButStatus, restStrategy } from "../strategy/default-strategy.ts";
import { validateChange } from "../strategy/validation-steps.ts";
import { policyStatusErrors } from "./policy-status.ts";
import { labelKeyProblems } from "../../../api/label-names.ts";
import { commonErrors } from "./policies.ts";

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge", "Unauthorized"];

function validationErrors({ expression, message, messageExpression, reason }: Fields, field: string): FieldError[] {
  const [text, said] = [textOf(message), textOf(messageExpression)];
  const errors =
    textOf(expression).trim() === "" ? [required(`${field}.expression`, "expression is not specified")] : [];
  const nonEmpty = "must be non-empty if specified";
  if (said !== "" && said.trim() === "") errors.push(invalid(`${field}.messageExpression`, said, nonEmpty));
  if (text !== "" && text.trim() === "") errors.push(invalid(`${field}.message`, text, nonEmpty));
  else if (/[\r\n]/.test(text.trim())) errors.push(invalid(`${field}.message`, text, "must not contain line breaks"));
  if (reason !== undefined) errors.push(...choiceErrors(reason, `${field}.reason`, reasons));
  return errors;
}

const mostAnnotations = 20;

function auditErrors(annotations: readonly Fields[], policy: string): FieldError[] {
  const field = "spec.auditAnnotations";
  const isRepeated = seenBefore();
  const many =
    annotations.length > mostAnnotations
      ? [invalid(field, annotations, `must not have more than ${mostAnnotations} auditAnnotations`)]
      : [];
  return [
    ...many,
    ...eachErrors(annotations, field, ({ key, valueExpression }, here) => {
      const whole = `${policy}/${textOf(key)}`;
      return [
        ...(policy === ""
          ? [invalid(`${here}.key`, key ?? "", "requires metadata.name be non-empty")]
          : labelKeyProblems(whole).map((problem) => invalid(`${here}.key`, whole, problem))),
        ...(textOf(valueExpression).trim() === ""
          ? [required(`${here}.valueExpression`, "valueExpression is not specified")]
          : []),
        ...(isRepeated(textOf(key)) ? [duplicate(`${here}.key`, textOf(key))] : []),
      ];
    }),
  ];
}

/** ValidatingAdmissionPolicies: structure only, CEL is not compiled. */
export const validatingPolicyStrategy: RESTStrategy = restStrategy({
  takesAnyFinalizer: true,
  generation: "spec",
  status: { resetFields: allButStatus, updateSteps: [validateChange], validateUpdate: policyStatusErrors },
  allowUnconditionalUpdate: false,
  validate({ metadata, spec = {} }) {
    const [validations, annotations] = [fieldsIn(spec["validations"]), fieldsIn(spec["auditAnnotations"])];
    const one = "validations or auditAnnotations must contain at least one item";
    return [
      ...commonErrors(spec, false),
      ...(validations.length + annotations.length === 0
        ? [required("spec.validations", one), required("spec.auditAnnotations", one)]
        : [
            ...eachErrors(validations, "spec.validations", validationErrors),
            ...auditErrors(annotations, metadata.name ?? ""),
          ]),
    ];
  },
});
