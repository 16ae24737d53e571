/**
 * Evaluates admission expressions, within a budget. Source: apiserver v0.36 pkg/admission/plugin/cel/activation.go, composition.go,
 * pkg/cel/lazy/lazy.go.
 */
import { AuthorizerValue, ResourceCheck } from "../library/authorizer.ts";
import { fromJson } from "../schema/json-values.ts";
import { perCallLimit } from "../schema/node.ts";
import { unescapeName } from "../schema/schema.ts";
import { CelError, CelMap, noSuchOverload, type Value } from "../values/value.ts";
import type { CompiledExpression, Composition } from "./compile.ts";
import type { ExpressionInput } from "./input.ts";

/** The total budget for all expressions of one kind of a binding, for one object. */
const admissionBudget = 10_000_000;

/** The budget is spent: nothing more is evaluated. */
export class OutOfBudget extends Error {
  constructor() {
    super("validation failed due to running out of cost budget, no further validation rules will be run");
  }
}

/** The result of an evaluation. */
export type Evaluation =
  { readonly is: "value"; readonly value: Value } | { readonly is: "error"; readonly message: string };

/** The variables of a policy, evaluated on first use. */
class LazyVariables extends CelMap {
  readonly #evaluate: (name: string) => Value;
  readonly #names: readonly string[];
  readonly #known = new Map<string, Value>();

  constructor(names: readonly string[], evaluate: (name: string) => Value) {
    super();
    this.#names = names;
    this.#evaluate = evaluate;
  }

  get size(): number {
    return this.#names.length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== "string") return noSuchOverload();
    const name = unescapeName(key);
    if (name === undefined || !this.#names.includes(name)) return undefined;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const value = this.#evaluate(name);
    this.#known.set(name, value);
    return value;
  }

  keys(): Value[] {
    return [...this.#names];
  }

  equal(other: Value): boolean {
    return other === this;
  }
}

/** The variables for an evaluation of several expressions, which share the values of composed variables. */
export class Activation {
  readonly #variables: Record<string, Value | undefined>;
  readonly #composition: Composition | undefined;
  /** The cost of composed variables, not yet charged to the budget. */
  #composedCost = 0;
  #budget: number;

  constructor(
    input: ExpressionInput,
    {
      composition,
      budget = admissionBudget,
    }: { readonly composition?: Composition | undefined; readonly budget?: number } = {},
  ) {
    this.#budget = budget;
    this.#composition = composition;
    const { object, oldObject, params = null, namespaceObject = null, request, authorizer } = input;
    this.#variables = {
      object: fromJson(object),
      oldObject: fromJson(oldObject),
      params: fromJson(params),
      namespaceObject: fromJson(namespaceObject),
      request: fromJson(request),
      ...authorizerOf(authorizer, request),
    };
    if (composition === undefined) return;
    const names = [...composition.compiled.keys()];
    this.#variables["variables"] = new LazyVariables(names, (name) => this.#compose(name));
  }

  /** The remaining budget. */
  get budget(): number {
    return this.#budget;
  }

  /** Evaluates an expression. @throws OutOfBudget */
  evaluate(expression: CompiledExpression): Evaluation {
    if (expression.is === "refused") return { is: "error", message: `compilation error: ${expression.problem}` };
    const { value, cost } = expression.program.evaluate(this.#variables, perCallLimit);
    this.#spend(this.#composedCost);
    this.#composedCost = 0;
    this.#spend(cost);
    if (!(value instanceof CelError)) return { is: "value", value };
    return { is: "error", message: `expression '${expression.text}' resulted in error: ${value.message}` };
  }

  #spend(cost: number): void {
    if (cost > this.#budget) throw new OutOfBudget();
    this.#budget -= cost;
  }

  #compose(name: string): Value {
    const compiled = this.#composition?.compiled.get(name);
    const failed = (why: string): CelError => new CelError(`composited variable ${JSON.stringify(name)} ${why}`);
    if (compiled === undefined) return failed("is not known");
    if (compiled.is === "refused") return failed(`fails to compile: ${compiled.problem}`);
    const { value, cost } = compiled.program.evaluate(this.#variables, perCallLimit);
    this.#composedCost += cost;
    return value instanceof CelError ? failed(`fails to evaluate: ${value.message}`) : value;
  }
}

function authorizerOf(
  authorizer: ExpressionInput["authorizer"],
  {
    requestResource: { group, resource },
    requestSubResource = "",
    namespace = "",
    name = "",
  }: ExpressionInput["request"],
): Record<string, Value> {
  if (authorizer === undefined) return {};
  const value = new AuthorizerValue(authorizer.user, authorizer.decider);
  const about = { group, resource, subresource: requestSubResource, namespace, name };
  return { authorizer: value, "authorizer.requestResource": new ResourceCheck(value, about) };
}
