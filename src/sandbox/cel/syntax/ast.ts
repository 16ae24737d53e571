/** Expressions as trees. Source: cel-go v0.26 common/ast/ast.go, expr.go. */
import type { Value } from "../values/value.ts";

interface Node {
  /** Tells the nodes of one expression apart. */
  readonly id: number;
  /** Where errors point to: code points from the beginning; below 0 for nowhere. */
  readonly at: number;
}

/** `1`, `"text"`, `true`. */
export interface Literal extends Node {
  readonly is: "literal";
  readonly value: Value;
}

/** A name. */
export interface Ident extends Node {
  readonly is: "ident";
  readonly name: string;
}

/** `operand.field`; as a test, `has(operand.field)`. */
export interface Select extends Node {
  readonly is: "select";
  readonly operand: Expr;
  readonly field: string;
  readonly testOnly: boolean;
}

/** `fn(args)`, `target.fn(args)`; operators are calls too: `_+_`. */
export interface Call extends Node {
  readonly is: "call";
  readonly fn: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

/** `[1, ?optional]`. */
export interface List extends Node {
  readonly is: "list";
  readonly elements: readonly Expr[];
  /** The indexes of elements with a question mark. */
  readonly optional: ReadonlySet<number>;
}

/** An entry of a map. */
export interface Entry extends Node {
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

/** `{"a": 1, ?"b": optional}`. */
export interface MapLiteral extends Node {
  readonly is: "map";
  readonly entries: readonly Entry[];
}

/** A field of a struct. */
export interface Field extends Node {
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

/** `Type{field: 1}`. */
export interface Struct extends Node {
  readonly is: "struct";
  readonly typeName: string;
  readonly fields: readonly Field[];
}

/** A loop over a range, which macros make: the accumulator starts as `accuInit` and becomes `step` while `condition` holds. */
export interface Comprehension extends Node {
  readonly is: "comprehension";
  readonly range: Expr;
  readonly iterVar: string;
  /** The second variable: the value at the key or index `iterVar`. */
  readonly iterVar2: string | undefined;
  readonly accuVar: string;
  readonly accuInit: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** What stands where a parser found an error. */
export interface Unspecified extends Node {
  readonly is: "unspecified";
}

/** An expression. */
export type Expr = Literal | Ident | Select | Call | List | MapLiteral | Struct | Comprehension | Unspecified;

/** The accumulator's name in the comprehensions of macros; no expression can be written with it. */
export const accumulator = "@result";

/** The parts of an expression, in the order in which they are read. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.is) {
    case "literal":
    case "ident":
    case "unspecified":
      return [];
    case "select":
      return [expr.operand];
    case "call":
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case "list":
      return expr.elements;
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expr.fields.map(({ value }) => value);
    case "comprehension":
      return [expr.range, expr.accuInit, expr.condition, expr.step, expr.result];
  }
}

/** All expressions in one, parts before the whole. */
export function descendantsOf(expr: Expr): Expr[] {
  const found: Expr[] = [];
  const visit = (one: Expr): void => {
    for (const child of childrenOf(one)) visit(child);
    found.push(one);
  };
  visit(expr);
  return found;
}

/** `a.b.c` as a name; undefined for what is none. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.is === "ident") return expr.name;
  if (expr.is !== "select" || expr.testOnly) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}
