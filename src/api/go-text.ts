/** Strings as Go prints them with `%q`. Source: Go strconv Quote, unicode IsPrint. */

/** All but what Go's unicode.IsPrint accepts: letters, marks, numbers, punctuation, symbols and the space. */
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** The escapes of control characters that have a letter. */
export const shortEscapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

/** `"say \"hi\"\n"`, with the quotes and the escapes. */
export function goQuoted(text: string): string {
  const escaped = text.replaceAll(/["\\]/g, "\\$&").replaceAll(unprintable, (character) => {
    const short = shortEscapes[character];
    if (short !== undefined) return short;
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
  return `"${escaped}"`;
}

/** A slice of strings: `["a" "b"]`. */
export const goQuotedList = (texts: readonly string[]): string => `[${texts.map(goQuoted).join(" ")}]`;

/** The unprintable characters of a string, each with its byte offset. */
export function unprintableIn(text: string): { readonly code: number; readonly at: number }[] {
  return [...text.matchAll(unprintable)].map((match) => ({
    code: match[0].codePointAt(0) ?? 0,
    at: new TextEncoder().encode(text.slice(0, match.index)).length,
  }));
}
