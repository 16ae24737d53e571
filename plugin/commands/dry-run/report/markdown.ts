/** The report of a dry run as Markdown: for a job's summary, or a comment on a pull request. */
import { pluralize } from "../../../cli/style.ts";
import { availableTexts, closingNotes, laterTexts, nextRunsTexts } from "./closing.ts";
import { nameOf, readyText, reasonOf, signs } from "./headline.ts";
import { nodeLines } from "./nodes.ts";
import { objectDiff } from "./object-diff.ts";
import { allChanges, type DryRunReport, loopLines, shownChanges, verdictLine } from "./report.ts";
import { stepLines } from "./steps.ts";
import { endingNotes } from "./text.ts";

/** Longer diffs are omitted, because GitHub truncates a summary at 1 MiB. */
const maxDiffLength = 500_000;

/** The report for a pull request's comment or a job's summary. Text of manifests and servers is escaped. */
export function markdownLines(report: DryRunReport): string[] {
  const changes = allChanges(report);
  const lines = ["### kubectl reconcile dry-run", "", `**${escaped(verdictLine(report))}**`, ""];
  const available = availableTexts(report);
  for (const text of [
    ...loopLines(report),
    ...closingNotes(report),
    ...available,
    ...nextRunsTexts(report.run.nextRuns),
    ...laterTexts(report.run),
    ...endingNotes(report),
  ]) {
    lines.push(`- ${escaped(text.replace(/^! /, "⚠ "))}`);
  }
  lines.push(`- begins with ${escaped(report.source)}`, "");
  for (const { label, text } of nodeLines(report)) {
    if (label !== "") lines.push(`- ${label}: ${escaped(text)}`);
    else lines.push(...(lines.at(-1) === "" ? [] : [""]), `**${escaped(text)}**`, "");
  }
  if (report.run.nodes !== undefined) lines.push("");
  if (report.run.drift.length > 0) {
    const names = report.run.drift.flatMap((group) => group.changes.map(nameOf));
    lines.push(`Even without the change the cluster would change: ${escaped(names.join(", "))}`, "");
  }
  if (changes.length > 0) {
    lines.push("| | object | why |", "|---|---|---|");
    for (const change of changes) {
      lines.push(
        `| ${signs[change.did]} | ${cell(nameOf(change))} | ${cell(`${reasonOf(change)}${readyText(change, report.run.rollouts)}`)} |`,
      );
    }
    lines.push("");
  }
  if (report.steps) for (const rollout of report.run.rollouts) lines.push("```", ...stepLines(rollout), "```", "");
  return [...lines, ...details(report)];
}

function details(report: DryRunReport): string[] {
  const lines: string[] = [];
  let length = 0;
  let left = 0;
  for (const change of shownChanges(report)) {
    const diff = objectDiff(change, report.shown);
    if (diff.length === 0) continue;
    length += diff.join("\n").length;
    if (length > maxDiffLength) left++;
    else {
      lines.push(`<details><summary>${escaped(`${signs[change.did]} ${nameOf(change)}`)}</summary>`, "");
      // Every line of a diff starts with a sign, so none can end the code fence.
      lines.push("````diff", ...diff, "````", "", "</details>", "");
    }
  }
  return left === 0
    ? lines
    : [...lines, `The diffs of ${pluralize(left, "more object")} are left out: they are too long.`, ""];
}

function escaped(text: string): string {
  return text.replace(/[\\`*_<>[\]]/g, "\\$&");
}

function cell(text: string): string {
  return escaped(text).replaceAll("|", "\\|").replaceAll("\n", " ");
}
