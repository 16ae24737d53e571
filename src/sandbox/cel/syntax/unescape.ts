/** String and bytes literals without quotes and escapes. Source: cel-go v0.26 parser/unescape.go. */

/** The value of a literal, or what is wrong with it. */
export type Unescaped<T> = { readonly value: T } | { readonly problem: string };

const noEscape = "unable to unescape string";

/** The text between the quotes, and whether it is raw. */
function bodyOf(literal: string): { readonly body: string; readonly isRaw: boolean } {
  const text = literal.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  const isRaw = text.startsWith("r") || text.startsWith("R");
  const quoted = isRaw ? text.slice(1) : text;
  const length = quoted.length >= 6 && (quoted.startsWith(`"""`) || quoted.startsWith("'''")) ? 3 : 1;
  return { body: quoted.slice(length, -length), isRaw };
}

const named: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  "\\": 92,
  "'": 39,
  '"': 34,
  "`": 96,
  "?": 63,
};
const hexDigits: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 };

/** The value of the escape at `at`, after the backslash, and its end. */
function escapeAt(body: string, at: number): { readonly code: number; readonly end: number } | undefined {
  const letter = body[at] ?? "";
  const plain = named[letter];
  if (plain !== undefined) return { code: plain, end: at + 1 };
  const count = hexDigits[letter];
  if (count !== undefined) {
    const digits = body.slice(at + 1, at + 1 + count);
    if (digits.length < count || !/^[0-9a-fA-F]+$/.test(digits)) return undefined;
    return { code: Number.parseInt(digits, 16), end: at + 1 + count };
  }
  const octal = body.slice(at, at + 3);
  return /^[0-3][0-7]{2}$/.test(octal) ? { code: Number.parseInt(octal, 8), end: at + 3 } : undefined;
}

/** The string of a literal such as `'a\n'` or `r"""\d"""`. */
export function unescapeText(literal: string): Unescaped<string> {
  const { body, isRaw } = bodyOf(literal);
  if (isRaw || !body.includes("\\")) return { value: body };
  let value = "";
  for (let at = 0; at < body.length;) {
    if (body[at] !== "\\") {
      value += body[at++];
      continue;
    }
    const found = escapeAt(body, at + 1);
    if (found === undefined) return { problem: noEscape };
    if (found.code > 0x10ffff || (found.code >= 0xd800 && found.code <= 0xdfff))
      return { problem: "invalid unicode code point" };
    value += String.fromCodePoint(found.code);
    at = found.end;
  }
  return { value };
}

/** The bytes of a literal such as `b'\xff'`, without its `b`. */
export function unescapeBytes(literal: string): Unescaped<Uint8Array> {
  const { body, isRaw } = bodyOf(literal);
  const encoder = new TextEncoder();
  if (isRaw || !body.includes("\\")) return { value: encoder.encode(body) };
  const bytes: number[] = [];
  for (let at = 0; at < body.length;) {
    if (body[at] !== "\\") {
      const character = String.fromCodePoint(body.codePointAt(at) ?? 0);
      bytes.push(...encoder.encode(character));
      at += character.length;
      continue;
    }
    const letter = body[at + 1];
    const found = letter === "u" || letter === "U" ? undefined : escapeAt(body, at + 1);
    if (found === undefined) return { problem: noEscape };
    bytes.push(found.code & 0xff);
    at = found.end;
  }
  return { value: Uint8Array.from(bytes) };
}
