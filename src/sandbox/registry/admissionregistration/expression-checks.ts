/** Validates the expressions of policies and webhooks. Source: kubernetes v1.36 pkg/apis/admissionregistration/validation/validation.go. */
import type { Composition, ExpressionUse } from "../../cel/admission/compile.ts";
import { internalError, invalid, type FieldError } from "../../meta/field-errors.ts";
import { textOf, type Fields } from "../../meta/object.ts";
import { expressions } from "./loading.ts";

/** An expression and its field path. */
export interface ExpressionText {
  readonly text: string;
  readonly field: string;
  /** What the error prints, if not the compiled text. */
  readonly shown?: string;
}

/** The path of a part of a policy, and the compiler of its expressions. */
export interface ExpressionPlace {
  readonly field: string;
  readonly expressions: PolicyExpressions;
}

/** Compiles the expressions of one policy; expressions see the variables declared before them. */
export class PolicyExpressions {
  readonly #hasParams: boolean;
  readonly #composition: Composition | undefined;

  /** `composes`: expressions have the variable `variables`. */
  constructor({ hasParams, composes }: { readonly hasParams: boolean; readonly composes: boolean }) {
    this.#hasParams = hasParams;
    // Without variables there is nothing to compose.
    this.#composition = composes ? new (expressions().Composition)() : undefined;
  }

  /** Validates an expression. */
  errors({ text, field, shown = text }: ExpressionText, use: ExpressionUse): FieldError[] {
    const compiled = expressions().compileExpression(text, {
      use,
      hasParams: this.#hasParams,
      hasAuthorizer: use !== "message",
      composed: this.#composition?.types,
    });
    return compiled.is === "program" ? [] : [errorOf(compiled, { field, shown })];
  }

  /** Validates the expression of a variable. */
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
  return because === "invalid" ? invalid(field, shown, problem) : internalError(field, problem);
}
