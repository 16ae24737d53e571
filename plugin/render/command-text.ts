/** Wraps suggested commands on narrow screens. */
import { shownLength, wrapWords } from "../cli/style.ts";

/** A word of a shell command line; quoted parts are not split. */
const shellWord = /(?:'[^']*'|\\.|[^\s'\\])+/g;
const goesOn = " \\";
const hang = "  ";

/**
 * Wraps a command into lines of at most `width` columns that can be pasted: each but the last ends with a backslash, and no quoted word is
 * broken. Without a width it is one line.
 */
export function commandLines(command: string, width: number | undefined): string[] {
  if (width === undefined || shownLength(command) <= width) return [command];
  const words = command.match(shellWord) ?? [];
  // A command with other quoting is not wrapped.
  if (words.join(" ") !== command) return [command];
  const lines = wrapWords(words, width - hang.length - goesOn.length);
  return lines.map((line, index) => (index === 0 ? "" : hang) + line + (index < lines.length - 1 ? goesOn : ""));
}

/** `see it: COMMAND` on one line if it fits; otherwise the command is on lines of its own. */
export function withCommand(label: string, command: string, width: number | undefined): string[] {
  const whole = `${label} ${command}`;
  if (width === undefined || shownLength(whole) <= width) return [whole];
  const room = width - hang.length;
  return [...wrapWords(label.split(" "), width), ...commandLines(command, room).map((line) => hang + line)];
}
