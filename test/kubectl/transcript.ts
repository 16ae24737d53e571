/**
 * What kubectl printed, as a text that people read and compare: `$` before the command, `|` before each line of its standard
 * output, `!` before those of standard error, and `=` before an exit code that is not 0.
 */
import { erased } from "./erase.ts";

/** What a command ended with. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** A command with all that it printed, erased of what differs from run to run. */
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

/** Entries, an empty line between two of them. */
export function transcriptOf(entries: readonly string[]): string {
  return `${entries.join("\n\n")}\n`;
}

/**
 * A transcript with the entries of each managedFields in an order of their own: servers sort them by their times, in seconds, so that two
 * writes are in another order where a second ends between them.
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
