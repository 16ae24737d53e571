/**
 * The token stream of the parser, with error recovery: on a mismatch, a token is skipped or assumed, or the rule is aborted and its end is
 * searched for. That way several errors are found at once, with ANTLR's messages. Source: antlr4 v4.13 error_strategy.go
 * DefaultErrorStrategy; cel-go v0.26 parser/parser.go.
 */
import { Depths, type Rule } from "./depths.ts";
import type { Issues } from "./source.ts";
import { type Token, type TokenKind, tokenKinds } from "./tokens.ts";

/** A set of token kinds. */
export type Kinds = ReadonlySet<TokenKind>;

/** A set of these kinds. */
export const kinds = (...list: readonly TokenKind[]): Kinds => new Set(list);

const literals = kinds(
  "'true'",
  "'false'",
  "'null'",
  "NUM_FLOAT",
  "NUM_INT",
  "NUM_UINT",
  "STRING",
  "BYTES",
  "IDENTIFIER",
);

/** Tokens that an expression can begin with. */
export const beginnings: Kinds = new Set([...kinds("'['", "'{'", "'('", "'.'", "'-'", "'!'"), ...literals]);

/** Tokens that close the enclosing part: nothing from further out can follow. */
const enders = kinds("')'", "']'", "'}'", "':'");

/** Tokens that can follow a value anywhere. */
const continuations = kinds(
  "'=='",
  "'!='",
  "'in'",
  "'<'",
  "'<='",
  "'>='",
  "'>'",
  "'&&'",
  "'||'",
  "'['",
  "'.'",
  "'-'",
  "'?'",
  "'+'",
  "'*'",
  "'/'",
  "'%'",
);

/** Aborts a rule; its message has not been reported yet. */
class Mismatch extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** The number of errors that cel-go recovers from. */
const mostAttempts = 30;

/** Aborts the parser: there are too many errors. */
export class RecoveryLimit extends Error {}

/** A use of a grammar rule, with the tokens that can follow it there. */
export interface RuleUse {
  readonly rule: Rule;
  readonly follow: Kinds;
}

/** A stream of tokens. */
export class TokenReader {
  readonly depths: Depths = new Depths();
  readonly #tokens: readonly Token[];
  readonly #source: string;
  readonly #issues: Issues;
  readonly #follows: Kinds[] = [];
  #next = 0;
  /** After an error, no more are reported until a token matches. */
  #isRecovering = false;
  #attempts = 0;
  #lastError: { readonly next: number; readonly rules: Set<Rule> } = { next: -1, rules: new Set() };

  constructor(tokens: readonly Token[], { source, issues }: { readonly source: string; readonly issues: Issues }) {
    this.#tokens = tokens;
    this.#source = source;
    this.#issues = issues;
  }

  /** A token without consuming it; the next one is at 0. */
  peek(ahead = 0): Token {
    const token = this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)];
    if (token === undefined) throw new RangeError("Cannot read a token: there is none, not even the end");
    return token;
  }

  is(kind: TokenKind, ahead = 0): boolean {
    return this.peek(ahead).kind === kind;
  }

  /** Consumes the next token, of any kind. */
  next(): Token {
    const token = this.peek();
    this.#isRecovering = false;
    if (token.kind !== "<EOF>") this.#next++;
    return token;
  }

  takeIf(kind: TokenKind): Token | undefined {
    return this.is(kind) ? this.next() : undefined;
  }

  /** Consumes a token of a kind; `after` can follow it. If it is missing, it is assumed or the rule is aborted. */
  take(kind: TokenKind, after: Kinds = kinds()): Token {
    if (this.is(kind)) return this.next();
    this.#attempt();
    if (this.#leftOut(kinds(kind))) return this.next();
    const found = this.peek();
    if (after.has(found.kind)) {
      this.#report(found.at, `missing ${kind} at ${shown(found)}`);
      return { ...found, kind, text: "" };
    }
    throw this.#mismatch(kinds(kind));
  }

  /** Consumes the closing token of a value. */
  close(kind: TokenKind): Token {
    return this.take(kind, new Set([...continuations, ...this.#afterValue()]));
  }

  /** The tokens that can follow a value here, up to the end of the enclosing brackets. */
  #afterValue(): readonly TokenKind[] {
    const end = this.#follows.findLastIndex((follow) => [...enders].some((kind) => follow.has(kind)));
    const around = this.#follows.slice(Math.max(end, 0)).flatMap((follow) => [...follow]);
    return end === -1 ? ["<EOF>", ...around] : around;
  }

  /** Checks that the next token is of an expected kind, unless an error was just reported. */
  expect(expected: Kinds): void {
    if (this.#isRecovering || expected.has(this.peek().kind)) return;
    if (!this.#leftOut(expected)) throw this.#mismatch(expected);
  }

  /** As `expect`, inside a repetition: skips tokens that do not match. */
  expectAgain(expected: Kinds): void {
    if (this.#isRecovering || expected.has(this.peek().kind)) return;
    this.#report(this.peek().at, `extraneous input ${shown(this.peek())} expecting ${listed(expected)}`);
    this.#skipTo(new Set([...expected, ...this.#follows.flatMap((follow) => [...follow])]));
  }

  /** Skips a token if the next one matches. */
  #leftOut(expected: Kinds): boolean {
    if (!expected.has(this.peek(1).kind) || (this.is("<EOF>") && !expected.has("<EOF>"))) return false;
    const token = this.peek();
    this.#report(token.at, `extraneous input ${shown(token)} expecting ${listed(expected)}`);
    this.next();
    return true;
  }

  #mismatch(expected: Kinds): Mismatch {
    const token = this.peek();
    return new Mismatch(token.at, `mismatched input ${shown(token)} expecting ${listed(expected)}`);
  }

  /** Aborts the rule: no alternative accepts the token that is `ahead`. */
  noAlternative(ahead: number): never {
    const [first, last] = [this.peek(), this.peek(ahead)];
    const end = last.kind === "<EOF>" ? this.peek(ahead - 1).end : last.end;
    const text = this.#source.slice(first.start, end);
    const word = /^.(true|false|null)$/.exec(text)?.[1];
    throw new Mismatch(
      last.at,
      word === undefined
        ? `no viable alternative at input '${escaped(text)}'`
        : `mismatched input '${word}' expecting IDENTIFIER`,
    );
  }

  /**
   * Parses one grammar rule. On a mismatch, reports the error, skips to a token that can follow the rule, and returns `otherwise`.
   * @throws RecursionLimit, RecoveryLimit
   */
  within<T>(
    { rule, follow }: RuleUse,
    { parse, otherwise }: { readonly parse: () => T; readonly otherwise: () => T },
  ): T {
    return this.depths.within(rule, () => {
      this.#follows.push(follow);
      const { length } = this.#follows;
      try {
        return parse();
      } catch (error) {
        if (!(error instanceof Mismatch)) throw error;
        this.#follows.length = length;
        this.#report(error.at, error.message);
        this.#recover(rule);
        return otherwise();
      } finally {
        this.#follows.length = length - 1;
      }
    });
  }

  #report(at: number, message: string): void {
    if (!this.#isRecovering) this.#issues.report(at, `Syntax error: ${message}`);
    this.#isRecovering = true;
  }

  #attempt(): void {
    if (++this.#attempts > mostAttempts) throw new RecoveryLimit();
  }

  #recover(rule: Rule): void {
    this.#attempt();
    // The same error at the same position: skip a token, to avoid an infinite loop.
    if (this.#lastError.next === this.#next && this.#lastError.rules.has(rule)) this.#skip();
    if (this.#lastError.next !== this.#next) this.#lastError = { next: this.#next, rules: new Set() };
    this.#lastError.rules.add(rule);
    this.#skipTo(new Set(this.#follows.flatMap((follow) => [...follow])));
  }

  #skip(): void {
    if (!this.is("<EOF>")) this.#next++;
  }

  #skipTo(wanted: Kinds): void {
    while (!this.is("<EOF>") && !wanted.has(this.peek().kind)) this.#skip();
  }
}

const escaped = (text: string): string => text.replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r");

const shown = ({ text }: Token): string => `'${escaped(text)}'`;

/** Kinds in grammar order. */
function listed(expected: Kinds): string {
  const names = tokenKinds.filter((kind) => expected.has(kind));
  return names.length === 1 ? (names[0] ?? "") : `{${names.join(", ")}}`;
}
