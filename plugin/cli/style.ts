/** Colours and columns: what every screen is set with. Colour never carries a meaning alone. */
import { Chalk } from "chalk";
import stringWidth from "string-width";
import type { Output } from "../../src/platform/terminal.ts";
import { ownSequence, oneLine } from "../../src/platform/visible-text.ts";

type Colour = "red" | "green" | "yellow" | "cyan" | "magenta" | "dim" | "bold";

/** Each sets a text in a colour, or leaves it as it is where there are none. */
export type Colours = Readonly<Record<Colour, (text: string) => string>>;

/** How wide a screen is, and its colours. */
export interface Style {
  /** Characters a line; undefined where lines may be of any length (a pipe, a file). */
  readonly columns: number | undefined;
  readonly colour: Colours;
}

/** The style of an output: its width, and colours where it shows them. */
export function styleOf(output: Output): Style {
  return { columns: output.columns, colour: coloursOf(new Chalk({ level: output.colours ? 1 : 0 })) };
}

const colourCode = new RegExp(`${String.fromCharCode(27)}\\[(\\d+)m`, "g");

/** Sequences that chalk adds are marked as ours; those in the text itself are made visible, so that none of them counts as ours. */
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

/** Below this, lines leave out the time: the words matter more. */
const roomForTimes = 100;

/** Whether lines begin with the time. Where lines may be of any length they do. */
export function showsTimes(style: Style): boolean {
  return style.columns === undefined || style.columns >= roomForTimes;
}

/**
 * Breaks words into lines of at most `width` columns; a word that is longer stays whole. Without a width it is one line.
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

/** How many columns a text takes on the screen: wide characters take two, colours none, hidden ones the length of their escape. */
export function shownLength(text: string): number {
  // Nearly every word: the library's tables are not even read for these.
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

/** `web-…` of `web-x7k2p`: what is known of a name whose end the server makes up. */
export function withoutSuffix(name: string): string {
  return name.replace(/[^-]*$/, "…");
}

/** A line of the head of a screen (`context …`, `rights  …`), broken at words under its own text where it is too wide. */
export function wrapHanging(line: string, columns: number | undefined): string[] {
  if (columns === undefined || shownLength(line) <= columns) return [line];
  const indent = " ".repeat(8);
  return wrapWords(line.split(" "), columns - indent.length).map((text, index) => (index === 0 ? text : indent + text));
}

export { pluralize } from "../../src/api/pluralize.ts";
