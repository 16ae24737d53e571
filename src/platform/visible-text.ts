/**
 * Text on its way to a terminal or a log. Names, values and messages are foreign text, which must not control the reader's
 * terminal: control characters are made visible. Our own sequences carry a mark that is unknown outside this process, so a
 * renderer that passes foreign text through, or writes a sequence by hand, has no effect.
 * Source: the idea, k8s.io/cli-runtime pkg/printers/terminal.go (CVE-2021-25743); differs: more than ESC and CR is made visible.
 */

const escape = "\u001b";

/** Parameters unknown to terminals, in groups of four digits as libraries that measure text expect. */
function newMark(): string {
  const groups = crypto.getRandomValues(new Uint16Array(3));
  return [...groups].map((group) => String(1000 + (group % 9000))).join(";");
}

const mark = newMark();

/** A control sequence of our own, `ESC [ parameters final`: `ownSequence("31", "m")` switches to red. Only `Output.write` makes it work. */
export function ownSequence(parameters: string, final: string): string {
  return `${escape}[${parameters};${mark}${final}`;
}

/**
 * C0 except tab and newline, DEL, C1; what reverses the writing direction or is invisible (bidi controls, zero-width characters that no
 * script needs, invisible operators, byte order marks, tags); line and paragraph separators; half a surrogate pair.
 */
const hidden =
  // oxlint-disable-next-line no-control-regex -- exactly these
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\ud800-\udfff]/u;
const own = `${escape}\\[([\\d;]*?);${mark}([A-Za-z])`;
const hiddenOrOwn = new RegExp(`${own}|${hidden.source}`, "gu");

/**
 * `^[` for ESC, `^M` for CR, as a terminal echoes them; `\\u009b` for others, which means the same in a JSON string or a quoted YAML
 * string. The first kind cannot appear unescaped there.
 */
function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
}

/** Makes every control character visible; our own sequences stay marked. Idempotent. */
export function visibleText(text: string): string {
  if (!hidden.test(text)) return text;
  return text.replaceAll(hiddenOrOwn, (found, parameters?: string) =>
    parameters === undefined ? visible(found) : found,
  );
}

/**
 * Like `visibleText`, for a part of a line: a newline becomes `\
 * `. Messages of servers and objects may contain many.
 */
export function oneLine(text: string): string {
  return visibleText(text).replaceAll("\n", "\\n");
}

/** Like `visibleText`, with our own sequences in the form that terminals interpret: the last step before a stream. */
export function terminalText(text: string): string {
  if (!hidden.test(text)) return text;
  return text.replaceAll(hiddenOrOwn, (found, parameters?: string, final?: string) =>
    parameters === undefined ? visible(found) : `${escape}[${parameters}${final ?? ""}`,
  );
}
