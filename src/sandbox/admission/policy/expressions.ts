/** The expressions that all policies have. Source: apiserver v0.36 admission/plugin/policy/{validating,mutating}/plugin.go. */
import { Composition } from "../../cel/admission/compile.ts";
import { MatchConditions } from "../../cel/admission/conditions.ts";
import type { DeclaredVariables } from "../../cel/admission/types.ts";
import { fieldsIn, isFields, textOf, type Fields } from "../../meta/object.ts";

/** The compiled conditions and variables of a policy. */
export interface PolicyExpressions {
  readonly conditions: MatchConditions;
  readonly composition: Composition;
  /** The variables available to the policy's other expressions. */
  readonly declared: DeclaredVariables;
}

/** Compiles the conditions and variables of a policy. */
export function policyExpressions(spec: Fields): PolicyExpressions {
  const hasParams = isFields(spec["paramKind"]);
  const composition = new Composition();
  for (const variable of fieldsIn(spec["variables"])) composition.add(named(variable), { hasParams });
  const failurePolicy = textOf(spec["failurePolicy"]);
  return {
    conditions: new MatchConditions(fieldsIn(spec["matchConditions"]).map(named), {
      failurePolicy,
      hasParams,
      composition,
    }),
    composition,
    declared: { hasParams, hasAuthorizer: true, composed: composition.types },
  };
}

const named = ({ name, expression }: Fields): { readonly name: string; readonly expression: string } => ({
  name: textOf(name),
  expression: textOf(expression),
});
