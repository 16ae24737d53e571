/**
 * Limits how deeply an expression nests: cel-go stops at 250 levels of each grammar rule, and again at 250 levels of visited nodes.
 * Source: cel-go v0.26 parser/parser.go, recursionListener and checkAndIncrementRecursionDepth; antlr4 v4.13 parser.go.
 */

/** The recursive grammar rules. */
export type Rule =
  | "start"
  | "expr"
  | "conditionalOr"
  | "conditionalAnd"
  | "relation"
  | "calc"
  | "unary"
  | "member"
  | "primary"
  | "exprList"
  | "listInit"
  | "fieldInitializerList"
  | "mapInitializerList"
  | "escapeIdent"
  | "literal";

const deepest = 250;

/** An expression that nests too deeply. */
export class RecursionLimit extends Error {}

/** Counts nested rules while an expression is parsed. */
export class Depths {
  readonly #open = new Map<Rule, number>();
  /** The height of the visited tree: operators, selections, indexes and calls on targets. */
  #height = 0;

  #enter(rule: Rule): void {
    const depth = (this.#open.get(rule) ?? 0) + 1;
    if (depth > deepest) throw new RecursionLimit(`expression recursion limit exceeded: ${deepest}`);
    this.#open.set(rule, depth);
  }

  #leave(rule: Rule): void {
    this.#open.set(rule, (this.#open.get(rule) ?? 0) - 1);
  }

  /** Parses one grammar rule. @throws RecursionLimit */
  within<T>(rule: Rule, parse: () => T): T {
    this.#enter(rule);
    const before = this.#height;
    this.#height = 0;
    const parsed = parse();
    this.#height = Math.max(before, this.#height);
    this.#leave(rule);
    return parsed;
  }

  /** Counts an operator whose operands have been parsed. */
  grown(): void {
    this.#height++;
  }

  /** Parses the part for which a visitor descends one level. */
  visited<T>(parse: () => T): T {
    const parsed = parse();
    this.#height++;
    return parsed;
  }

  /** @throws RecursionLimit if a visitor would nest too deeply */
  checkVisited(): void {
    if (this.#height > deepest) throw new RecursionLimit("max recursion depth exceeded");
  }
}
