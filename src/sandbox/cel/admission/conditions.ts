/** Match conditions of webhooks and policies. Source: apiserver v0.36 pkg/admission/plugin/webhook/matchconditions/matcher.go. */
import { Activation, OutOfBudget } from "./activation.ts";
import { type CompiledExpression, compileExpression, type Composition } from "./compile.ts";
import type { ExpressionInput } from "./input.ts";

/** The total budget for all conditions of a webhook or a binding. */
const conditionsBudget = 2_500_000;

/** A condition of a webhook or a policy. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** The result of the conditions. */
export type Met = { readonly is: "met" } | { readonly is: "not met" } | { readonly is: "failed"; readonly why: string };

/** How conditions are compiled. */
export interface ConditionOptions {
  /** `Ignore`: a failure counts as not met. */
  readonly failurePolicy: string;
  readonly hasParams?: boolean;
  readonly composition?: Composition | undefined;
}

/** Compiled conditions. */
export class MatchConditions {
  readonly #compiled: readonly CompiledExpression[];
  readonly #isIgnored: boolean;
  readonly #composition: Composition | undefined;

  constructor(
    conditions: readonly MatchCondition[],
    { failurePolicy, hasParams = false, composition }: ConditionOptions,
  ) {
    const declared = { use: "condition", hasParams, hasAuthorizer: true, composed: composition?.types } as const;
    this.#compiled = conditions.map(({ expression }) => compileExpression(expression, declared));
    this.#isIgnored = failurePolicy === "Ignore";
    this.#composition = composition;
  }

  /** A false condition decides, whatever errors others have. */
  evaluate(input: ExpressionInput): Met {
    if (this.#compiled.length === 0) return { is: "met" };
    const activation = new Activation(input, { composition: this.#composition, budget: conditionsBudget });
    const errors: string[] = [];
    try {
      const evaluations = this.#compiled.map((one) => activation.evaluate(one));
      for (const evaluation of evaluations) {
        if (evaluation.is === "error") errors.push(evaluation.message);
        else if (evaluation.value === false) return { is: "not met" };
      }
    } catch (error) {
      if (!(error instanceof OutOfBudget)) throw error;
      return this.#failed(error.message);
    }
    return errors.length === 0 ? { is: "met" } : this.#failed(aggregated(errors));
  }

  #failed(why: string): Met {
    return this.#isIgnored ? { is: "not met" } : { is: "failed", why };
  }
}

/** Several errors as Go prints them together, without duplicates. Source: apimachinery v0.36 util/errors/errors.go. */
function aggregated(errors: readonly string[]): string {
  const different = [...new Set(errors)];
  return different.length === 1 ? (different[0] ?? "") : `[${different.join(", ")}]`;
}
