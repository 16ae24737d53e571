/**
 * Estimates the minimum and maximum cost of an expression, from its types and the sizes that a schema allows. Costs are 64-bit integers
 * that saturate at the maximum. Source: cel-go v0.26 checker/cost.go.
 */
import type { Checked } from "../checker/checker.ts";
import { accumulator, type Call, type Comprehension, type Expr, type MapLiteral } from "../syntax/ast.ts";
import { type CelType, errorType } from "../values/types.ts";
import { codePoints } from "../values/value.ts";
import { type CallEstimate, callEstimate } from "./call-estimates.ts";
import { fixed, type Node, plus, type Range, type SizeEstimator, times, union, unknownSize } from "./range.ts";

/** The minimum and maximum cost of an expression. */
export function estimateCost({ expr, types, references }: Checked, sizeOf: SizeEstimator): Range {
  return new Estimator({ types, references }, sizeOf).cost(expr);
}

/** The sizes of the keys and values in a list or a map. */
interface EntrySizes {
  readonly container: "list" | "map";
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entries: EntrySizes | undefined;
}

const one = fixed(1n);
const nothing = fixed(0n);

/** An empty range: the initial value of a union. */
const open: Range = { min: unknownSize.max, max: 0n };

class Estimator {
  readonly #types: Checked["types"];
  readonly #references: Checked["references"];
  readonly #sizeOf: SizeEstimator;
  readonly #paths = new Map<number, readonly string[]>();
  readonly #sizes = new Map<number, Range>();
  readonly #entries = new Map<number, EntrySizes>();
  readonly #locals = new Map<string, Local[]>();

  constructor({ types, references }: Pick<Checked, "types" | "references">, sizeOf: SizeEstimator) {
    this.#types = types;
    this.#references = references;
    this.#sizeOf = sizeOf;
  }

  cost(expr: Expr): Range {
    switch (expr.is) {
      case "literal":
      case "unspecified":
        return nothing;
      case "ident":
        this.#paths.set(expr.id, this.#local(expr.name)?.path ?? [expr.name]);
        return one;
      case "select":
        return this.#selectCost(expr);
      case "call":
        return this.#callCost(expr);
      case "list":
        return this.#listCost(expr);
      case "map":
        return this.#mapCost(expr);
      case "struct":
        return expr.fields.reduce((sum, { value }) => plus(sum, this.cost(value)), fixed(40n));
      case "comprehension":
        return isBind(expr) ? this.#bindCost(expr) : this.#loopCost(expr);
    }
  }

  #typeOf({ id }: Expr): CelType {
    return this.#types.get(id) ?? errorType;
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: Local): void {
    const stack = this.#locals.get(name);
    if (stack === undefined) this.#locals.set(name, [local]);
    else stack.push(local);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  #pathOf(expr: Expr): readonly string[] {
    const local = expr.is === "ident" ? this.#local(expr.name) : undefined;
    return local?.path ?? this.#paths.get(expr.id) ?? [];
  }

  #selectCost(expr: Expr & { readonly is: "select" }): Range {
    const operand = this.cost(expr.operand);
    if (expr.testOnly) return operand;
    this.#paths.set(expr.id, [...this.#pathOf(expr.operand), expr.field]);
    const { kind } = this.#typeOf(expr.operand);
    return kind === "map" || kind === "struct" || kind === "typeParam" ? plus(operand, one) : operand;
  }

  #listCost(expr: Expr & { readonly is: "list" }): Range {
    let sum = fixed(10n);
    let value = expr.elements.length === 0 ? nothing : open;
    for (const element of expr.elements) {
      sum = plus(sum, this.cost(element));
      value = union(value, this.#sizeOrUnknown(element));
    }
    this.#entries.set(expr.id, { container: "list", key: one, value });
    return sum;
  }

  #mapCost(expr: MapLiteral): Range {
    let sum = fixed(30n);
    let [key, value] = expr.entries.length === 0 ? [nothing, nothing] : [open, open];
    for (const entry of expr.entries) {
      sum = plus(plus(sum, this.cost(entry.key)), this.cost(entry.value));
      key = union(key, this.#sizeOrUnknown(entry.key));
      value = union(value, this.#sizeOrUnknown(entry.value));
    }
    this.#entries.set(expr.id, { container: "map", key, value });
    return sum;
  }

  #callCost(expr: Call): Range {
    const [first] = expr.args;
    if (expr.fn === "dyn" && first !== undefined) {
      const cost = plus(one, this.cost(first));
      this.#copySizes(expr, first);
      return cost;
    }
    const argCosts = expr.args.map((arg) => this.cost(arg));
    const args = expr.args.map((arg) => this.#node(arg));
    const reference = this.#references.get(expr.id);
    if (reference?.is !== "function") return nothing;
    const targetCost = expr.target === undefined ? nothing : this.cost(expr.target);
    const target = expr.target === undefined ? undefined : this.#node(expr.target);
    let cost = open;
    let size: Range | undefined;
    for (const overload of reference.overloads) {
      const estimate = this.#overloadCost(expr, { overload, target, args, argCosts });
      cost = union(cost, estimate.cost);
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : union(size, estimate.size);
      size = this.#indexed(expr, overload) ?? size ?? this.#computedSize(expr);
    }
    if (size !== undefined) this.#sizes.set(expr.id, size);
    return plus(targetCost, cost);
  }

  /** The entry size for an index into a list or a map. */
  #indexed(expr: Call, overload: string): Range | undefined {
    const [container] = expr.args;
    if ((overload !== "index_list" && overload !== "index_map") || container === undefined) return undefined;
    this.#paths.set(expr.id, [...this.#pathOf(container), overload === "index_list" ? "@items" : "@values"]);
    return this.#entriesOf(container)?.value;
  }

  #overloadCost(
    expr: Call,
    call: {
      readonly overload: string;
      readonly target: Node | undefined;
      readonly args: readonly Node[];
      readonly argCosts: readonly Range[];
    },
  ): CallEstimate {
    const [first = nothing, second = nothing, third = nothing] = call.argCosts;
    if (call.overload === "logical_or" || call.overload === "logical_and")
      return { cost: { min: first.min, max: plus(first, second).max } };
    if (call.overload === "conditional") return this.#conditional(expr, plus(first, union(second, third)));
    if (["add_string", "add_bytes", "add_list"].includes(call.overload)) this.#joinEntries(expr, expr.args);
    const estimate = callEstimate({ fn: expr.fn, ...call }, this.#sizeOf);
    const sum = call.argCosts.reduce(plus, nothing);
    return { ...estimate, cost: plus(estimate.cost, sum) };
  }

  #conditional(expr: Call, cost: Range): CallEstimate {
    const [, then, otherwise] = expr.args;
    if (then === undefined || otherwise === undefined) return { cost };
    this.#joinEntries(expr, [then, otherwise]);
    return { cost, size: union(this.#sizeOrUnknown(then), this.#sizeOrUnknown(otherwise)) };
  }

  /** A value from either operand, or a concatenation, has the entries of both. */
  #joinEntries(expr: Expr, [first, second]: readonly Expr[]): void {
    const [a, b] = [first, second].map((part) => (part === undefined ? undefined : this.#entriesOf(part)));
    if (a === undefined || b === undefined) return;
    this.#entries.set(expr.id, {
      container: a.container,
      key: union(a.key, b.key),
      value: union(a.value, b.value),
    });
  }

  #bindCost(expr: Comprehension): Range {
    let sum = plus(this.cost(expr.range), this.cost(expr.accuInit));
    this.#pushAccumulator(expr);
    sum = plus(sum, this.cost(expr.result));
    this.#pop(expr.accuVar);
    this.#copySizes(expr, expr.result);
    return sum;
  }

  #pushAccumulator({ accuVar, accuInit }: Comprehension): void {
    this.#push(accuVar, {
      path: this.#pathOf(accuInit),
      size: this.#computedSize(accuInit),
      entries: this.#entriesOf(accuInit),
    });
  }

  #pushVariables({ range, iterVar, iterVar2 }: Comprehension): void {
    const entries = this.#entriesOf(range);
    const isList = (entries?.container ?? this.#typeOf(range).kind) === "list";
    const path = this.#pathOf(range);
    const key: Local = { path: [...path, isList ? "@indices" : "@keys"], size: entries?.key, entries: undefined };
    const value: Local = { path: [...path, isList ? "@items" : "@values"], size: entries?.value, entries: undefined };
    if (iterVar2 === undefined) this.#push(iterVar, isList ? value : key);
    else {
      this.#push(iterVar, key);
      this.#push(iterVar2, value);
    }
  }

  #loopCost(expr: Comprehension): Range {
    let sum = plus(this.cost(expr.range), this.cost(expr.accuInit));
    this.#pushAccumulator(expr);
    this.#pushVariables(expr);
    const turn = plus(this.cost(expr.condition), this.cost(expr.step));
    this.#pop(expr.iterVar);
    if (expr.iterVar2 !== undefined) this.#pop(expr.iterVar2);
    sum = plus(sum, this.cost(expr.result));
    this.#pop(expr.accuVar);
    const turns = this.#sizeOrUnknown(expr.range);
    sum = plus(sum, times(turns, turn));
    if (expr.accuInit.is === "literal") {
      const size = this.#computedSize(expr.accuInit);
      if (size !== undefined) this.#sizes.set(expr.id, size);
    } else if (expr.accuInit.is === "list" || expr.accuInit.is === "map") {
      this.#sizes.set(expr.id, turns);
      const entries = this.#entriesOf(expr.step);
      if (entries !== undefined) this.#entries.set(expr.id, entries);
    }
    return sum;
  }

  #node(expr: Expr): Node {
    const path = this.#pathOf(expr);
    const isAccumulated = path[0] === accumulator || path[0] === "__result__";
    return {
      path: isAccumulated ? [] : path,
      type: this.#typeOf(expr),
      expr,
      size: this.#computedSize(expr),
    };
  }

  #copySizes(to: Expr, from: Expr): void {
    const size = this.#computedSize(from);
    if (size !== undefined) this.#sizes.set(to.id, size);
    const entries = this.#entriesOf(from);
    if (entries !== undefined) this.#entries.set(to.id, entries);
  }

  #sizeOrUnknown(expr: Expr): Range {
    return this.#computedSize(expr) ?? unknownSize;
  }

  #entriesOf(expr: Expr): EntrySizes | undefined {
    const own = this.#entries.get(expr.id);
    return own ?? (expr.is === "ident" ? this.#local(expr.name)?.entries : undefined);
  }

  #computedSize(expr: Expr): Range | undefined {
    const known = this.#sizes.get(expr.id) ?? literalSize(expr);
    if (known !== undefined) return known;
    const estimated = this.#sizeOf(this.#pathOf(expr));
    if (estimated !== undefined) {
      this.#sizes.set(expr.id, estimated);
      return estimated;
    }
    if (isScalar(this.#typeOf(expr))) return one;
    return expr.is === "ident" ? this.#local(expr.name)?.size : undefined;
  }
}

/** A loop without iterations: it binds a value to a name. */
function isBind({ range, condition, accuVar }: Comprehension): boolean {
  return (
    range.is === "list" &&
    range.elements.length === 0 &&
    condition.is === "literal" &&
    condition.value === false &&
    accuVar !== "__result__"
  );
}

function literalSize(expr: Expr): Range | undefined {
  if (expr.is === "list") return fixed(BigInt(expr.elements.length));
  if (expr.is === "map") return fixed(BigInt(expr.entries.length));
  if (expr.is !== "literal") return undefined;
  if (typeof expr.value === "string") return fixed(BigInt(codePoints(expr.value)));
  return expr.value instanceof Uint8Array ? fixed(BigInt(expr.value.length)) : one;
}

const scalars = new Set(["bool", "double", "duration", "int", "timestamp", "uint"]);

/** Types whose values have no size. */
function isScalar({ kind, name, parameters: [held] }: CelType): boolean {
  if (kind === "opaque" && name === "optional_type") return held !== undefined && isScalar(held);
  return scalars.has(kind);
}
