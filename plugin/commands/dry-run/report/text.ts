/**
 * The report of a dry run as text: what would happen and why, the unified diff of each object, and how it ended. On a terminal the
 * diffs come first, so that the rest is what stays on the screen.
 */
import { assumptionText } from "../../../../src/modes/dry-run/claims.ts";
import type { OpenClaim } from "../../../../src/modes/dry-run/open-claims.ts";
import type { AppliedChange } from "../../../../src/modes/dry-run/apply.ts";
import type { ChangeGroup, ObjectChange } from "../../../../src/views/outcome.ts";
import { pluralize, type Style, wrapWords } from "../../../cli/style.ts";
import { availableTexts, closingNotes, laterTexts, nextRunsTexts } from "./closing.ts";
import { nameOf, namedOrCounted, plural, readyText, reasonOf, signs } from "./headline.ts";
import { nodeLines } from "./nodes.ts";
import { objectDiff } from "./object-diff.ts";
import { type DryRunReport, allChanges, loopLines, shownChanges, verdictLine } from "./report.ts";
import { stepLines } from "./steps.ts";

/** The maximum width of the name column; longer names push their reason to the right. */
const maxNameWidth = 44;
/** With less room than this beside the name, a reason that does not fit is printed below it. */
const roomForReasons = 60;

/** The report as lines for a terminal or a pipe, diffs included. */
export function textLines(report: DryRunReport, style: Style): string[] {
  const { run } = report;
  const lines: string[] = [];
  const applied = appliedLine(report);
  if (applied !== undefined) lines.push(...hang("applied ", applied, style));
  for (const line of endingNotes(report)) lines.push(...hang("", line, style));
  if (lines.length > 0) lines.push("");
  if (run.drift.length > 0) {
    lines.push(...hang("drift   ", "even without the change, the cluster would change:", style));
    lines.push(...groupLines(run.drift, report, style), "");
  }
  const story = [
    ...storyLines(report, style),
    ...(report.steps ? run.rollouts.flatMap((each) => [...stepLines(each), ""]) : []),
  ];
  const diffs = diffLines(report, style);
  // On a terminal, the last lines stay on the screen; a file is read from the start.
  lines.push(...(style.columns === undefined ? [...story, ...diffs] : [...diffs, ...story]));
  for (const { label, text } of nodeLines(report))
    lines.push(...hang(label === "" ? "" : label.padEnd(8), text, style));
  if (run.nodes !== undefined) lines.push("");
  for (const line of loopLines(report)) lines.push(style.colour.red(line));
  for (const line of closing(report)) lines.push(...hang("", line, style));
  return lines;
}

function storyLines(report: DryRunReport, style: Style): string[] {
  const { single, rest } = foldedGroups(report.run.groups);
  const lines = rest.flatMap((group) => [...groupLines([group], report, style), ""]);
  for (const changes of single) lines.push(...foldedLines(changes, style), "");
  return lines;
}

function diffLines(report: DryRunReport, style: Style): string[] {
  const shown = shownChanges(report);
  const lines = shown.flatMap((change) => {
    const diff = objectDiff(change, report.shown);
    return diff.length === 0 ? [] : [...diff.map((line) => painted(line, style)), ""];
  });
  const left =
    allChanges(report).reduce((sum, { count }) => sum + count, 0) - shown.reduce((sum, { count }) => sum + count, 0);
  if (left === 0 || lines.length === 0) return lines;
  const them = `diffs left out: ${pluralize(left, "object")} made by controllers (--show-generated prints them)`;
  return [...lines, ...hang("", them, style), ""];
}

/** `Deployment shop/web configured · 12 Services unchanged`: many objects of a kind are counted. */
function appliedLine({ run }: DryRunReport): string | undefined {
  const done = run.done.filter(({ did }) => did !== "not compared");
  if (done.length === 0) return undefined;
  const named = (each: AppliedChange): string => `${each.of.kind} ${each.key} ${each.did}`;
  if (done.length <= namedObjects) return done.map(named).join(" · ");
  const alike = Map.groupBy(done, ({ of, did }) => `${of.kind} ${did}`);
  return [...alike.values()]
    .flatMap((each) => {
      const [first] = each;
      if (first === undefined || each.length === 1) return each.map(named);
      return [`${each.length} ${plural(first.of.kind)} ${first.did}`];
    })
    .join(" · ");
}

const namedObjects = 6;

function hang(label: string, text: string, { columns }: Style): string[] {
  const room = columns === undefined ? undefined : columns - 8;
  const [first = "", ...rest] = wrapWords(text.split(" "), room);
  return [label + first, ...rest.map((line) => `        ${line}`)];
}

/** Notes that are needed to interpret the report. */
export function endingNotes({ run, notes, validations }: DryRunReport): string[] {
  const notFollowed = run.notFollowed.filter(({ did }) => did !== "not compared");
  const notCompared = run.notFollowed.filter(({ did }) => did === "not compared");
  const merged = run.done.filter(
    ({ did, isCustom = false, changes = [] }) =>
      isCustom && (did === "created" || changes.length > 0) && validations.length === 0,
  );
  return [
    ...(notFollowed.length === 0
      ? []
      : [`applied, not followed (no controller here acts on them): ${namedOrCounted(notFollowed)}`]),
    ...[...Map.groupBy(merged, ({ hasDefaults }) => hasDefaults === true)].map(
      ([hasDefaults, each]) =>
        `merged as kubectl apply does, without the ${hasDefaults ? "" : "defaults and "}checks of their kinds: ${namedOrCounted(each)}`,
    ),
    ...[...Map.groupBy(notCompared, ({ why = "" }) => why)].map(
      ([why, each]) => `not compared (${why}): ${namedOrCounted(each)}`,
    ),
    ...[...Map.groupBy(run.claims, ({ binding }) => claimText(binding, 1)).values()].flatMap((claims) =>
      claims.slice(0, 1).map(({ binding }) => `${namedOrCounted(claims)}: ${claimText(binding, claims.length)}`),
    ),
    ...run.admission.map(({ text }) => text),
    ...notes,
  ];
}

function claimText(binding: OpenClaim["binding"], count: number): string {
  if (binding.is !== "waits") return assumptionText(binding);
  return `${count === 1 ? "stays" : "stay"} Pending: ${binding.why}`;
}

interface Folded {
  /** Objects of one kind that were created by the apply and did not change afterwards. */
  readonly single: readonly (readonly ObjectChange[])[];
  readonly rest: readonly ChangeGroup[];
}

/** At least this many objects of a kind without a reason share a line. */
const foldedFrom = 8;

function foldedGroups(groups: readonly ChangeGroup[]): Folded {
  const isPlain = ({ changes }: ChangeGroup): boolean => {
    const [only, ...others] = changes;
    return others.length === 0 && only?.did === "created" && reasonOf(only) === "applied";
  };
  const byKind = Map.groupBy(groups.filter(isPlain), ({ of }) => of.kind);
  const many = [...byKind.values()].filter((each) => each.length >= foldedFrom);
  const folded = new Set(many.flat());
  return {
    single: many.map((each) => each.flatMap(({ changes }) => changes)),
    rest: groups.filter((group) => !folded.has(group)),
  };
}

function foldedLines(changes: readonly ObjectChange[], style: Style): string[] {
  const kind = changes[0]?.of.kind ?? "";
  const name = `${changes.length} ${plural(kind)}`;
  const keys = changes.slice(0, 2).map(({ key }) => key);
  return lineOf("+", name, `applied: ${keys.join(", ")} and ${changes.length - keys.length} more`, style);
}

function groupLines(groups: readonly ChangeGroup[], { run }: DryRunReport, style: Style): string[] {
  const changes = groups.flatMap(({ changes }) => changes);
  const width = Math.min(maxNameWidth, Math.max(...changes.map((change) => nameOf(change).length)));
  return groups.flatMap((group) => {
    const own = group.changes[0];
    const isOwn = own?.key === group.key && own.of.kind === group.of.kind;
    const head = isOwn ? [] : [`  ${group.of.kind} ${group.key}`];
    return [
      ...head,
      ...group.changes.flatMap((change, index) => {
        const ready = isOwn && index === 0 ? readyText(change, run.rollouts) : "";
        return lineOf(signs[change.did], nameOf(change).padEnd(width), `${reasonOf(change)}${ready}`, style);
      }),
    ];
  });
}

function lineOf(sign: string, name: string, reason: string, style: Style): string[] {
  const head = `${sign} ${name}  `;
  const shown = `${paintSign(sign, style)} ${name}  `;
  const { columns } = style;
  const room = columns === undefined ? undefined : columns - head.length;
  if (room !== undefined && room < roomForReasons && reason.length > room) {
    return [shown.trimEnd(), ...wrapWords(reason.split(" "), (columns ?? 80) - 4).map((line) => `    ${line}`)];
  }
  const [first = "", ...rest] = wrapWords(reason.split(" "), room);
  return [(shown + first).trimEnd(), ...rest.map((line) => " ".repeat(head.length) + line)];
}

function paintSign(sign: string, { colour }: Style): string {
  if (sign === "+") return colour.green(sign);
  return sign === "-" ? colour.red(sign) : colour.yellow(sign);
}

function painted(line: string, { colour }: Style): string {
  if (line.startsWith("+++") || line.startsWith("---")) return colour.bold(line);
  if (line.startsWith("+")) return colour.green(line);
  if (line.startsWith("-")) return colour.red(line);
  return line.startsWith("@@") ? colour.cyan(line) : line;
}

/** The outcome, and what did not become available. */
export function closing(report: DryRunReport): string[] {
  const available = availableTexts(report);
  return [
    ...closingNotes(report),
    ...nextRunsTexts(report.run.nextRuns),
    ...laterTexts(report.run),
    [verdictLine(report), ...available].join(". "),
  ];
}
