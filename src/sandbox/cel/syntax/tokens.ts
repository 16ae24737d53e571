/** The tokenizer for expressions. Source: cel-go v0.26 parser/gen/CEL.g4, lexer rules; antlr4 v4.13 lexer.go. */
import type { Issues } from "./source.ts";

/** The kinds of tokens in grammar order, which is the order in messages. */
export const tokenKinds = [
  "<EOF>",
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
  "']'",
  "'{'",
  "'}'",
  "'('",
  "')'",
  "'.'",
  "','",
  "'-'",
  "'!'",
  "'?'",
  "':'",
  "'+'",
  "'*'",
  "'/'",
  "'%'",
  "'true'",
  "'false'",
  "'null'",
  "NUM_FLOAT",
  "NUM_INT",
  "NUM_UINT",
  "STRING",
  "BYTES",
  "IDENTIFIER",
  "ESC_IDENTIFIER",
] as const;

/** A kind of token, as named in messages. */
export type TokenKind = (typeof tokenKinds)[number];

/** A token. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Code points from the beginning of the expression. */
  readonly at: number;
  /** Start and end in the source, in code units. */
  readonly start: number;
  readonly end: number;
}

const escape = String.raw`\\(?:[abfnrtv"'\\?${"`"}]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`;
const raw = String.raw`[rR](?:"""[^]*?"""|'''[^]*?'''|"[^"\n\r]*"|'[^'\n\r]*')`;
const text = String.raw`(?:"""(?:${escape}|[^\\])*?"""|'''(?:${escape}|[^\\])*?'''|"(?:${escape}|[^\\"\n\r])*"|'(?:${escape}|[^\\'\n\r])*'|${raw})`;
const spaces = /(?:[\t \r\n\f]+|\/\/[^\n]*)+/y;
const symbol = /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y;
const patterns: readonly (readonly [TokenKind, RegExp])[] = [
  ["BYTES", new RegExp(`[bB]${text}`, "y")],
  ["STRING", new RegExp(text, "y")],
  ["NUM_FLOAT", /\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?/y],
  ["NUM_UINT", /(?:0x[0-9a-fA-F]+|\d+)[uU]/y],
  ["NUM_INT", /0x[0-9a-fA-F]+|\d+/y],
  ["IDENTIFIER", /[A-Za-z_][A-Za-z0-9_]*/y],
  ["ESC_IDENTIFIER", /`[A-Za-z0-9_.\-/ ]+`/y],
];
const words = new Set(["in", "true", "false", "null"]);

/** The match of a sticky pattern at a position. */
function matchAt(pattern: RegExp, [source, at]: readonly [string, number]): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

const kindOf = new Map<string, TokenKind>(tokenKinds.map((kind) => [kind, kind]));

function tokenAt(source: string, at: number): { readonly kind: TokenKind; readonly text: string } | undefined {
  for (const [kind, pattern] of patterns) {
    const found = matchAt(pattern, [source, at]);
    if (found === undefined) continue;
    const word = kind === "IDENTIFIER" && words.has(found) ? kindOf.get(`'${found}'`) : undefined;
    return { kind: word ?? kind, text: found };
  }
  const found = matchAt(symbol, [source, at]);
  const kind = found === undefined ? undefined : kindOf.get(`'${found}'`);
  return found === undefined || kind === undefined ? undefined : { kind, text: found };
}

const unfinished: readonly RegExp[] = [
  new RegExp(
    `[bB]?"(?:${escape}|[^\\\\"\\n\\r])*(?:\\\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?)?`,
    "y",
  ),
  new RegExp(
    `[bB]?'(?:${escape}|[^\\\\'\\n\\r])*(?:\\\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?)?`,
    "y",
  ),
  /`[A-Za-z0-9_.\-/ ]*/y,
  /[&|=]/y,
];

/** Text that is not a token: the unfinished token and the character after it. */
function unreadable(source: string, at: number): string {
  for (const pattern of unfinished) {
    const found = matchAt(pattern, [source, at]);
    if (found !== undefined && found !== "") {
      const next = source.codePointAt(at + found.length);
      return next === undefined ? found : found + String.fromCodePoint(next);
    }
  }
  return String.fromCodePoint(source.codePointAt(at) ?? 0);
}

const displayed = (part: string): string =>
  part.replaceAll("\n", "\\n").replaceAll("\t", "\\t").replaceAll("\r", "\\r");

/** All tokens of an expression; the last one marks its end. Invalid text is reported and skipped. */
export function tokenize(source: string, issues: Issues): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let start = 0;
  const advance = (part: string): void => {
    for (let unit = 0; unit < part.length; unit++) {
      const code = part.charCodeAt(unit);
      // The second half of a surrogate pair does not count.
      if (code < 0xdc00 || code > 0xdfff) at++;
    }
    start += part.length;
  };
  while (start < source.length) {
    const space = matchAt(spaces, [source, start]);
    if (space !== undefined) {
      advance(space);
      continue;
    }
    const found = tokenAt(source, start);
    if (found === undefined) {
      const part = unreadable(source, start);
      issues.report(at, `Syntax error: token recognition error at: '${displayed(part)}'`);
      advance(part);
      continue;
    }
    tokens.push({ ...found, at, start, end: start + found.text.length });
    advance(found.text);
  }
  tokens.push({ kind: "<EOF>", text: "<EOF>", at, start, end: start });
  return tokens;
}
