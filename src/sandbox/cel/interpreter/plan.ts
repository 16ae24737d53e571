/**
 * Compiles a checked expression to closures. Constant parts are evaluated once, patterns compiled once, and names become slot numbers.
 * Source: cel-go v0.26 interpreter/planner.go, decorators.go.
 */
import type { Checked } from "../checker/checker.ts";
import type { FunctionDecl } from "../library/function.ts";
import { patternOf } from "../library/regular-expressions.ts";
import { conversionNames } from "../library/standard.ts";
import type { Call, Comprehension, Expr, List, MapLiteral, Select, Struct } from "../syntax/ast.ts";
import { ArrayList, ValueMap } from "../values/collections.ts";
import { goText } from "../values/text.ts";
import { CelError, Optional, type Value } from "../values/value.ts";
import {
  type Attribute,
  attribute,
  badKey,
  conditional,
  constantQualifier,
  dynamicQualifier,
  isKey,
  type Qualifier,
  testQualifier,
} from "./attributes.ts";
import { evaluateCall, logical, notStrictlyFalse } from "./calls.ts";
import { Names, planFold } from "./folds.ts";
import { type Evaluate, Frame, PlanError } from "./frame.ts";
import { membershipOf } from "./membership.ts";

/** Constructs a struct value from its fields. */
export type NewStruct = (typeName: string, fields: ReadonlyMap<string, Value>) => Value;

/** Options for planning. */
export interface PlanOptions {
  readonly functions: ReadonlyMap<string, FunctionDecl>;
  /** The variables in slot order. */
  readonly variables: readonly string[];
  readonly newStruct: NewStruct;
}

/** A compiled expression, and the number of slots in its frames. */
export interface Plan {
  readonly evaluate: Evaluate;
  readonly slots: number;
}

/** @throws PlanError if a constant part fails: `int("x")` */
export function plan(checked: Checked, options: PlanOptions): Plan {
  const planner = new Planner(checked, options);
  const { evaluate } = planner.plan(checked.expr);
  return { evaluate, slots: planner.names.slots };
}

/** A planned part of an expression. */
export interface Planned {
  readonly evaluate: Evaluate;
  /** If it is a constant. */
  readonly constant?: { readonly value: Value };
  /** If more steps can be added without extra cost. */
  readonly attribute?: Attribute;
}

const constant = (value: Value): Planned => ({ evaluate: () => value, constant: { value } });

/** A complete attribute, with its own cost. */
function alone(one: Attribute): Planned {
  const { resolve, ownCost } = one;
  if (ownCost === 0) return { evaluate: resolve, attribute: one };
  const evaluate: Evaluate = (frame) => {
    const value = resolve(frame);
    frame.spend(1);
    return value;
  };
  return { evaluate, attribute: one };
}

const attributeOf = (planned: Planned): Attribute => planned.attribute ?? attribute(planned.evaluate);

/** Plans expressions; `folds.ts` uses it to plan comprehensions. */
class Planner {
  readonly names: Names;
  readonly #checked: Checked;
  readonly #options: PlanOptions;

  constructor(checked: Checked, options: PlanOptions) {
    this.#checked = checked;
    this.#options = options;
    this.names = new Names(options.variables);
  }

  plan(expr: Expr): Planned {
    switch (expr.is) {
      case "literal":
        return constant(expr.value);
      case "ident":
        return this.#planName(expr.id, expr.name);
      case "select":
        return this.#planSelect(expr);
      case "call":
        return this.#planCall(expr);
      case "list":
        return this.#planList(expr);
      case "map":
        return this.#planMap(expr);
      case "struct":
        return this.#planStruct(expr);
      case "comprehension":
        return this.#planComprehension(expr);
      case "unspecified":
        throw new PlanError("unsupported expr");
    }
  }

  #planName(id: number, name: string): Planned {
    const reference = this.#checked.references.get(id);
    if (reference?.is === "type") return constant(reference.type);
    return alone(attribute(this.names.read(name)));
  }

  #planSelect(expr: Select): Planned {
    const operand = this.plan(expr.operand);
    if (!expr.testOnly) return alone(attributeOf(operand).with(constantQualifier(expr.field, false)));
    const tested = attributeOf(operand).with(testQualifier(expr.field));
    const evaluate: Evaluate = (frame) => {
      const value = tested.resolve(frame);
      return value instanceof Optional ? value.value !== undefined : value;
    };
    return { evaluate, attribute: tested };
  }

  #planCall(expr: Call): Planned {
    const planned = (expr.target === undefined ? expr.args : [expr.target, ...expr.args]).map((one) => this.plan(one));
    const operands = planned.map(({ evaluate }) => evaluate);
    const [first, second, third] = planned;
    switch (expr.fn) {
      case "_&&_":
        return { evaluate: logical(operands, false) };
      case "_||_":
        return { evaluate: logical(operands, true) };
      case "_?_:_":
        if (first === undefined || second === undefined || third === undefined) break;
        return alone(conditional(first.evaluate, [attributeOf(second), attributeOf(third)]));
      case "_[_]":
      case "_?._":
      case "_[?_]":
        if (first === undefined || second === undefined) break;
        return alone(attributeOf(first).with(qualifierOf(second, expr.fn !== "_[_]")));
      case "@not_strictly_false":
        if (first === undefined) break;
        return { evaluate: notStrictlyFalse(first.evaluate) };
      case "or":
      case "orValue":
        if (first === undefined || second === undefined) break;
        return { evaluate: optionalOr([first.evaluate, second.evaluate], expr.fn === "orValue") };
      default:
    }
    return this.#planFunction(expr, planned);
  }

  #planFunction(expr: Call, planned: readonly Planned[]): Planned {
    const reference = this.#checked.references.get(expr.id);
    const fn = this.#options.functions.get(expr.fn);
    if (fn === undefined || reference?.is !== "function") throw new PlanError(`no such overload: ${expr.fn}`);
    const [only, ...others] = reference.overloads;
    const overload = others.length === 0 ? fn.overloads.find(({ id }) => id === only) : undefined;
    if (overload?.id === "in_list") {
      const membership = membershipOf(planned);
      if (membership !== undefined) return membership === false ? constant(false) : { evaluate: membership };
    }
    checkPattern(expr.fn, planned);
    const evaluate = evaluateCall({ fn, overload, operands: planned.map((one) => one.evaluate) });
    const isConstant = conversionNames.has(expr.fn) && planned.length === 1 && planned[0]?.constant !== undefined;
    if (!isConstant) return { evaluate };
    const value = evaluate(new Frame([], Number.POSITIVE_INFINITY));
    if (value instanceof CelError) throw new PlanError(value.message);
    return constant(value);
  }

  #planList(expr: List): Planned {
    const elements = expr.elements.map((element) => this.plan(element));
    const make = listMaker(
      elements.map(({ evaluate }) => evaluate),
      expr.optional,
    );
    return elements.every((element) => element.constant !== undefined) ? evaluated(make) : costing(make, 10);
  }

  #planMap(expr: MapLiteral): Planned {
    const entries = expr.entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      isOptional: optional,
    }));
    const make = mapMaker(
      entries.map(({ key, value, isOptional }) => ({ key: key.evaluate, value: value.evaluate, isOptional })),
    );
    const isConstant = entries.every(({ key, value }) => key.constant !== undefined && value.constant !== undefined);
    return isConstant ? evaluated(make) : costing(make, 30);
  }

  #planStruct({ typeName, fields }: Struct): Planned {
    const planned = fields.map(({ name, value, optional }) => ({
      name,
      evaluate: this.plan(value).evaluate,
      optional,
    }));
    const { newStruct } = this.#options;
    const make: Evaluate = (frame) => {
      const values = new Map<string, Value>();
      for (const { name, evaluate, optional } of planned) {
        const value = evaluate(frame);
        if (value instanceof CelError) return value;
        const held = optional ? heldValue(value, (shown) => entryProblem(name, shown)) : value;
        if (held instanceof CelError) return held;
        if (held === undefined) values.delete(name);
        else values.set(name, held);
      }
      return newStruct(typeName, values);
    };
    return costing(make, 40);
  }

  #planComprehension(expr: Comprehension): Planned {
    return { evaluate: planFold(expr, this) };
  }
}

/** A constant, evaluated once. */
function evaluated(make: Evaluate): Planned {
  return constant(make(new Frame([], Number.POSITIVE_INFINITY)));
}

/** Adds a fixed cost to an evaluation. */
function costing(make: Evaluate, cost: number): Planned {
  return {
    evaluate: (frame) => {
      const value = make(frame);
      frame.spend(cost);
      return value;
    },
  };
}

function qualifierOf(key: Planned, isOptional: boolean): Qualifier {
  if (key.constant === undefined) return dynamicQualifier(attributeOf(key), isOptional);
  const { value } = key.constant;
  if (!isKey(value)) throw new PlanError(badKey(value).message);
  return constantQualifier(value, isOptional);
}

/** Constant patterns are compiled before anything runs. */
function checkPattern(fn: string, [, pattern]: readonly Planned[]): void {
  if (fn !== "matches" && fn !== "find" && fn !== "findAll") return;
  if (typeof pattern?.constant?.value !== "string") return;
  const found = patternOf(pattern.constant.value);
  if ("problem" in found) throw new PlanError(found.problem);
}

function optionalOr([left, right]: readonly [Evaluate, Evaluate], isValue: boolean): Evaluate {
  return (frame) => {
    const first = left(frame);
    if (!(first instanceof Optional)) return first;
    if (first.value === undefined) return right(frame);
    return isValue ? first.value : first;
  };
}

const entryProblem = (field: string, value: string): string =>
  `cannot initialize optional entry '${field}' from non-optional value ${value}`;

/** The value inside an optional element: undefined if it is empty, an error if it is not an optional. */
function heldValue(value: Value, problem: (shown: string) => string): Value | undefined {
  return value instanceof Optional ? value.value : new CelError(problem(goText(value)));
}

function listMaker(elements: readonly Evaluate[], optional: ReadonlySet<number>): Evaluate {
  return (frame) => {
    const items: Value[] = [];
    for (const [n, element] of elements.entries()) {
      const value = element(frame);
      if (value instanceof CelError) return value;
      const held = optional.has(n)
        ? heldValue(value, (shown) => `cannot initialize optional list element from non-optional value ${shown}`)
        : value;
      if (held instanceof CelError) return held;
      if (held !== undefined) items.push(held);
    }
    return new ArrayList(items);
  };
}

function mapMaker(
  entries: readonly { readonly key: Evaluate; readonly value: Evaluate; readonly isOptional: boolean }[],
): Evaluate {
  return (frame) => {
    const made: (readonly [Value, Value])[] = [];
    for (const entry of entries) {
      const key = entry.key(frame);
      if (key instanceof CelError) return key;
      const value = entry.value(frame);
      if (value instanceof CelError) return value;
      const held = entry.isOptional ? heldValue(value, (shown) => entryProblem(goText(key), shown)) : value;
      if (held instanceof CelError) return held;
      if (held !== undefined) made.push([key, held]);
    }
    return new ValueMap(made);
  };
}
