/** The expressions of policies and webhooks. Source: kubernetes v1.36 pkg/apis/admissionregistration/validation/validation.go. */
import type { Composition, ExpressionUse } from "../../cel/admission/compile.ts";
import { invalid, type FieldError } from "../../meta/field-errors.ts";
import { textOf, type Fields } from "../../meta/object.ts";
import { expressions } from "./loading.ts";

/** An expression, and where it stands. */
export interface ExpressionText {
  readonly text: string;
  readonly field: string;
  /** What the error prints, where that is not the text as it was compiled. */
  readonly shown?: string;
}

/** Where a part of a policy is, and what compiles its expressions. */
export interface ExpressionPlace {
  readonly field: string;
  readonly expressions: PolicyExpressions;
}

/** Compiles the expressions of one policy, whose variables those after them see. */
export class PolicyExpressions {
  readonly #hasParams: boolean;
  readonly #composition: Composition | undefined;

  /** `composes`: expressions have the variable `variables`. */
  constructor({ hasParams, composes }: { readonly hasParams: boolean; readonly composes: boolean }) {
    this.#hasParams = hasParams;
    // Nothing is compiled of what has no expressions.
    this.#composition = composes ? new (expressions().Composition)() : undefined;
  }

  /** What is wrong with an expression. */
  errors({ text, field, shown = text }: ExpressionText, use: ExpressionUse): FieldError[] {
    const compiled = expressions().compileExpression(text, {
      use,
      hasParams: this.#hasParams,
      hasAuthorizer: use !== "message",
      composed: this.#composition?.types,
    });
    return compiled.is === "program" ? [] : [errorOf(compiled, { field, shown })];
  }

  /** What is wrong with the expression of a variable. */
  variableErrors({ name, expression }: Fields, field: string): FieldError[] {
    const text = textOf(expression);
    const compiled = this.#composition?.add({ name: textOf(name), expression: text }, { hasParams: this.#hasParams });
    return compiled === undefined || compiled.is === "program" ? [] : [errorOf(compiled, { field, shown: text })];
  }
}

function errorOf(
  { because, problem }: { readonly because: "invalid" | "internal"; readonly problem: string },
  { field, shown }: { readonly field: string; readonly shown: string },
): FieldError {
  return because === "invalid"
    ? invalid(field, shown, problem)
    : { reason: "InternalError", field, message: `Internal error: ${problem}` };
}
