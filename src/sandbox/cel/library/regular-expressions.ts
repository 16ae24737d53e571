/**
 * RE2 patterns, which match in linear time. Source: cel-go v0.26 common/types/string.go Match, apiserver v0.36 pkg/cel/library/regex.go.
 */
import { RE2JS } from "re2js";
import { ArrayList } from "../values/collections.ts";
import { CelError, overloadError, type Value } from "../values/value.ts";
import { bind, declare, type FunctionDecl, guards } from "./function.ts";

const { string, int } = guards;

/** A compiled pattern, or what is wrong with it, in Go's words. */
export type Pattern = { readonly re: RE2JS } | { readonly problem: string };

const compiled = new Map<string, Pattern>();
const remembered = 500;

/** Compiles a pattern; the last few are cached. */
export function patternOf(text: string): Pattern {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  if (compiled.size >= remembered) compiled.clear();
  const pattern = compile(text);
  compiled.set(text, pattern);
  return pattern;
}

function compile(text: string): Pattern {
  try {
    return { re: RE2JS.compile(text) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** `text.matches(pattern)`: true if any part of the text matches. */
export function matches(text: Value, pattern: Value): Value {
  if (typeof text !== "string") return overloadError(text);
  if (typeof pattern !== "string") return overloadError(pattern);
  const found = patternOf(pattern);
  return "re" in found ? found.re.test(text) : new CelError(found.problem);
}

function findAll(text: string, { pattern, most }: { readonly pattern: string; readonly most: bigint }): Value {
  const found = patternOf(pattern);
  if (!("re" in found)) return illegal(found.problem);
  if (most === 0n) return new ArrayList([]);
  const matcher = found.re.matcher(text);
  const limit = most < 0n ? Infinity : Number(most);
  const all: string[] = [];
  let end = -1;
  while (all.length < limit && matcher.find()) {
    // An empty match directly after another match does not count.
    if (matcher.start() === matcher.end() && matcher.start() === end) continue;
    end = matcher.end();
    all.push(matcher.group() ?? "");
  }
  return new ArrayList(all);
}

const illegal = (problem: string): CelError => new CelError(`Illegal regex: ${problem}`);

/** `find` and `findAll`. */
export const regexFunctions: readonly FunctionDecl[] = declare({
  find: {
    string_find_string: [
      "string.(string) string",
      bind<[string, string]>([string, string], (text, pattern) => {
        const found = patternOf(pattern);
        if (!("re" in found)) return illegal(found.problem);
        const matcher = found.re.matcher(text);
        return matcher.find() ? (matcher.group() ?? "") : "";
      }),
    ],
  },
  findAll: {
    string_find_all_string: [
      "string.(string) list(string)",
      bind<[string, string]>([string, string], (text, pattern) => findAll(text, { pattern, most: -1n })),
    ],
    string_find_all_string_int: [
      "string.(string, int) list(string)",
      bind<[string, string, bigint]>([string, string, int], (text, pattern, most) => findAll(text, { pattern, most })),
    ],
  },
});
