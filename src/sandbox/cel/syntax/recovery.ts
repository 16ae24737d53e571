/**
 * Tokens as a parser takes them, and what happens where one does not fit: a token is left out, one is thought of, or the rule ends
 * and its end is searched for. So several errors are found at once, each with the words of ANTLR. Source: antlr4 v4.13
 * error_strategy.go DefaultErrorStrategy; cel-go v0.26 parser/parser.go.
 */
import { Depths, type Rule } from "./depths.ts";
import type { Issues } from "./source.ts";
import { type Token, type TokenKind, tokenKinds } from "./tokens.ts";

/** Some kinds of tokens. */
export type Kinds = ReadonlySet<TokenKind>;

/** Kinds as a set. */
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

/** What an expression can begin with. */
export const beginnings: Kinds = new Set([...kinds("'['", "'{'", "'('", "'.'", "'-'", "'!'"), ...literals]);

/** What ends the part that it follows: nothing from further out can come there. */
const enders = kinds("')'", "']'", "'}'", "':'");

/** What can follow a value wherever it is. */
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

/** Ends a rule: its message has not been reported yet. */
class Mismatch extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** As many errors as cel-go recovers from. */
const mostAttempts = 30;

/** A parser gives up: there are too many errors. */
export class RecoveryLimit extends Error {}

/** A rule of the grammar where it is used: what can follow it there. */
export interface RuleUse {
  readonly rule: Rule;
  readonly follow: Kinds;
}

/** Tokens, one after the other. */
export class TokenReader {
  readonly depths: Depths = new Depths();
  readonly #tokens: readonly Token[];
  readonly #source: string;
  readonly #issues: Issues;
  readonly #follows: Kinds[] = [];
  #next = 0;
  /** After an error none is reported until a token fits. */
  #isRecovering = false;
  #attempts = 0;
  #lastError: { readonly next: number; readonly rules: Set<Rule> } = { next: -1, rules: new Set() };

  constructor(tokens: readonly Token[], { source, issues }: { readonly source: string; readonly issues: Issues }) {
    this.#tokens = tokens;
    this.#source = source;
    this.#issues = issues;
  }

  /** A token that has not been taken; the next one is at 0. */
  peek(ahead = 0): Token {
    const token = this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)];
    if (token === undefined) throw new RangeError("Cannot read a token: there is none, not even the end");
    return token;
  }

  is(kind: TokenKind, ahead = 0): boolean {
    return this.peek(ahead).kind === kind;
  }

  /** Takes the next token, whatever it is. */
  next(): Token {
    const token = this.peek();
    this.#isRecovering = false;
    if (token.kind !== "<EOF>") this.#next++;
    return token;
  }

  takeIf(kind: TokenKind): Token | undefined {
    return this.is(kind) ? this.next() : undefined;
  }

  /** Takes a token of a kind; `after` is what can follow it. Where it is missing, it is thought of or the rule ends. */
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

  /** Takes what closes a value. */
  close(kind: TokenKind): Token {
    return this.take(kind, new Set([...continuations, ...this.#afterValue()]));
  }

  /** What can follow a value here, up to the end of the brackets that it is in. */
  #afterValue(): readonly TokenKind[] {
    const end = this.#follows.findLastIndex((follow) => [...enders].some((kind) => follow.has(kind)));
    const around = this.#follows.slice(Math.max(end, 0)).flatMap((follow) => [...follow]);
    return end === -1 ? ["<EOF>", ...around] : around;
  }

  /** Checks that one of several kinds is next, unless an error was just reported. */
  expect(expected: Kinds): void {
    if (this.#isRecovering || expected.has(this.peek().kind)) return;
    if (!this.#leftOut(expected)) throw this.#mismatch(expected);
  }

  /** As `expect`, within a repetition: what does not fit is passed over. */
  expectAgain(expected: Kinds): void {
    if (this.#isRecovering || expected.has(this.peek().kind)) return;
    this.#report(this.peek().at, `extraneous input ${shown(this.peek())} expecting ${listed(expected)}`);
    this.#skipTo(new Set([...expected, ...this.#follows.flatMap((follow) => [...follow])]));
  }

  /** Leaves a token out if the one after it fits. */
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

  /** Ends the rule: no alternative goes on with the token that is `ahead`. */
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
   * Parses what a rule stands for. Where a token does not fit, the error is reported, what cannot follow the rule is passed over,
   * and `otherwise` stands for it.
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
    // The same error at the same place: go on by a token, or it never ends.
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

/** Kinds in the order of the grammar. */
function listed(expected: Kinds): string {
  const names = tokenKinds.filter((kind) => expected.has(kind));
  return names.length === 1 ? (names[0] ?? "") : `{${names.join(", ")}}`;
}
