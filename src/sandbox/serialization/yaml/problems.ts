/** Converts our YAML parser's errors to Go's. Source: go.yaml.in/yaml/v2 scannerc.go, parserc.go, decode.go. */

/** Text that is not YAML, or cannot be expressed in JSON; the message is Go's. */
export class YamlProblem extends Error {
  override readonly name = "YamlProblem";
}

/** An error of the parser, with its position. */
export interface Found {
  /** The code and message of our parser's error. */
  readonly code: string;
  readonly message: string;
  /** Its start, in characters. */
  readonly at: number;
}

interface Rule {
  readonly code: string;
  readonly message?: RegExp;
  readonly goMessage: string;
  /** Found while scanning tokens (lines count from 1), or while parsing them (from 0). */
  readonly by: "scanner" | "parser";
}

const rules: readonly Rule[] = [
  { code: "TAB_AS_INDENT", goMessage: "found character that cannot start any token", by: "scanner" },
  { code: "BAD_SCALAR_START", goMessage: "found character that cannot start any token", by: "scanner" },
  { code: "BAD_DQ_ESCAPE", goMessage: "found unknown escape character", by: "scanner" },
  { code: "MISSING_CHAR", message: /closing/, goMessage: "found unexpected end of stream", by: "scanner" },
  { code: "MISSING_CHAR", message: /followed by map values/, goMessage: "could not find expected ':'", by: "scanner" },
  { code: "TAG_RESOLVE_FAILED", message: /Verbatim/, goMessage: "did not find the expected '>'", by: "scanner" },
  { code: "BAD_INDENT", message: /Flow sequence/, goMessage: "did not find expected ',' or ']'", by: "parser" },
  { code: "BAD_INDENT", message: /Flow map/, goMessage: "did not find expected ',' or '}'", by: "parser" },
  { code: "UNEXPECTED_TOKEN", message: /flow-\w+-end/, goMessage: "did not find expected node content", by: "parser" },
  {
    code: "UNEXPECTED_TOKEN",
    message: /block-seq-ind/,
    goMessage: "block sequence entries are not allowed in this context",
    by: "scanner",
  },
  {
    code: "UNEXPECTED_TOKEN",
    message: /Block scalar header/,
    goMessage: "did not find expected comment or line break",
    by: "scanner",
  },
];

/** The line of a position, counting from 0. */
const lineAt = (text: string, at: number): number => text.slice(0, at).split("\n").length - 1;

function problem(goMessage: string, line: number, by: Rule["by"]): string {
  // Go omits the first line's number.
  return line === 0 ? goMessage : `line ${by === "scanner" ? line + 1 : line}: ${goMessage}`;
}

/** Go's error for a flow list or map that is not closed; undefined if all are. */
function unfinished(text: string, { message, at }: Found): string | undefined {
  const [, what] = /^Flow (map|sequence) .*end with/.exec(message) ?? [];
  const end = text.trimEnd();
  if (what === undefined || at < end.length) return undefined;
  const missing = what === "map" ? "',' or '}'" : "',' or ']'";
  const goMessage = `did not find expected ${/[[{,]$/.test(end) ? "node content" : missing}`;
  return problem(goMessage, text.replace(/\n$/, "").split("\n").length, "parser");
}

/** The message, without `yaml: ` in front; our parser's own if Go's is unknown. */
export function goProblem(text: string, found: Found): string {
  const { code, message, at } = found;
  const line = lineAt(text, at);
  const open = unfinished(text, found);
  if (open !== undefined) return open;
  if (code === "BLOCK_AS_IMPLICIT_KEY" || code === "MULTILINE_IMPLICIT_KEY") {
    const colon = /:(\s|$)/.exec(text.slice(at));
    return problem("mapping values are not allowed in this context", lineAt(text, at + (colon?.index ?? 0)), "scanner");
  }
  const rule = rules.find((candidate) => candidate.code === code && (candidate.message?.test(message) ?? true));
  if (rule !== undefined) return problem(rule.goMessage, line, rule.by);
  if (code !== "BAD_INDENT") return problem("did not find expected key", line, "parser");
  const before = text.split("\n")[line - 1] ?? "";
  return problem(
    /^\s*- /.test(before) ? "did not find expected '-' indicator" : "did not find expected key",
    line,
    "parser",
  );
}
