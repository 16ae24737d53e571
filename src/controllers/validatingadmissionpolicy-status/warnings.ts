/** What is wrong with a policy's expressions. Source: apiserver v0.36 pkg/admission/plugin/policy/validating/typechecking.go Check. */
import type { ValidatingAdmissionPolicy } from "../../api/types.ts";
import type * as TypeCheck from "../../sandbox/cel/admission/type-check.ts";
import { lazyModule, type LazyModule } from "../../sandbox/meta/lazy-module.ts";
import type { KnownKind, PolicyTypes } from "./types.ts";

/** CEL takes 25 ms to load, and few runs need it. */
const checker: LazyModule<typeof TypeCheck> = lazyModule(
  () => import("../../sandbox/cel/admission/type-check.ts"),
  "what checks the types of expressions",
);

/** An expression and its field: `spec.validations[0].expression`. */
interface Expression {
  readonly fieldRef: string;
  readonly text: string;
}

/** An entry of `status.typeChecking.expressionWarnings`. */
export interface ExpressionWarning {
  readonly fieldRef: string;
  /** A paragraph for each kind for which the expression is wrong. */
  readonly warning: string;
}

/** The checked expressions. Match conditions and audit annotations are not checked, as in upstream. */
export function expressionsOf({ spec = {} }: ValidatingAdmissionPolicy): readonly Expression[] {
  return (spec.validations ?? []).flatMap(({ expression, messageExpression = "" }, n) => {
    const field = `spec.validations[${n}]`;
    return [
      { fieldRef: `${field}.expression`, text: expression },
      ...(messageExpression === "" ? [] : [{ fieldRef: `${field}.messageExpression`, text: messageExpression }]),
    ];
  });
}

/** The warnings, in the order of the expressions. */
export async function warningsFor(
  policy: ValidatingAdmissionPolicy,
  { kinds, params }: PolicyTypes,
): Promise<readonly ExpressionWarning[]> {
  if (kinds.length === 0) return [];
  await checker.ready();
  const { typeChecker } = checker.get();
  const variables = policy.spec?.variables ?? [];
  const checkers = kinds.map((object) => ({ object, problemWith: typeChecker({ object, params, variables }) }));
  return expressionsOf(policy).flatMap(({ fieldRef, text }) => {
    const paragraphs = checkers.flatMap(({ object, problemWith }) => {
      const problem = problemWith(text);
      return problem === undefined ? [] : [`${nameOf(object)}: ${problem}\n`];
    });
    return paragraphs.length === 0 ? [] : [{ fieldRef, warning: paragraphs.join("\n") }];
  });
}

/** Formatted as Go prints a kind. */
function nameOf({ group, version, kind }: KnownKind): string {
  return `${group}/${version}, Kind=${kind}`;
}
