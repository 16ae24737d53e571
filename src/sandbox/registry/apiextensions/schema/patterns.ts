/**
 * Patterns of schemas: Go's syntax, matched in linear time. JavaScript's own matching would hang on a hostile pattern.
 * The module that implements them is loaded with the rest of the custom resource code.
 */
import { RE2JS, RE2JSException } from "re2js";

/** A parsed pattern. */
export interface Pattern {
  /** True if any part of the text matches. */
  matches(text: string): boolean;
}

const known = new Map<string, Pattern | { readonly problem: string }>();
/** Schemas use the same patterns again and again; beyond this many, the oldest is evicted. */
const most = 1000;

/** A pattern, or why it is invalid, in Go's words. */
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
