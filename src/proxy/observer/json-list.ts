/** Parses a JSON list item by item, so that a large one does not block. */
import { isObject } from "../../api/json.ts";

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma] = [34, 92, 123, 125, 91, 93, 44];
const key = '"items":[';

/** The index after the closing quote of the string that starts at `at`. */
function afterString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}

/** The index after the closing bracket of the object or array that starts at `at`. */
function afterValue(text: string, at: number): number {
  let depth = 0;
  let here = at;
  while (here < text.length) {
    const code = text.charCodeAt(here);
    if (code === quote) {
      here = afterString(text, here);
      continue;
    }
    here++;
    if (code === openBrace || code === openBracket) depth++;
    else if ((code === closeBrace || code === closeBracket) && --depth === 0) return here;
  }
  return text.length;
}

/** The index after the opening bracket of the list's items; −1 if there are none. */
function itemsOf(text: string): number {
  let here = 1;
  while (here < text.length) {
    const code = text.charCodeAt(here);
    if (code === openBrace || code === openBracket) here = afterValue(text, here);
    else if (code !== quote) here++;
    else if (text.startsWith(key, here)) return here + key.length;
    else here = afterString(text, here);
  }
  return -1;
}

/**
 * Yields each item of a list, and returns the list without them. Expects compact JSON, as API servers write it; in any other text no items
 * are found. @throws SyntaxError
 */
export function* readJsonList(text: string): Generator<unknown, Readonly<Record<string, unknown>>> {
  const from = itemsOf(text);
  let here = from;
  if (from >= 0) {
    while (text.charCodeAt(here) === openBrace) {
      const end = afterValue(text, here);
      const item: unknown = JSON.parse(text.slice(here, end));
      yield item;
      here = text.charCodeAt(end) === comma ? end + 1 : end;
    }
  }
  const rest: unknown = JSON.parse(from < 0 ? text : text.slice(0, from) + text.slice(here));
  return isObject(rest) ? rest : {};
}
