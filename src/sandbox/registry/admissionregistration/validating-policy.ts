/**
 * ValidatingAdmissionPolicies.
 * Source: kubernetes v1.36 pkg/apis/admissionregistration/validation/validation.go.
 */
import { duplicate, invalid, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, textOf, type Fields } from "../../meta/object.ts";
import { choiceErrors, eachErrors, seenBefore } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { allButStatus, restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObject, validateObjectMeta } from "../strategy/validation-steps.ts";
import { policyStatusErrors } from "./policy-status.ts";
import { labelKeyProblems } from "../../../api/label-names.ts";
import type { ExpressionPlace, PolicyExpressions } from "./expression-checks.ts";
import { commonErrors, expressionsOf } from "./policies.ts";

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

function validationErrors(validation: Fields, { field, expressions }: ExpressionPlace): FieldError[] {
  const [text, messageExpression] = [textOf(validation["message"]), textOf(validation["messageExpression"])];
  const [expression, reason] = [textOf(validation["expression"]), validation["reason"]];
  const nonEmpty = "must be non-empty if specified";
  const at = `${field}.expression`;
  const errors =
    expression.trim() === ""
      ? [required(at, "expression is not specified")]
      : expressions.errors({ text: expression, field: at }, "condition");
  const messageExpressionAt = `${field}.messageExpression`;
  if (messageExpression.trim() !== "")
    errors.push(...expressions.errors({ text: messageExpression, field: messageExpressionAt }, "message"));
  else if (messageExpression !== "") errors.push(invalid(messageExpressionAt, messageExpression, nonEmpty));
  if (text !== "" && text.trim() === "") errors.push(invalid(`${field}.message`, text, nonEmpty));
  else if (/[\r\n]/.test(text.trim())) errors.push(invalid(`${field}.message`, text, "must not contain line breaks"));
  if (reason !== undefined) errors.push(...choiceErrors(reason, `${field}.reason`, reasons));
  return errors;
}

const mostAnnotations = 20;

interface Annotated {
  /** The name of the policy. */
  readonly policy: string;
  readonly expressions: PolicyExpressions;
}

function auditErrors(annotations: readonly Fields[], { policy, expressions }: Annotated): FieldError[] {
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
        ...valueErrors(textOf(valueExpression), { field: `${here}.valueExpression`, expressions }),
        ...(isRepeated(textOf(key)) ? [duplicate(`${here}.key`, textOf(key))] : []),
      ];
    }),
  ];
}

const longestValueExpression = 5 * 1024;

function valueErrors(shown: string, { field, expressions }: ExpressionPlace): FieldError[] {
  const text = shown.trim();
  if (text === "") return [required(field, "valueExpression is not specified")];
  if (new TextEncoder().encode(text).length > longestValueExpression)
    return [required(field, `must not exceed ${longestValueExpression} bytes in length`)];
  return expressions.errors({ text, field, shown }, "annotation");
}

/** ValidatingAdmissionPolicies. */
export const validatingPolicyStrategy: RESTStrategy = restStrategy({
  takesAnyFinalizer: true,
  generation: "spec",
  updateSteps: [validateObjectMeta, validateObject],
  status: { resetFields: allButStatus, updateSteps: [validateChange], validateUpdate: policyStatusErrors },
  allowUnconditionalUpdate: false,
  validate({ metadata, spec = {} }) {
    const [validations, annotations] = [fieldsIn(spec["validations"]), fieldsIn(spec["auditAnnotations"])];
    const expressions = expressionsOf(spec, false);
    const one = "validations or auditAnnotations must contain at least one item";
    return [
      ...commonErrors(spec, { mutating: false, expressions }),
      ...(validations.length + annotations.length === 0
        ? [required("spec.validations", one), required("spec.auditAnnotations", one)]
        : [
            ...eachErrors(validations, "spec.validations", (validation, here) =>
              validationErrors(validation, { field: here, expressions }),
            ),
            ...auditErrors(annotations, { policy: metadata.name ?? "", expressions }),
          ]),
    ];
  },
});
