/**
 * Validates JSONPath syntax: nothing is evaluated, and names may be anything.
 * Source: client-go v0.36 util/jsonpath/parser.go.
 */

/** The error of Go's parser for a path, which is given without outer braces; undefined if it is valid. */
export function jsonPathProblem(path: string): string | undefined {
  try {
    readText(`{${path}}`);
    return undefined;
  } catch (error) {
    if (error instanceof PathProblem) return error.message;
    throw error;
  }
}

class PathProblem extends Error {
  override readonly name = "PathProblem";
}

/** Text with expressions in braces. @throws PathProblem */
function readText(input: string): void {
  let at = input.indexOf("{");
  while (at >= 0) at = input.indexOf("{", readAction(input, at + 1));
}

/** The end of an expression that starts at `at`: after its brace. @throws PathProblem */
function readAction(input: string, at: number): number {
  let descends = false;
  while (!input.startsWith("}", at)) {
    if (input.startsWith("..", at)) {
      if (descends) throw new PathProblem("invalid multiple recursive descent");
      at += 2;
      descends = !alphanumeric.test(input.charAt(at));
      if (!descends) at = endOfName(input, at);
      continue;
    }
    const step = input.startsWith("[?(", at) ? filter : stepAt(input.charAt(at));
    if (step !== spaces) descends = false;
    at = step(input, at);
  }
  return at + 1;
}

/** Parses something at a position; returns its end. */
type Step = (input: string, at: number) => number;

const alphanumeric = /^[\p{L}\p{Nd}_]$/u;

function stepAt(character: string): Step {
  if (character === " " || character === "@" || character === "$") return spaces;
  if (character === "[") return brackets;
  if (character === '"' || character === "'") return quoted;
  if (character === ".") return endOfName;
  if (/[+\-\p{Nd}]/u.test(character)) return number;
  if (alphanumeric.test(character)) return word;
  throw new PathProblem(/^[\r\n]?$/.test(character) ? "unclosed action" : unrecognized(character));
}

function unrecognized(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `unrecognized character in action: U+${code} '${character}'`;
}

/** Tokens without effect: whitespace, and signs for the object itself. */
const spaces: Step = (_input, at) => at + 1;

const endOf =
  (pattern: RegExp): Step =>
  (input, at) => {
    pattern.lastIndex = at;
    return at + (pattern.exec(input)?.[0].length ?? 0);
  };

/** A dot and the name after it; a backslash escapes the next character. */
const endOfName: Step = endOf(/\.?(?:\\[\s\S]?|[^\s.,[\]$@{}\\])*/y);

const word: Step = endOf(/[^ \t\r\n.,[\]$@{}]+/y);

const number: Step = (input, at) => {
  const [text = ""] = /^[+-]?[.\d]*/.exec(input.slice(at)) ?? [];
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(text)) throw new PathProblem(`cannot parse number ${text}`);
  return at + text.length;
};

const quoted: Step = (input, at) => {
  const quote = input.charAt(at);
  let end = at + 1;
  while (input.charAt(end) !== quote || input.charAt(end - 1) === "\\") {
    if (/^\n?$/.test(input.charAt(end))) throw new PathProblem("unterminated quoted string");
    end++;
  }
  const value = input.slice(at, end + 1);
  if (!unquotable.test(value)) throw new PathProblem(`unquote string ${value} error invalid syntax`);
  return end + 1;
};

const unquotable = /^(['"])(?:(?!\1)[^\\\n]|\\(?:[abfnrtv\\]|\1|x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8}|[0-7]{3}))*\1$/i;

const index = /^(?:-?\d*)(?::-?\d*)?(?::-?\d*)?$/;

/** An index, a slice, a quoted name, or several of them. */
const brackets: Step = (input, at) => {
  const end = input.slice(at).search(/[\]\n]/);
  if (end < 0 || input.charAt(at + end) === "\n") throw new PathProblem("unterminated array");
  const inside = input.slice(at + 1, at + end);
  const parts = inside.split(",");
  if (parts.length > 1) {
    for (const part of parts) readText(`{[${part.replaceAll(/^ +| +$/g, "")}]}`);
    return at + end + 1;
  }
  const [, name] = /^'([^']*)'$/.exec(inside) ?? [];
  if (name !== undefined) readText(`{.${name}}`);
  else if (inside !== "*" && !index.test(inside)) throw new PathProblem(`invalid array index ${inside}`);
  else if (inside !== "*") checkIndexes(inside);
  return at + end + 1;
};

function checkIndexes(inside: string): void {
  for (const part of inside.split(":")) if (part === "-") throw new PathProblem(`array index ${part} is not a number`);
}

/** A filter on items: a comparison, or an existence test. */
const filter: Step = (input, at) => {
  const start = at + "[?(".length;
  let end = start;
  let opened: string | undefined;
  let isClosed = false;
  for (; ; end++) {
    const character = input.charAt(end);
    if (character === "" || character === "\n") throw new PathProblem("unterminated filter");
    if (character === ")" && (opened !== undefined) === isClosed) break;
    if (character !== '"' && character !== "'") continue;
    if (opened === undefined) opened = character;
    else if (character === opened && input.charAt(end - 1) !== "\\") isClosed = true;
  }
  if (input.charAt(end + 1) !== "]") throw new PathProblem("unclosed array expect ]");
  const text = input.slice(start, end);
  const [, left, , right] = /^([^!<>=]+)([!<>=]+)(.+?)$/.exec(text) ?? [];
  for (const part of left === undefined || right === undefined ? [text] : [left, right]) readText(`{${part}}`);
  return end + 2;
};
