/** The answer of `why` as text: the verdict, the first cause, then what to do. */
import type { Change } from "../../../src/diagnosis/changes.ts";
import type { Answer } from "../../../src/diagnosis/answer.ts";
import { notSeen } from "../../../src/diagnosis/answer.ts";
import { type Finding, findingsOf, isSameRef, refText } from "../../../src/diagnosis/diagnosis.ts";
import type { LastWrite } from "../../../src/diagnosis/last-writes.ts";
import { commandLines, withCommand } from "../../render/command-text.ts";
import { formatDuration } from "../../../src/api/duration.ts";
import { pluralize, type Style, wrapWords } from "../../cli/style.ts";

/** Objects shown per finding. */
const shownAlike = 3;
const shownFindings = 8;
const shownAdvice = 2;
const labelWidth = 12;

/** Options for the text of answers. */
export interface AnswerTextOptions {
  readonly style: Style;
  /** The time of the reading, in ms since 1970. */
  readonly now: number;
  /** Whether names include their namespace. */
  readonly withNamespaces?: boolean;
  /** The command that follows the object live; undefined if none of our controllers reconciles it. */
  readonly follow: string | undefined;
  /** The command of an advice, ready to paste; empty if it would not work. */
  readonly adviceText: (advice: NonNullable<Finding["advice"]>[number]) => string;
}

/** The full answer about one object. */
export function answerLines(answer: Answer, options: AnswerTextOptions): string[] {
  const { style, now, follow } = options;
  return [
    ...shortAnswerLines(answer, options),
    ...answer.notes.flatMap((note) => labelled("note", note, style)),
    ...answer.warnings.flatMap(({ at, text, seenAt, count }) => {
      const where = isSameRef(at, answer.of) ? "" : `${refText(at)} · `;
      const times = count > 1 ? `, ${count} times` : "";
      return labelled("warning", `${where}${text} (${agoText(now - seenAt)}${times})`, style);
    }),
    ...answer.next.flatMap((next) => labelled("next", next, style)),
    ...answer.changes.flatMap((change) => labelled("changed", changeText(change, now), style)),
    ...answer.lastWrites.flatMap((write) =>
      labelled(write.part === "status" ? "last status" : "last write", writeText(write), style),
    ),
    ...ownersLines(answer, style),
    ...dimmed(seenText(answer), style),
    ...closing(follow, style),
  ];
}

/** The short answer about one of many objects: the verdict, its causes, and what to do. */
export function shortAnswerLines(answer: Answer, options: AnswerTextOptions): string[] {
  const { style, now, adviceText, withNamespaces } = options;
  const { colour } = style;
  const paint = {
    well: colour.green,
    waiting: colour.yellow,
    failed: colour.red,
    "being deleted": colour.yellow,
    "cannot tell": colour.yellow,
  };
  const head = wrapped(`${titleOf(answer, withNamespaces)}${verdictText(answer)}: ${answer.says}`, style, "", "  ");
  const lines = head.map((line) => paint[answer.is](line));
  const findings = findingsOf(answer);
  // The first line may already show it.
  const others = findings.filter(({ at, why }) => !(isSameRef(at, answer.of) && why === answer.says));
  const groups = grouped(others);
  const shown = groups.length > shownFindings + 1 ? groups.slice(0, shownFindings) : groups;
  for (const group of shown) lines.push(...wrapped(findingText(group, answer, now), style, "  ", "    "));
  if (groups.length > shown.length) lines.push(`  and ${pluralize(groups.length - shown.length, "more reason")}`);
  return [...lines, ...adviceOf(findings, adviceText).flatMap((command) => tryLines(command, style))];
}

/** The suggested commands for the first causes; similar findings share theirs. */
export function adviceOf(findings: readonly Finding[], adviceText: AnswerTextOptions["adviceText"]): readonly string[] {
  const advice = grouped(findings).flatMap(({ findings: alike }) => alike[0]?.advice ?? []);
  return [...new Set(advice.map(adviceText).filter((text) => text !== ""))].slice(0, shownAdvice);
}

/** `Deployment web`, `Deployment shop/web`. */
export function titleOf({ of }: Pick<Answer, "of">, withNamespace = false): string {
  return withNamespace && of.namespace !== "" ? `${of.kind.kind} ${of.namespace}/${of.name}` : refText(of);
}

/** Summaries of states that last until something is changed. */
const resting =
  /^(Node|Service|Ingress|ClusterRole|.*AdmissionPolicy|PodDisruptionBudget|ResourceQuota|HorizontalPodAutoscaler|.*Binding|.*WebhookConfiguration|CustomResourceDefinition|PersistentVolume|CronJob|APIService)$/;

/** Whether the object is only waiting, without findings, and the next step is known. */
const isUnderWay = (answer: Answer): boolean =>
  answer.next.length > 0 && findingsOf(answer).every(({ why }) => why === answer.says);

function verdictText(answer: Answer): string {
  const { is, of } = answer;
  switch (is) {
    case "well":
      return " is as it should be";
    case "waiting":
      return resting.test(of.kind.kind) && !isUnderWay(answer) ? " has a problem" : " is waiting";
    case "failed":
      return " has failed";
    case "being deleted":
      return " is being deleted";
    case "cannot tell":
      return ": cannot tell";
  }
}

/** The evidence for the verdict, if it could be doubted, and what could not be examined. */
function seenText(answer: Answer): string {
  const { seen } = answer.verdict.evidence;
  const isDoubtful = answer.is === "well" || answer.is === "cannot tell";
  const looked = isDoubtful && seen.length > 0 ? `looked at: ${seen.join(", ")}` : "";
  return [looked, notSeen(answer)].filter((text) => text !== "").join("; ");
}

/** `.spec.replicas  by kubectl-edit, 48 s ago`. */
function writeText({ managers, agoMs, field, untimed }: LastWrite): string {
  const timed = managers.length === 0 ? "" : `by ${managers.join(" or ")}, ${agoText(agoMs)}`;
  const others = untimed.length === 0 ? "" : `by ${untimed.join(" or ")}, at a time that is not recorded`;
  const who = [timed, others].filter((text) => text !== "").join("; or ");
  return field === undefined ? who : `${field}  ${who}`;
}

function changeText({ text, by, at }: Change, now: number): string {
  return `${text}${by === undefined ? "" : `, by ${by}`}, ${agoText(now - at)}`;
}

function agoText(ms: number): string {
  return ms < 1000 ? "just now" : `${formatDuration(ms)} ago`;
}

function ownersLines({ owners }: Answer, style: Style): string[] {
  return owners.length === 0 ? [] : labelled("owned by", owners.map(refText).join(", of "), style);
}

interface Group {
  readonly findings: readonly Finding[];
}

/** Objects with the same finding share a line. */
function grouped(findings: readonly Finding[]): readonly Group[] {
  const groups = Map.groupBy(findings, ({ at, why }) => `${at.kind.kind} ${at.kind.group} ${at.namespace} ${why}`);
  return [...groups.values()].map((each) => ({ findings: each }));
}

function findingText({ findings }: Group, { of }: Answer, now: number): string {
  const [first] = findings;
  if (first === undefined) return "";
  const why = `${first.why}${sinceText(findings, now)}`;
  if (isSameRef(first.at, of)) return why;
  const { kind } = first.at;
  const names = findings.slice(0, shownAlike).map(({ at }) => at.name);
  const more = findings.length > shownAlike ? ` and ${findings.length - shownAlike} more` : "";
  const who =
    findings.length === 1 ? refText(first.at) : `${findings.length} ${pluralOf(kind.kind)} ${names.join(", ")}${more}`;
  return `${who}  ${why}`;
}

function pluralOf(kind: string): string {
  if (/(s|x|ch|sh)$/.test(kind)) return `${kind}es`;
  return /[^aeiou]y$/.test(kind) ? `${kind.slice(0, -1)}ies` : `${kind}s`;
}

/** ` (for 3 s to 35 m 59 s)`, in whole seconds. */
function sinceText(findings: readonly Finding[], now: number): string {
  const times = findings.flatMap(({ since }) => (since === undefined ? [] : [since]));
  if (times.length === 0) return "";
  const [longest, shortest] = [now - Math.min(...times), now - Math.max(...times)];
  if (longest < 1000) return "";
  const isRange = formatDuration(longest) !== formatDuration(shortest) && longest - shortest > 2000;
  return ` (for ${isRange ? `${formatDuration(Math.max(0, shortest))} to ` : ""}${formatDuration(longest)})`;
}

function dimmed(text: string, style: Style): string[] {
  if (text === "") return [];
  return wrapped(text, style, "", "  ").map((line) => style.colour.dim(line));
}

function labelled(label: string, text: string, style: Style): string[] {
  return wrapped(text, style, `  ${label.padEnd(labelWidth)}`, " ".repeat(labelWidth + 2));
}

/** `  try         kubectl logs web-x -n shop`. */
function tryLines(command: string, { columns }: Style): string[] {
  const hang = " ".repeat(labelWidth + 2);
  const lines = commandLines(command, columns === undefined ? undefined : columns - hang.length);
  return lines.map((line, index) => (index === 0 ? `  ${"try".padEnd(labelWidth)}` : hang) + line);
}

function closing(follow: string | undefined, { columns, colour }: Style): string[] {
  if (follow === undefined) return [colour.dim("Nothing was written.")];
  return withCommand("Nothing was written. Follow it live:", follow, columns).map((line) => colour.dim(line));
}

function wrapped(text: string, { columns }: Style, head: string, hang: string): string[] {
  const room = columns === undefined ? undefined : columns - Math.max(head.length, hang.length);
  const [first = "", ...rest] = wrapWords(text.split(" "), room);
  // Wrapping may leave spaces at the end of a line.
  return [head + first, ...rest.map((line) => hang + line)].map((line) => line.trimEnd());
}
