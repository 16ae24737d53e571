/** Label selectors as the API server reads them, with its messages. Source: apimachinery v0.36 labels/selector.go. */
import type { Requirement, Selector } from "../../api/labels.ts";
import { badRequest } from "../meta/refusal.ts";
import { labelKeyProblems, labelValueProblems } from "../validation/names.ts";

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
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  /** The next token where a keyword stands for itself. */
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

/** @throws StatusError 400. */
export function labelSelectorOf(text: string | undefined): Selector {
  if (text === undefined) return [];
  // A zero byte ends the text for the real server's lexer.
  const reader = new Reader(text.split("\0", 1)[0] ?? "");
  const requirements: Requirement[] = [];
  for (;;) {
    const first = reader.next;
    if (first.is === "end") return requirements;
    if (!isName(first) && !isSymbol(first, "!")) {
      throw badRequest(`found '${first.text}', expected: !, identifier, or 'end of string'`);
    }
    requirements.push(requirementOf(reader));
    const after = reader.take();
    if (after.is === "end") return requirements;
    if (!isSymbol(after, ",")) throw badRequest(`found '${after.text}', expected: ',' or 'end of string'`);
    if (!isName(reader.next) && !isSymbol(reader.next, "!")) {
      throw badRequest(`found '${reader.next.text}', expected: identifier after ','`);
    }
  }
}

function wrong(message: string): Error {
  return badRequest(`unable to parse requirement: ${message}`);
}

function requirementOf(reader: Reader): Requirement {
  let token = reader.take();
  const absent = isSymbol(token, "!");
  if (absent) token = reader.take();
  if (!isName(token)) throw wrong(`found '${token.text}', expected: identifier`);
  const key = token.text;
  const problems = labelKeyProblems(key);
  if (problems.length > 0) throw wrong(`<nil>: Invalid value: ${JSON.stringify(key)}: ${problems.join("; ")}`);
  const follows = reader.next;
  if (absent) return { key, operator: "DoesNotExist", values: [] };
  if (follows.is === "end" || isSymbol(follows, ",")) return { key, operator: "Exists", values: [] };
  const sign = reader.take();
  const operator = sign.is === "identifier" ? undefined : operators[sign.text];
  if (operator === undefined) throw wrong(`found '${sign.text}', expected: in, notin, =, ==, !=, gt, lt`);
  const values = operator === "In" || operator === "NotIn" ? valuesOf(reader) : [exactValueOf(reader)];
  checkValues(key, operator, values);
  return { key, operator, values };
}

function checkValues(key: string, operator: Requirement["operator"], values: readonly string[]): void {
  const errors: string[] = [];
  for (const [index, value] of values.entries()) {
    if ((operator === "GreaterThan" || operator === "LessThan") && !/^[+-]?\d+$/.test(value)) {
      errors.push(
        `values[${index}]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
      );
    }
  }
  for (const [index, value] of values.entries()) {
    const problems = labelValueProblems(value);
    if (problems.length > 0) {
      errors.push(`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${problems.join("; ")}`);
    }
  }
  if (errors.length > 0) throw wrong(errors.length === 1 ? (errors[0] ?? "") : `[${errors.join(", ")}]`);
}

function exactValueOf(reader: Reader): string {
  const token = reader.next;
  if (token.is === "end" || isSymbol(token, ",")) return "";
  reader.take();
  if (isName(token)) return token.text;
  throw wrong(`found '${token.text}', expected: identifier`);
}

/** The values between brackets, sorted; an empty place is an empty value. */
function valuesOf(reader: Reader): string[] {
  const open = reader.take();
  if (!isSymbol(open, "(")) throw wrong(`found '${open.text}' expected: '('`);
  if (isSymbol(reader.next, ")")) {
    reader.take();
    return [""];
  }
  if (!isName(reader.next) && !isSymbol(reader.next, ",")) {
    throw wrong(`found '${reader.next.text}', expected: ',', ')' or identifier`);
  }
  const values = new Set<string>();
  for (;;) {
    const token = reader.take();
    if (isName(token)) {
      values.add(token.text);
      if (isSymbol(reader.next, ",")) continue;
      if (isSymbol(reader.next, ")")) break;
      throw wrong(`found '${reader.next.text}', expected: ',' or ')'`);
    }
    if (!isSymbol(token, ",")) throw wrong(`found '${token.text}', expected: ',', or identifier`);
    if (values.size === 0 || isSymbol(reader.next, ",")) values.add("");
    if (isSymbol(reader.next, ")")) {
      values.add("");
      break;
    }
  }
  reader.take();
  return [...values].sort();
}
