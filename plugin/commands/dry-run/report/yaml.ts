/** The resulting objects as YAML documents, with reasons and deletions in comments. */
import { normalizeForDiff } from "../../../../src/views/normalize-for-diff.ts";
import { nameOf, reasonOf, signs } from "./headline.ts";
import { nodeLines } from "./nodes.ts";
import { inOrder, yamlText } from "./object-diff.ts";
import { allChanges, type DryRunReport, loopLines } from "./report.ts";
import { closing, endingNotes } from "./text.ts";

/** Each changed object in its resulting state as YAML; a comment for a deleted one. */
export function yamlLines(report: DryRunReport): string[] {
  const lines = [
    ...endingNotes(report).map((text) => `# ${text}`),
    ...nodeLines(report).map(({ label, text }) => `# ${label.padEnd(8)}${text}`.replace(/ +$/, "")),
  ];
  for (const change of allChanges(report)) {
    lines.push("---", `# ${signs[change.did]} ${nameOf(change)}  ${reasonOf(change)}`.trimEnd());
    const { after, of } = change;
    if (after !== undefined)
      lines.push(
        ...yamlText(inOrder(normalizeForDiff(of, after, report.shown)))
          .trimEnd()
          .split("\n"),
      );
  }
  return [...lines, "---", ...[...loopLines(report), ...closing(report)].map((text) => `# ${text}`)];
}
