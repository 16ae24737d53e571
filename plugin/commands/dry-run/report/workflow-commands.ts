/**
 * Workflow commands of GitHub Actions: annotations, and a guard around text that must not be interpreted as commands. A runner reads commands
 * from every line of both outputs: `::name::` at the start after blanks, `##[name]` anywhere. It also ends lines at CR.
 *
 * Source: actions/runner src/Runner.Common/ActionCommand.cs TryParse, TryParseV2; src/Runner.Worker/ActionCommandManager.cs.
 */
import { type Random, randomUuid } from "../../../../src/platform/random.ts";
import { pluralize } from "../../../cli/style.ts";

/** The levels of GitHub's annotations. */
export type Level = "error" | "warning" | "notice";

/** The place of an annotation: a file of the work tree, and a line, counted from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

/** A message that GitHub shows at a line of a pull request. */
export interface Annotation {
  readonly level: Level;
  readonly title: string;
  readonly message: string;
  readonly place?: Place | undefined;
}

/** GitHub shows only the first annotations of each level per step, and silently drops the rest. */
const shownOfALevel = 10;
const levels: readonly Level[] = ["error", "warning", "notice"];

/** The annotations as commands, errors first. Each level is limited to what GitHub shows; the last one then counts the others. */
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

/** The lines between `stop-commands` and its end, so that the runner prints them without executing any commands in them. */
export function shielded(lines: readonly string[], random: Random): string[] {
  // The author of a manifest cannot know the token that ends it.
  const token = randomUuid(random);
  return [`::stop-commands::${token}`, ...lines.map(withoutMarks), `::${token}::`];
}

/** A line of text for the log, without anything that a runner would execute as a command. */
export function harmless(line: string): string {
  return withoutMarks(line.replace(/[\r\n]+/g, " ")).replace(/^(\s*)::/, "$1: :");
}

/** Removes marks such as `##[error]`, which the log viewer colours even where the runner does not execute them. */
function withoutMarks(line: string): string {
  return line.replaceAll("##[", "## [").replaceAll("\r", "\\r");
}

function data(text: string): string {
  return text.replaceAll("##[", "## [").replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
