/** What Go says of text that is no YAML, from what our reader found. Source: go.yaml.in/yaml/v2 scannerc.go, parserc.go, decode.go. */

/** Text that is no YAML, or none that JSON could say; the message is Go's. */
export class YamlProblem extends Error {
  override readonly name = "YamlProblem";
}

/** A problem that the parser found, where it is. */
export interface Found {
  /** The code and the message of our reader's error. */
  readonly code: string;
  readonly message: string;
  /** Where it begins, in characters. */
  readonly at: number;
}

interface Rule {
  readonly code: string;
  readonly message?: RegExp;
  readonly says: string;
  /** Found while it looked for words (the line counts from 1), or while it put them together (from 0). */
  readonly by: "scanner" | "parser";
}

const rules: readonly Rule[] = [
  { code: "TAB_AS_INDENT", says: "found character that cannot start any token", by: "scanner" },
  { code: "BAD_SCALAR_START", says: "found character that cannot start any token", by: "scanner" },
  { code: "BAD_DQ_ESCAPE", says: "found unknown escape character", by: "scanner" },
  { code: "MISSING_CHAR", message: /closing/, says: "found unexpected end of stream", by: "scanner" },
  { code: "MISSING_CHAR", message: /followed by map values/, says: "could not find expected ':'", by: "scanner" },
  { code: "TAG_RESOLVE_FAILED", message: /Verbatim/, says: "did not find the expected '>'", by: "scanner" },
  { code: "BAD_INDENT", message: /Flow sequence/, says: "did not find expected ',' or ']'", by: "parser" },
  { code: "BAD_INDENT", message: /Flow map/, says: "did not find expected ',' or '}'", by: "parser" },
  { code: "UNEXPECTED_TOKEN", message: /flow-\w+-end/, says: "did not find expected node content", by: "parser" },
  {
    code: "UNEXPECTED_TOKEN",
    message: /block-seq-ind/,
    says: "block sequence entries are not allowed in this context",
    by: "scanner",
  },
  {
    code: "UNEXPECTED_TOKEN",
    message: /Block scalar header/,
    says: "did not find expected comment or line break",
    by: "scanner",
  },
];

/** The line, from 0, of a place. */
const lineAt = (text: string, at: number): number => text.slice(0, at).split("\n").length - 1;

function problem(says: string, line: number, by: Rule["by"]): string {
  // Go knows no first line.
  return line === 0 ? says : `line ${by === "scanner" ? line + 1 : line}: ${says}`;
}

/** What Go says of a list or a map in brackets that the text ends within; undefined if it does not. */
function unfinished(text: string, { message, at }: Found): string | undefined {
  const [, what] = /^Flow (map|sequence) .*end with/.exec(message) ?? [];
  const end = text.trimEnd();
  if (what === undefined || at < end.length) return undefined;
  const missing = what === "map" ? "',' or '}'" : "',' or ']'";
  const says = `did not find expected ${/[[{,]$/.test(end) ? "node content" : missing}`;
  return problem(says, text.replace(/\n$/, "").split("\n").length, "parser");
}

/** The sentence, without `yaml: ` in front; where Go's is not known, our reader's own. */
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
  if (rule !== undefined) return problem(rule.says, line, rule.by);
  if (code !== "BAD_INDENT") return problem("did not find expected key", line, "parser");
  const before = text.split("\n")[line - 1] ?? "";
  return problem(
    /^\s*- /.test(before) ? "did not find expected '-' indicator" : "did not find expected key",
    line,
    "parser",
  );
}
