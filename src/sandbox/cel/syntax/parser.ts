/**
 * A recursive-descent parser with one method per grammar rule, so errors are found where ANTLR finds them (`recovery.ts`). Source: cel-go
 * v0.26 parser/parser.go, gen/CEL.g4.
 */
import { parseInt64, parseUint64, parseFloat64, isInt64, isUint64 } from "../values/go-numbers.ts";
import { Uint, type Value } from "../values/value.ts";
import type { Call, Entry, Expr, Field } from "./ast.ts";
import { Builder } from "./builder.ts";
import { RecursionLimit, type Rule } from "./depths.ts";
import { expandMacro, type Macros } from "./macros.ts";
import { beginnings, type Kinds, kinds, RecoveryLimit, type RuleUse, TokenReader } from "./recovery.ts";
import { type Issue, Issues, nowhere } from "./source.ts";
import { type Token, tokenize, type TokenKind } from "./tokens.ts";
import { unescapeBytes, unescapeText, type Unescaped } from "./unescape.ts";

const longest = 100_000;

/** A parsed expression, or why it cannot be parsed. */
export interface Parsed {
  /** Undefined if there are issues. */
  readonly expr: Expr | undefined;
  readonly issues: Issues;
}

/** Parses an expression; errors are added to the issues. */
export function parse(source: string, macros: Macros): Parsed {
  const characters = Array.from(source);
  const issues = new Issues(characters);
  if (characters.length > longest) {
    issues.report(nowhere, `expression code point size exceeds limit: size: ${characters.length}, limit ${longest}`);
    return { expr: undefined, issues };
  }
  const tokens = new TokenReader(tokenize(source, issues), { source, issues });
  try {
    const expr = new Parser({ tokens, issues, macros }).whole();
    return { expr: issues.isEmpty ? expr : undefined, issues };
  } catch (error) {
    if (error instanceof RecursionLimit) issues.report(nowhere, error.message);
    else if (!(error instanceof RecoveryLimit)) throw error;
    return { expr: undefined, issues };
  }
}

const reserved = new Set(
  "as break const continue else false for function if import in let loop package namespace null return true var void while".split(
    " ",
  ),
);

const relations = kinds("'<'", "'<='", "'>='", "'>'", "'=='", "'!='", "'in'");
const operators: Partial<Record<TokenKind, string>> = {
  "'<'": "_<_",
  "'<='": "_<=_",
  "'>='": "_>=_",
  "'>'": "_>_",
  "'=='": "_==_",
  "'!='": "_!=_",
  "'in'": "@in",
  "'+'": "_+_",
  "'-'": "_-_",
  "'*'": "_*_",
  "'/'": "_/_",
  "'%'": "_%_",
};

interface Operation {
  readonly fn: string;
  readonly terms: readonly Expr[];
  /** The positions of the operators between the terms. */
  readonly places: readonly number[];
}

interface LeftRecursion {
  readonly first: () => Expr;
  /** 0 for tokens that are not operators of the rule. */
  readonly precedenceOf: (kind: TokenKind) => number;
  /** Only operators of higher precedence are consumed. */
  readonly above: number;
  readonly right: (above: number) => Expr;
}

const [nothing, closers] = [kinds(), { paren: kinds("')'"), bracket: kinds("']'") }];
const arithmetic = kinds("'*'", "'/'", "'%'", "'+'", "'-'");
const listed = new Set([...beginnings, ...kinds("'?'")]);

interface ParserInput {
  readonly tokens: TokenReader;
  readonly issues: Issues;
  readonly macros: Macros;
}

class Parser {
  readonly #tokens: TokenReader;
  readonly #issues: Issues;
  readonly #macros: Macros;
  readonly #nodes = new Builder(nowhere);

  constructor({ tokens, issues, macros }: ParserInput) {
    this.#tokens = tokens;
    this.#issues = issues;
    this.#macros = macros;
  }

  /** The whole expression; useless if there are issues. @throws RecursionLimit, RecoveryLimit */
  whole(): Expr {
    let expr: Expr = this.#nodes.unspecified();
    this.#rule({ rule: "start", follow: nothing }, () => {
      expr = this.#expr(kinds("<EOF>"));
      this.#tokens.take("<EOF>");
      return expr;
    });
    this.#tokens.depths.checkVisited();
    return expr;
  }

  #rule(use: RuleUse, parse: () => Expr): Expr {
    return this.#tokens.within(use, { parse, otherwise: () => this.#nodes.unspecified() });
  }

  #expr(follow: Kinds): Expr {
    return this.#rule({ rule: "expr", follow }, () => {
      const condition = this.#or(kinds("'?'"));
      const operator = this.#tokens.takeIf("'?'");
      if (operator === undefined) return condition;
      return this.#tokens.depths.visited(() => {
        const then = this.#or(kinds("':'"));
        this.#tokens.take("':'", beginnings);
        return this.#nodes.to(operator.at).call("_?_:_", condition, then, this.#expr(nothing));
      });
    });
  }

  #or(follow: Kinds): Expr {
    return this.#rule({ rule: "conditionalOr", follow }, () => this.#balanced(["'||'", "_||_"], () => this.#and()));
  }

  #and(): Expr {
    const follow = kinds("'||'");
    return this.#rule({ rule: "conditionalAnd", follow }, () =>
      this.#balanced(["'&&'", "_&&_"], () => this.#relation(0, kinds("'&&'"))),
    );
  }

  /** Terms of one operator as a balanced tree. */
  #balanced([kind, fn]: readonly [TokenKind, string], term: () => Expr): Expr {
    const terms = [term()];
    const places: number[] = [];
    for (let operator = this.#tokens.takeIf(kind); operator !== undefined; operator = this.#tokens.takeIf(kind)) {
      places.push(operator.at);
      terms.push(term());
    }
    return this.#tree({ fn, terms, places }, [0, places.length - 1]);
  }

  #tree(operation: Operation, [low, high]: readonly [number, number]): Expr {
    const term = (n: number): Expr => operation.terms[n] ?? this.#nodes.unspecified();
    if (high < low) return term(low);
    const middle = Math.floor((low + high + 1) / 2);
    const left = middle === low ? term(middle) : this.#tree(operation, [low, middle - 1]);
    const right = middle === high ? term(middle + 1) : this.#tree(operation, [middle + 1, high]);
    return this.#nodes.to(operation.places[middle] ?? nowhere).call(operation.fn, left, right);
  }

  #relation(above: number, follow: Kinds): Expr {
    return this.#leftRecursive(
      { rule: "relation", follow },
      {
        first: () => this.#calc(0, relations),
        precedenceOf: (kind) => (relations.has(kind) ? 1 : 0),
        above,
        right: (precedence) => this.#relation(precedence, relations),
      },
    );
  }

  #calc(above: number, follow: Kinds): Expr {
    return this.#leftRecursive(
      { rule: "calc", follow },
      {
        first: () => this.#unary(),
        precedenceOf: (kind) =>
          kind === "'*'" || kind === "'/'" || kind === "'%'" ? 2 : kind === "'+'" || kind === "'-'" ? 1 : 0,
        above,
        right: (precedence) => this.#calc(precedence, arithmetic),
      },
    );
  }

  #leftRecursive(use: RuleUse, { first, precedenceOf, above, right }: LeftRecursion): Expr {
    return this.#rule(use, () => {
      let left = first();
      for (;;) {
        const { kind, at } = this.#tokens.peek();
        const precedence = precedenceOf(kind);
        if (precedence === 0 || precedence <= above) return left;
        this.#tokens.next();
        left = this.#nodes.to(at).call(operators[kind] ?? "", left, right(precedence));
        this.#tokens.depths.grown();
      }
    });
  }

  #unary(): Expr {
    return this.#rule({ rule: "unary", follow: arithmetic }, () => {
      this.#tokens.expect(beginnings);
      const { kind, at } = this.#tokens.peek();
      if (kind !== "'!'" && kind !== "'-'") return this.#member();
      const isNumber = this.#tokens.is("NUM_INT", 1) || this.#tokens.is("NUM_FLOAT", 1);
      if (kind === "'-'" && isNumber) return this.#member();
      let count = 0;
      while (this.#tokens.is(kind, count)) count++;
      if (kind === "'-'" && !beginnings.has(this.#tokens.peek(count).kind)) this.#tokens.noAlternative(count);
      for (let n = 0; n < count; n++) this.#tokens.next();
      this.#tokens.expectAgain(beginnings);
      const operand = this.#member();
      return count % 2 === 0 ? operand : this.#nodes.to(at).call(kind === "'!'" ? "!_" : "-_", operand);
    });
  }

  #member(): Expr {
    return this.#rule({ rule: "member", follow: nothing }, () => {
      let operand = this.#rule({ rule: "primary", follow: kinds("'.'", "'['") }, () => this.#primary());
      for (;;) {
        if (this.#tokens.is("'.'")) operand = this.#selection(operand);
        else if (this.#tokens.is("'['")) operand = this.#index(operand);
        else return operand;
        this.#tokens.depths.grown();
      }
    });
  }

  #selection(operand: Expr): Expr {
    const { kind: after } = this.#tokens.peek(1);
    if (after !== "'?'" && after !== "IDENTIFIER" && after !== "ESC_IDENTIFIER") this.#tokens.noAlternative(1);
    const dot = this.#tokens.next();
    const isOptional = this.#tokens.takeIf("'?'") !== undefined;
    const name = this.#name();
    if (isOptional) return this.#nodes.to(dot.at).call("_?._", operand, this.#nodes.to(name.at).literal(name.text));
    const open = name.kind === "IDENTIFIER" ? this.#tokens.takeIf("'('") : undefined;
    if (open === undefined) return this.#nodes.to(dot.at).select(operand, name.text);
    return this.#macroOrCall(open.at, { fn: name.text, target: operand, args: this.#arguments() });
  }

  /** The name of a field; in back-quotes it is an error here. */
  #name(): Token {
    const { at } = this.#tokens.peek();
    const named = kinds("IDENTIFIER", "ESC_IDENTIFIER");
    const name = this.#tokens.within<Token | undefined>(
      { rule: "escapeIdent", follow: nothing },
      {
        parse: () => {
          this.#tokens.expect(named);
          return named.has(this.#tokens.peek().kind) ? this.#tokens.next() : undefined;
        },
        otherwise: () => undefined,
      },
    );
    if (name?.kind === "ESC_IDENTIFIER") this.#issues.report(name.at, "unsupported syntax: '`'");
    if (name === undefined) this.#issues.report(at, "unsupported ident kind");
    return name ?? this.#tokens.peek();
  }

  #index(operand: Expr): Expr {
    const open = this.#tokens.next();
    this.#tokens.expect(listed);
    const isOptional = this.#tokens.takeIf("'?'") !== undefined;
    const index = this.#expr(closers.bracket);
    this.#tokens.close("']'");
    return this.#nodes.to(open.at).call(isOptional ? "_[?_]" : "_[_]", operand, index);
  }

  /** The arguments of a call, after the opening parenthesis. */
  #arguments(): Expr[] {
    const args: Expr[] = [];
    this.#tokens.expect(new Set([...beginnings, ...closers.paren]));
    if (beginnings.has(this.#tokens.peek().kind)) {
      this.#rule({ rule: "exprList", follow: closers.paren }, () => {
        do args.push(this.#expr(kinds("','")));
        while (this.#tokens.takeIf("','") !== undefined);
        return this.#nodes.unspecified();
      });
    }
    this.#tokens.close("')'");
    return args;
  }

  #macroOrCall(at: number, { fn, target, args }: Omit<Call, "is" | "id" | "at">): Expr {
    const build = this.#nodes.to(at);
    const expansion = expandMacro(fn, { macros: this.#macros, build, target, args });
    if (expansion === undefined)
      return target === undefined ? build.call(fn, ...args) : build.memberCall(fn, [target, ...args]);
    if (expansion.is !== "problem") return expansion;
    this.#issues.report(expansion.at, expansion.message);
    return build.unspecified();
  }

  #primary(): Expr {
    const { kind } = this.#tokens.peek();
    if (kind === "'['") return this.#list();
    if (kind === "'{'") return this.#map();
    if (kind === "'.'" || kind === "IDENTIFIER") return this.#named();
    if (kind !== "'('") return this.#rule({ rule: "literal", follow: nothing }, () => this.#literal());
    this.#tokens.next();
    const inner = this.#expr(closers.paren);
    this.#tokens.close("')'");
    return inner;
  }

  /** A name, a call, or a struct. */
  #named(): Expr {
    if (this.#tokens.is("'.'") && !this.#tokens.is("IDENTIFIER", 1)) this.#tokens.noAlternative(1);
    const dot = this.#tokens.takeIf("'.'");
    let ahead = 1;
    while (this.#tokens.is("'.'", ahead) && this.#tokens.is("IDENTIFIER", ahead + 1)) ahead += 2;
    if (this.#tokens.is("'{'", ahead)) return this.#struct(dot, ahead);
    const name = this.#tokens.next();
    const open = this.#tokens.takeIf("'('");
    const args = open === undefined ? [] : this.#arguments();
    if (reserved.has(name.text)) {
      this.#issues.report((dot ?? name).at, `reserved identifier: ${name.text}`);
      return this.#nodes.to(name.at).unspecified();
    }
    const full = `${dot === undefined ? "" : "."}${name.text}`;
    return open === undefined
      ? this.#nodes.to(name.at).ident(full)
      : this.#macroOrCall(open.at, { fn: full, target: undefined, args });
  }

  /** Comma-separated entries; a trailing comma is allowed. `first` are the tokens that an entry can begin with. */
  #entries(
    { close, first, rule }: { readonly close: TokenKind; readonly first: Kinds; readonly rule: Rule },
    entry: () => void,
  ): void {
    this.#tokens.expect(new Set([...first, ...kinds(close, "','")]));
    if (first.has(this.#tokens.peek().kind)) {
      this.#rule({ rule, follow: kinds("','", close) }, () => {
        entry();
        while (this.#tokens.is("','") && first.has(this.#tokens.peek(1).kind)) {
          this.#tokens.next();
          entry();
        }
        return this.#nodes.unspecified();
      });
    }
    this.#tokens.expect(kinds(close, "','"));
    this.#tokens.takeIf("','");
    this.#tokens.close(close);
  }

  #struct(dot: Token | undefined, length: number): Expr {
    let name = dot === undefined ? "" : ".";
    for (let n = 0; n < length; n++) name += this.#tokens.next().text;
    const open = this.#tokens.next();
    const fields: Field[] = [];
    const first = kinds("'?'", "IDENTIFIER", "ESC_IDENTIFIER");
    this.#entries({ close: "'}'", first, rule: "fieldInitializerList" }, () => fields.push(this.#field()));
    return this.#nodes.to(open.at).struct(name, fields);
  }

  #field(): Field {
    const optional = this.#tokens.takeIf("'?'") !== undefined;
    const name = this.#name();
    const { at } = this.#tokens.take("':'", beginnings);
    return { ...this.#nodes.to(at).node(), name: name.text, value: this.#expr(kinds("','")), optional };
  }

  #list(): Expr {
    const open = this.#tokens.next();
    const elements: Expr[] = [];
    const optional = new Set<number>();
    this.#entries({ close: "']'", first: listed, rule: "listInit" }, () => {
      if (this.#tokens.takeIf("'?'") !== undefined) optional.add(elements.length);
      elements.push(this.#expr(kinds("','")));
    });
    return this.#nodes.to(open.at).list(elements, optional);
  }

  #map(): Expr {
    const open = this.#tokens.next();
    const entries: Entry[] = [];
    this.#entries({ close: "'}'", first: listed, rule: "mapInitializerList" }, () => entries.push(this.#entry()));
    return this.#nodes.to(open.at).map(entries);
  }

  #entry(): Entry {
    const optional = this.#tokens.takeIf("'?'") !== undefined;
    const key = this.#expr(kinds("':'"));
    const { at } = this.#tokens.take("':'", beginnings);
    return { ...this.#nodes.to(at).node(), key, value: this.#expr(kinds("','")), optional };
  }

  #literal(): Expr {
    const sign = this.#tokens.takeIf("'-'");
    const token = this.#tokens.peek();
    const value = this.#valueOf(token, sign);
    this.#tokens.next();
    return this.#nodes.to((sign ?? token).at).literal(value);
  }

  #valueOf({ kind, text, at: own }: Token, minus: Token | undefined): Value {
    const at = minus?.at ?? own;
    const sign = minus?.text ?? "";
    if (kind === "NUM_INT") return this.#orReport(wholeNumber(text, sign), { at, message: "invalid int literal" });
    if (kind === "NUM_UINT")
      return this.#orReport(unsigned(text.slice(0, -1)), { at, message: "invalid uint literal" });
    if (kind === "NUM_FLOAT")
      return this.#orReport(parseFloat64(sign + text), { at, message: "invalid double literal" });
    if (kind === "STRING") return this.#unescaped(unescapeText(text), at);
    if (kind === "BYTES") return this.#unescaped(unescapeBytes(text.slice(1)), at);
    if (kind === "'true'" || kind === "'false'") return kind === "'true'";
    return kind === "'null'" ? null : this.#tokens.noAlternative(0);
  }

  #orReport(value: Value | undefined, issue: Issue): Value {
    if (value !== undefined) return value;
    this.#issues.report(issue.at, issue.message);
    return null;
  }

  #unescaped(found: Unescaped<Value>, at: number): Value {
    if ("value" in found) return found.value;
    this.#issues.report(at, found.problem);
    return null;
  }
}

function wholeNumber(text: string, sign: string): bigint | undefined {
  if (!text.startsWith("0x")) return parseInt64(sign + text);
  const value = BigInt(text) * (sign === "-" ? -1n : 1n);
  return isInt64(value) ? value : undefined;
}

function unsigned(text: string): Uint | undefined {
  const value = text.startsWith("0x") ? BigInt(text) : parseUint64(text);
  return value !== undefined && isUint64(value) ? new Uint(value) : undefined;
}
