/** Creates expression nodes, each with a unique ID. Source: cel-go v0.26 parser/helper.go. */
import type { Value } from "../values/value.ts";
import { accumulator, type Comprehension, type Entry, type Expr, type Field } from "./ast.ts";

/** The parts of a comprehension, without its position. */
export type Loop = Omit<Comprehension, "id" | "at" | "is">;

/** Creates nodes at one position; IDs count from 1. */
export class Builder {
  readonly #at: number;
  readonly #ids: { last: number };

  constructor(at: number, ids: { last: number } = { last: 0 }) {
    this.#at = at;
    this.#ids = ids;
  }

  /** Creates nodes of the same expression at another position. */
  to(at: number): Builder {
    return new Builder(at, this.#ids);
  }

  /** The fields of every node: a unique ID and the position. */
  node(): { readonly id: number; readonly at: number } {
    return { id: ++this.#ids.last, at: this.#at };
  }

  literal(value: Value): Expr {
    return { is: "literal", ...this.node(), value };
  }

  ident(name: string): Expr {
    return { is: "ident", ...this.node(), name };
  }

  accumulator(): Expr {
    return this.ident(accumulator);
  }

  select(operand: Expr, field: string): Expr {
    return { is: "select", ...this.node(), operand, field, testOnly: false };
  }

  test(operand: Expr, field: string): Expr {
    return { is: "select", ...this.node(), operand, field, testOnly: true };
  }

  call(fn: string, ...args: readonly Expr[]): Expr {
    return { is: "call", ...this.node(), fn, target: undefined, args };
  }

  /** A call on the first operand, with the others as arguments. */
  memberCall(fn: string, operands: readonly Expr[]): Expr {
    const [target, ...args] = operands;
    return { is: "call", ...this.node(), fn, target, args };
  }

  list(elements: readonly Expr[], optional: ReadonlySet<number> = new Set()): Expr {
    return { is: "list", ...this.node(), elements, optional };
  }

  map(entries: readonly Entry[]): Expr {
    return { is: "map", ...this.node(), entries };
  }

  struct(typeName: string, fields: readonly Field[]): Expr {
    return { is: "struct", ...this.node(), typeName, fields };
  }

  comprehension(loop: Loop): Expr {
    return { is: "comprehension", ...this.node(), ...loop };
  }

  unspecified(): Expr {
    return { is: "unspecified", ...this.node() };
  }

  /** A copy of an expression, with new IDs. */
  copy(expr: Expr): Expr {
    const { id } = this.node();
    const again = (part: Expr): Expr => this.copy(part);
    switch (expr.is) {
      case "literal":
      case "ident":
      case "unspecified":
        return { ...expr, id };
      case "select":
        return { ...expr, id, operand: again(expr.operand) };
      case "call":
        return {
          ...expr,
          id,
          target: expr.target === undefined ? undefined : again(expr.target),
          args: expr.args.map(again),
        };
      case "list":
        return { ...expr, id, elements: expr.elements.map(again) };
      case "map":
        return { ...expr, id, entries: expr.entries.map((entry) => this.#copyEntry(entry)) };
      case "struct":
        return {
          ...expr,
          id,
          fields: expr.fields.map((one) => ({ ...one, id: this.node().id, value: again(one.value) })),
        };
      case "comprehension":
        return {
          ...expr,
          id,
          range: again(expr.range),
          accuInit: again(expr.accuInit),
          condition: again(expr.condition),
          step: again(expr.step),
          result: again(expr.result),
        };
    }
  }

  #copyEntry(entry: Entry): Entry {
    return { ...entry, id: this.node().id, key: this.copy(entry.key), value: this.copy(entry.value) };
  }
}
