/** The text form of label selectors, with the error messages of apimachinery. Source: apimachinery v0.36 labels/selector.go. */
import type { Requirement, Selector } from "./labels.ts";
import { aggregated, keyProblem, valuesProblems } from "./selector-problems.ts";

/** A label selector that cannot be parsed. */
export class SelectorError extends RangeError {
  override readonly name = "SelectorError";
  /** What is wrong, in apimachinery's words: `found ',', expected: identifier after ','`. */
  readonly problem: string;

  constructor(text: string, problem: string) {
    super(`Cannot read the label selector ${JSON.stringify(text)}: ${problem}`);
    this.problem = problem;
  }
}

interface Token {
  readonly is: "identifier" | "symbol" | "keyword" | "end";
  readonly text: string;
}

const symbols = ["==", "!=", "=", "!", ",", "(", ")", ">", "<"];
const keywords = new Set(["in", "notin"]);
const operators: Readonly<Record<string, Requirement["operator"]>> = {
  in: "In",
  notin: "NotIn",
  "=": "Equals",
  "==": "Equals",
  "!=": "NotEquals",
  ">": "GreaterThan",
  "<": "LessThan",
};

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text.charAt(at))) {
      at++;
      continue;
    }
    const symbol = symbols.find((candidate) => text.startsWith(candidate, at));
    if (symbol !== undefined) {
      tokens.push({ is: "symbol", text: symbol });
      at += symbol.length;
      continue;
    }
    const word = /^[^\s=!,()<>]+/.exec(text.slice(at))?.[0] ?? "";
    tokens.push({ is: keywords.has(word) ? "keyword" : "identifier", text: word });
    at += word.length;
  }
  return tokens;
}

const end: Token = { is: "end", text: "" };

class Reader {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #at = 0;

  /** `text` is quoted in errors. A zero byte ends it, as it does for apimachinery's lexer. */
  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokensOf(text.split("\0", 1)[0] ?? "");
  }

  error(problem: string): SelectorError {
    return new SelectorError(this.#text, problem);
  }

  requirementError(problem: string): SelectorError {
    return this.error(`unable to parse requirement: ${problem}`);
  }

  /** The next token, without consuming it. */
  get next(): Token {
    return this.#tokens[this.#at] ?? end;
  }

  take(): Token {
    const token = this.next;
    this.#at++;
    return token;
  }
}

const isName = ({ is }: Token): boolean => is === "identifier" || is === "keyword";
const isSymbol = (token: Token, text: string): boolean => token.is === "symbol" && token.text === text;

/**
 * Parses a label selector (`app=web,tier in (a,b),!old`): of kubectl's `-l`, or of the query of a request.
 * @throws SelectorError
 */
export function parseSelector(text: string): Selector {
  const reader = new Reader(text);
  const requirements: Requirement[] = [];
  for (;;) {
    const first = reader.next;
    if (first.is === "end") return requirements;
    if (!isName(first) && !isSymbol(first, "!")) {
      throw reader.error(`found '${first.text}', expected: !, identifier, or 'end of string'`);
    }
    requirements.push(requirementOf(reader));
    const after = reader.take();
    if (after.is === "end") return requirements;
    if (!isSymbol(after, ",")) throw reader.error(`found '${after.text}', expected: ',' or 'end of string'`);
    if (!isName(reader.next) && !isSymbol(reader.next, "!")) {
      throw reader.error(`found '${reader.next.text}', expected: identifier after ','`);
    }
  }
}

function requirementOf(reader: Reader): Requirement {
  let token = reader.take();
  const absent = isSymbol(token, "!");
  if (absent) token = reader.take();
  if (!isName(token)) throw reader.requirementError(`found '${token.text}', expected: identifier`);
  const key = token.text;
  const wrong = keyProblem(key, "<nil>");
  if (wrong !== undefined) throw reader.requirementError(wrong);
  const follows = reader.next;
  if (absent) return { key, operator: "DoesNotExist", values: [] };
  if (follows.is === "end" || isSymbol(follows, ",")) return { key, operator: "Exists", values: [] };
  const sign = reader.take();
  const operator = sign.is === "identifier" ? undefined : operators[sign.text];
  if (operator === undefined)
    throw reader.requirementError(`found '${sign.text}', expected: in, notin, =, ==, !=, gt, lt`);
  const values = operator === "In" || operator === "NotIn" ? valuesOf(reader) : [exactValueOf(reader)];
  const problems = valuesProblems({ key, operator, values });
  if (problems.length > 0) throw reader.requirementError(aggregated(problems));
  return { key, operator, values };
}

function exactValueOf(reader: Reader): string {
  const token = reader.next;
  if (token.is === "end" || isSymbol(token, ",")) return "";
  reader.take();
  if (isName(token)) return token.text;
  throw reader.requirementError(`found '${token.text}', expected: identifier`);
}

/** The values between parentheses, sorted; nothing between two commas is an empty value. */
function valuesOf(reader: Reader): string[] {
  const open = reader.take();
  if (!isSymbol(open, "(")) throw reader.requirementError(`found '${open.text}' expected: '('`);
  if (isSymbol(reader.next, ")")) {
    reader.take();
    return [""];
  }
  if (!isName(reader.next) && !isSymbol(reader.next, ",")) {
    throw reader.requirementError(`found '${reader.next.text}', expected: ',', ')' or identifier`);
  }
  const values = new Set<string>();
  for (;;) {
    const token = reader.take();
    if (isName(token)) {
      values.add(token.text);
      if (isSymbol(reader.next, ",")) continue;
      if (isSymbol(reader.next, ")")) break;
      throw reader.requirementError(`found '${reader.next.text}', expected: ',' or ')'`);
    }
    if (!isSymbol(token, ",")) throw reader.requirementError(`found '${token.text}', expected: ',', or identifier`);
    if (values.size === 0 || isSymbol(reader.next, ",")) values.add("");
    if (isSymbol(reader.next, ")")) {
      values.add("");
      break;
    }
  }
  reader.take();
  return [...values].sort();
}
