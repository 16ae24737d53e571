/**
 * The output of kubectl as a text to read and compare: `$` before the command, `|` before each line of its standard output, `!` before
 * those of standard error, and `=` before an exit code that is not 0.
 */
import { erased } from "./erase.ts";

/** The output and exit code of a command. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** A command with all its output, without what differs between runs. */
export function entryOf(run: string, { stdout, stderr, code }: Printed): string {
  const lines = [
    `$ kubectl ${run}`,
    ...linesOf(erased(stdout)).map((line) => `| ${line}`.trimEnd()),
    ...linesOf(erased(stderr, "stderr")).map((line) => `! ${line}`.trimEnd()),
    ...(code === 0 ? [] : [`= ${code}`]),
  ];
  return lines.join("\n");
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  return text.replace(/\n$/, "").split("\n");
}

/** Joins entries with empty lines between them. */
export function transcriptOf(entries: readonly string[]): string {
  return `${entries.join("\n\n")}\n`;
}

/**
 * A transcript with the entries of each managedFields list sorted: servers order them by time, in seconds, so that the order of two writes
 * differs if a second ends between them.
 */
export function withSortedManagers(transcript: string): string {
  return transcript.replaceAll(
    /^(\| +)managedFields:\n((?:\1- .*\n(?:\1 {2}.*\n)*)+)/gm,
    (_, margin: string, entries: string) => {
      const each = entries.split(new RegExp(`^(?=${margin.replace("|", "\\|")}- )`, "m"));
      return `${margin}managedFields:\n${each.toSorted().join("")}`;
    },
  );
}

/** The entries of a transcript. */
export function entriesOf(transcript: string): readonly string[] {
  return transcript.trimEnd().split(/\n\n(?=\$ )/);
}
