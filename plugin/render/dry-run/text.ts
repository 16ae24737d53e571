/** The answer of a dry-run as text: first what would happen and why, then the unified diff of each object, then how it ended. */
import { type Availability, isShort } from "../../../src/modes/dry-run/availability.ts";
import type { ChangeGroup, ObjectChange } from "../../../src/views/outcome.ts";
import type { Rollout } from "../../../src/views/rollout.ts";
import { type Style, wrapWords } from "../style.ts";
import { nameOf, reasonOf, signs } from "./headline.ts";
import { objectDiff } from "./object-diff.ts";
import { type DryRunReport, loopLines, verdictLine } from "./report.ts";
import { stepLines } from "./steps.ts";

/** Longer names push their own reason to the right. */
const widestName = 44;
/** With less room beside the name, a reason that does not fit stands under it. */
const roomForReasons = 60;

export function textLines(report: DryRunReport, style: Style): string[] {
  const { run } = report;
  const lines: string[] = [];
  const applied = appliedLine(report);
  if (applied !== undefined) lines.push(...hang("applied ", applied, style));
  for (const line of endingNotes(report)) lines.push(...hang("", line, style));
  if (lines.length > 0) lines.push("");
  if (run.drift.length > 0) {
    lines.push(...hang("drift   ", "without the manifests, the cluster as it is would change by itself:", style));
    lines.push(...groupLines(run.drift, run.rollouts, style), "");
  }
  for (const group of run.groups) lines.push(...groupLines([group], run.rollouts, style), "");
  if (report.steps) for (const rollout of run.rollouts) lines.push(...stepLines(rollout), "");
  for (const change of run.groups.flatMap(({ changes }) => changes)) {
    const diff = objectDiff(change, report.shown);
    if (diff.length > 0) lines.push(...diff.map((line) => painted(line, style)), "");
  }
  for (const line of loopLines(report)) lines.push(style.colour.red(line));
  for (const line of closing(report)) lines.push(...hang("", line, style));
  return lines;
}

/** `Deployment shop/web configured · Service shop/web unchanged`. */
function appliedLine({ run }: DryRunReport): string | undefined {
  const done = run.done.filter(({ did }) => did !== "not served");
  if (done.length === 0) return undefined;
  return done.map(({ of, key, did }) => `${of.kind} ${key} ${did}`).join(" · ");
}

function hang(label: string, text: string, { columns }: Style): string[] {
  const room = columns === undefined ? undefined : columns - 8;
  const [first = "", ...rest] = wrapWords(text.split(" "), room);
  return [label + first, ...rest.map((line) => `        ${line}`)];
}

/** What must be known to read the answer right. */
export function endingNotes({ run, notes }: DryRunReport): string[] {
  const named = (served: boolean): string =>
    run.notFollowed
      .filter(({ did }) => (did !== "not served") === served)
      .map(({ of, key }) => `${of.kind} ${key}`)
      .join(", ");
  const [notFollowed, notServed] = [named(true), named(false)];
  return [
    ...(notFollowed === "" ? [] : [`applied, not followed (no controller here acts on them): ${notFollowed}`]),
    ...(notServed === "" ? [] : [`not followed and not compared (no kinds of Kubernetes itself): ${notServed}`]),
    ...run.admission.map(({ text }) => text),
    ...notes,
  ];
}

function groupLines(groups: readonly ChangeGroup[], rollouts: readonly Rollout[], style: Style): string[] {
  const changes = groups.flatMap(({ changes }) => changes);
  const width = Math.min(widestName, Math.max(...changes.map((change) => nameOf(change).length)));
  return groups.flatMap((group) => {
    const rollout = rollouts.find(({ of, key }) => of.kind === group.of.kind && key === group.key);
    const own = group.changes[0];
    const isOwn = own?.key === group.key && own.of.kind === group.of.kind;
    const head = isOwn ? [] : [`  ${group.of.kind} ${group.key}`];
    return [
      ...head,
      ...group.changes.flatMap((change, index) => {
        const ready = isOwn && index === 0 ? readyText(change, rollout) : "";
        return changeLines(change, `${reasonOf(change)}${ready}`, width, style);
      }),
    ];
  });
}

/** How far down the number of ready pods went on the way. */
function readyText(change: ObjectChange, rollout: Rollout | undefined): string {
  const start = rollout?.steps[0]?.ready ?? 0;
  const end = rollout?.steps.at(-1)?.ready ?? 0;
  if (rollout === undefined || start === 0 || change.did === "deleted") return "";
  return `; ready pods ${start} → ${end}, never fewer than ${rollout.fewestReady}`;
}

function changeLines(change: ObjectChange, reason: string, width: number, style: Style): string[] {
  const sign = signs[change.did];
  const name = nameOf(change).padEnd(width);
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

/** How it ended, and what did not become available. */
export function closing(report: DryRunReport): string[] {
  const { run, validations } = report;
  return [
    ...run.refusedWrites.map(
      ({ controller, verb, kind, error, count }) =>
        `! ${controller}: ${verb} ${kind} refused${count > 1 ? ` ${count} times` : ""}: ${error}`,
    ),
    ...validations.map(({ text }) => text),
    ...run.availability.filter(isShort).map(unavailableText),
    [verdictLine(report), ...run.availability.filter((each) => !isShort(each)).map(availableText)].join(". "),
  ];
}

export function unavailableText({ of, key, available, desired, why }: Availability): string {
  return `! ${of.kind} ${key}: available ${available} of ${desired}${why === undefined ? "" : `: ${why}`}`;
}

function availableText({ of, key, available, desired }: Availability): string {
  return `${of.kind} ${key}: available ${available} of ${desired}`;
}
