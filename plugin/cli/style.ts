/** Colours and columns of all screens. Colour is never the only carrier of a meaning. */
import { Chalk } from "chalk";
import stringWidth from "string-width";
import type { Output } from "../../src/platform/terminal.ts";
import { ownSequence, oneLine } from "../../src/platform/visible-text.ts";

type Colour = "red" | "green" | "yellow" | "cyan" | "magenta" | "dim" | "bold";

/** Each colours a text, or returns it unchanged if there are no colours. */
export type Colours = Readonly<Record<Colour, (text: string) => string>>;

/** How wide a screen is, and its colours. */
export interface Style {
  /** Characters per line; undefined if lines may be of any length (a pipe, a file). */
  readonly columns: number | undefined;
  readonly colour: Colours;
}

/** The style of an output: its width, and its colours if supported. */
export function styleOf(output: Output): Style {
  return { columns: output.columns, colour: coloursOf(new Chalk({ level: output.colours ? 1 : 0 })) };
}

const colourCode = new RegExp(`${String.fromCharCode(27)}\\[(\\d+)m`, "g");

/** Escape sequences that chalk adds are marked as ours; those in the text itself are made visible, so none counts as ours. */
function coloursOf(chalk: Colours): Colours {
  const marked =
    (colour: Colour) =>
    (text: string): string =>
      chalk[colour](oneLine(text)).replaceAll(colourCode, (_, code: string) => ownSequence(code, "m"));
  return {
    red: marked("red"),
    green: marked("green"),
    yellow: marked("yellow"),
    cyan: marked("cyan"),
    magenta: marked("magenta"),
    dim: marked("dim"),
    bold: marked("bold"),
  };
}

/** Below this width, lines omit the time: the words matter more. */
const roomForTimes = 100;

/** Whether lines start with the time. They do if lines may be of any length. */
export function showsTimes(style: Style): boolean {
  return style.columns === undefined || style.columns >= roomForTimes;
}

/**
 * Wraps words into lines of at most `width` columns; a longer word is not broken. Without a width it is one line.
 */
export function wrapWords(words: readonly string[], width: number | undefined, separator = " "): string[] {
  if (width === undefined) return [words.join(separator)];
  const lines: string[] = [];
  let room = 0;
  for (const word of words) {
    const needs = separator.length + shownLength(word);
    if (lines.length > 0 && needs <= room) {
      lines[lines.length - 1] += separator + word;
      room -= needs;
    } else {
      lines.push(word);
      room = width - shownLength(word);
    }
  }
  return lines;
}

/** How many columns a text takes on the screen: wide characters take two, colours none, control characters the length of their escape. */
export function shownLength(text: string): number {
  // Nearly every word: avoids the library's tables.
  return plain.test(text) ? text.length : stringWidth(oneLine(text));
}

const plain = /^[ -~]*$/;

/** At most `width` columns, the last of them `…` where something was cut. For text without colours. */
export function shorten(text: string, width: number): string {
  if (shownLength(text) <= width) return text;
  const shown = oneLine(text);
  let taken = "";
  let room = width - 1;
  for (const { segment } of characters.segment(shown)) {
    room -= stringWidth(segment);
    if (room < 0) break;
    taken += segment;
  }
  return width <= 0 ? "" : `${taken}…`;
}

const characters = new Intl.Segmenter("en", { granularity: "grapheme" });

/** `web-…` of `web-x7k2p`: the known part of a name whose end the server generates. */
export function withoutSuffix(name: string): string {
  return name.replace(/[^-]*$/, "…");
}

/** A header line of a screen (`context …`, `rights  …`), wrapped with a hanging indent if it is too wide. */
export function wrapHanging(line: string, columns: number | undefined): string[] {
  if (columns === undefined || shownLength(line) <= columns) return [line];
  const indent = " ".repeat(8);
  return wrapWords(line.split(" "), columns - indent.length).map((text, index) => (index === 0 ? text : indent + text));
}

export { pluralize } from "../../src/api/pluralize.ts";
