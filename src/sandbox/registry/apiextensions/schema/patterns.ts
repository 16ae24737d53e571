/**
 * Patterns of schemas: Go's syntax, matched in linear time, whatever the pattern. JavaScript's own would hang on a hostile one.
 * The module that has them is loaded with the rest of what custom resources need.
 */
import { RE2JS, RE2JSException } from "re2js";

/** A pattern that has been read. */
export interface Pattern {
  /** True if a part of the text matches. */
  matches(text: string): boolean;
}

const known = new Map<string, Pattern | { readonly problem: string }>();
/** Schemas name the same patterns again and again; beyond this many the oldest is forgotten. */
const most = 1000;

/** A pattern, or why it is none in Go's words. */
export function patternOf(text: string): Pattern | { readonly problem: string } {
  const there = known.get(text);
  if (there !== undefined) return there;
  const made = read(text);
  known.set(text, made);
  const [oldest] = known.keys();
  if (known.size > most && oldest !== undefined) known.delete(oldest);
  return made;
}

function read(text: string): Pattern | { readonly problem: string } {
  try {
    const pattern = RE2JS.compile(text);
    return { matches: (value) => pattern.matcher(value).find() };
  } catch (cause) {
    if (!(cause instanceof RE2JSException)) throw cause;
    return { problem: cause.message };
  }
}
