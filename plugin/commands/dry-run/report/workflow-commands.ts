/**
 * Workflow commands of GitHub Actions: annotations, and a fence around text that must not contain any. A runner reads commands from
 * every line of both outputs: `::name::` after blanks at its beginning, `##[name]` anywhere in it, and it ends lines at CR too.
 *
 * Source: actions/runner src/Runner.Common/ActionCommand.cs TryParse, TryParseV2; src/Runner.Worker/ActionCommandManager.cs.
 */
import { type Random, randomUuid } from "../../../../src/platform/random.ts";
import { pluralize } from "../../../cli/style.ts";

/** The levels that GitHub has for annotations. */
export type Level = "error" | "warning" | "notice";

/** Where an annotation is shown: a file of the work tree, and a line from 1 on. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

/** A message that GitHub shows beside a line of a pull request. */
export interface Annotation {
  readonly level: Level;
  readonly title: string;
  readonly message: string;
  readonly place?: Place | undefined;
}

/** GitHub shows the first annotations of each level for a step, and silently drops the rest. */
const shownOfALevel = 10;
const levels: readonly Level[] = ["error", "warning", "notice"];

/** The annotations as commands, errors first; of each level as many as are shown, the last of them a count of the others. */
export function annotationLines(annotations: readonly Annotation[]): string[] {
  return levels.flatMap((level) => {
    const all = annotations.filter((each) => each.level === level);
    if (all.length <= shownOfALevel) return all.map(commandOf);
    const shown = all.slice(0, shownOfALevel - 1);
    const rest = pluralize(all.length - shown.length, `more ${level}`);
    return [...shown, { level, title: rest, message: `${rest}: the log has them all` }].map(commandOf);
  });
}

/** `::error file=…,line=…,title=…::message`, escaped. */
function commandOf({ level, title, message, place }: Annotation): string {
  const where = place === undefined ? "" : `file=${property(place.file)},line=${place.line},`;
  return `::${level} ${where}title=${property(title)}::${data(message)}`;
}

/** The lines between `stop-commands` and its end: whatever they hold, the runner prints it and obeys none of it. */
export function shielded(lines: readonly string[], random: Random): string[] {
  // Nobody who writes a manifest can know the word that ends it.
  const token = randomUuid(random);
  return [`::stop-commands::${token}`, ...lines.map(withoutMarks), `::${token}::`];
}

/** A line of text for the log, without anything that a runner would take for a command. */
export function harmless(line: string): string {
  return withoutMarks(line.replace(/[\r\n]+/g, " ")).replace(/^(\s*)::/, "$1: :");
}

/** The log's reader draws `##[error]` in red, even where the runner does not obey it. */
function withoutMarks(line: string): string {
  return line.replaceAll("##[", "## [").replaceAll("\r", "\\r");
}

function data(text: string): string {
  return text.replaceAll("##[", "## [").replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
