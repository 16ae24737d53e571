/**
 * Compiles expressions to programs: parses, checks and plans them. An environment declares what an expression can refer to; functions and
 * types are those of Kubernetes 1.36. Source: cel-go v0.26 cel/env.go, cel/program.go; apiserver v0.36 pkg/cel/environment/base.go.
 */
import { check, type Checked, type StructTypes } from "../checker/checker.ts";
import { validate } from "../checker/validators.ts";
import { estimateCost } from "../cost/estimate.ts";
import type { Range, SizeEstimator } from "../cost/range.ts";
import { CostLimitExceeded, Frame, PlanError } from "../interpreter/frame.ts";
import { type NewStruct, plan, type Plan } from "../interpreter/plan.ts";
import type { FunctionDecl } from "../library/function.ts";
import { kubernetesFunctions, kubernetesTypes } from "../library/kubernetes.ts";
import { bindingMacros, kubernetesMacros } from "../syntax/macros.ts";
import { parse } from "../syntax/parser.ts";
import type { CelType } from "../values/types.ts";
import { CelError, type Value } from "../values/value.ts";

export type { NewStruct, SizeEstimator, StructTypes };

/** What an expression can refer to, besides functions. */
export interface Environment {
  readonly variables: ReadonlyMap<string, CelType>;
  /** Struct types of variables and their parts. */
  readonly structs?: StructTypes;
  /** Constructs structs; without it, expressions cannot. */
  readonly newStruct?: NewStruct;
  /** Default: the functions common to all expressions in Kubernetes. */
  readonly functions?: ReadonlyMap<string, FunctionDecl>;
  /** Whether `cel.bind(name, value, expression)` gives a value a name. */
  readonly hasBindings?: boolean;
}

/** A program, or cel-go's error messages, each with its line and a caret. */
export type Compiled =
  { readonly is: "program"; readonly program: Program } | { readonly is: "refused"; readonly issues: string };

const noStruct: NewStruct = (name) => new CelError(`unknown type '${name}'`);
const noStructs: StructTypes = { has: () => false, fieldOf: () => undefined };

/** Compiles an expression. */
export function compile(expression: string, environment: Environment): Compiled {
  const { expr, issues } = parse(expression, environment.hasBindings === true ? bindingMacros : kubernetesMacros);
  if (expr === undefined) return { is: "refused", issues: String(issues) };
  const { variables, structs = noStructs, functions = kubernetesFunctions } = environment;
  const declarations = { functions, types: kubernetesTypes, variables, structs };
  const checked = check(expr, { declarations, issues });
  if (issues.isEmpty) validate(checked, issues);
  if (!issues.isEmpty) return { is: "refused", issues: String(issues) };
  return { is: "program", program: new Program(checked, environment) };
}

/** The result of an evaluation. */
export interface Outcome {
  /** The value, or an error with cel-go's message. */
  readonly value: Value;
  /** The cost; above the limit if the limit stopped it. */
  readonly cost: number;
  /** True if the limit stopped it. */
  readonly isCancelled: boolean;
}

/** A compiled expression; it can be evaluated any number of times. */
export class Program {
  readonly #checked: Checked;
  readonly #environment: Environment;
  readonly #variables: readonly string[];
  #plan: Plan | { readonly problem: string } | undefined;

  constructor(checked: Checked, environment: Environment) {
    this.#checked = checked;
    this.#environment = environment;
    this.#variables = [...environment.variables.keys()];
  }

  /** The type of its result. */
  get type(): CelType {
    return this.#checked.type;
  }

  /** True if the expression refers to a variable of this name. */
  refersTo(name: string): boolean {
    return [...this.#checked.references.values()].some((one) => one.is === "variable" && one.name === name);
  }

  /** The estimated minimum and maximum cost; `sizeOf` provides the sizes that a schema allows. */
  estimate(sizeOf: SizeEstimator = () => undefined): Range {
    return estimateCost(this.#checked, sizeOf);
  }

  /** Why it cannot be evaluated: a constant part of it fails, such as `int("x")`. */
  get problem(): string | undefined {
    const made = this.#made();
    return "problem" in made ? made.problem : undefined;
  }

  /** Evaluates it with variables by name. */
  evaluate(variables: Readonly<Record<string, Value | undefined>>, limit: number): Outcome {
    const made = this.#made();
    if ("problem" in made) return { value: new CelError(made.problem), cost: 0, isCancelled: false };
    const slots: (Value | undefined)[] = Array.from({ length: made.slots });
    for (const [slot, name] of this.#variables.entries()) slots[slot] = variables[name];
    return run(made, new Frame(slots, limit));
  }

  #made(): Plan | { readonly problem: string } {
    this.#plan ??= this.#makePlan();
    return this.#plan;
  }

  #makePlan(): Plan | { readonly problem: string } {
    const { newStruct = noStruct, functions = kubernetesFunctions } = this.#environment;
    try {
      return plan(this.#checked, { functions, variables: this.#variables, newStruct });
    } catch (error) {
      if (error instanceof PlanError) return { problem: error.message };
      throw error;
    }
  }
}

function run({ evaluate }: Plan, frame: Frame): Outcome {
  try {
    return { value: evaluate(frame), cost: frame.cost, isCancelled: false };
  } catch (error) {
    if (error instanceof CostLimitExceeded)
      return { value: new CelError(error.message), cost: frame.cost, isCancelled: true };
    // Strings and stacks that are too large for this engine.
    if (!(error instanceof RangeError)) throw error;
    return { value: new CelError(`internal error: ${error.message}`), cost: frame.cost, isCancelled: false };
  }
}
