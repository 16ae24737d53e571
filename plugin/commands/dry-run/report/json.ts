/** The report of a dry run as JSON lines: a public format, version 1; docs/dry-run.md describes it. */
import type { Evidence } from "../../../../src/verdict/verdict.ts";
import type { NodeEffects } from "../../../../src/modes/dry-run/node-effects.ts";
import type { ObjectChange } from "../../../../src/views/outcome.ts";
import { type DiffVisibility, normalizeForDiff } from "../../../../src/views/normalize-for-diff.ts";
import { allChanges, type DryRunReport, totalsOf } from "./report.ts";

/** The report as JSON lines, each an object with `v` and `is`. */
export function reportAsJson(report: DryRunReport): readonly string[] {
  const { run, source, notes, validations, shown, verdicts } = report;
  const lines: object[] = [
    { is: "source", text: source },
    ...run.done.map(({ of, key, did }) => ({ is: "applied", ...of, key, did })),
    ...run.notFollowed.map(({ of, key }) => ({ is: "not-followed", ...of, key })),
    ...run.admission.map((note) => ({ is: "admission", ...note })),
    ...notes.map((text) => ({ is: "note", text })),
    ...run.drift.flatMap(({ changes }) => changes).map((change) => ({ is: "drift", ...plain(change, shown) })),
    ...allChanges(report).map((change) => ({ is: "change", ...plain(change, shown) })),
    ...run.refusedWrites.map((refused) => ({ is: "refused", ...refused })),
    ...run.notSynced.map((each) => ({ is: "not-synced", ...each })),
    ...validations.map(({ is: outcome, text }) => ({ is: "validation", outcome, text })),
  ];
  if (report.steps) {
    for (const { of, key, steps } of run.rollouts)
      lines.push(...steps.map((step) => ({ is: "step", ...of, key, ...step })));
  }
  lines.push(...nodeObjects(run.nodes));
  lines.push(
    ...run.availability.map(({ of, key, available, desired, why, isUnknown }) => ({
      is: "availability",
      ...of,
      key,
      available,
      desired,
      ...(why !== undefined && { why }),
      ...(isUnknown === true && { isUnknown }),
    })),
    ...run.nextRuns.map((runs) => ({
      is: "next-runs",
      ...runs.of,
      key: runs.key,
      times: runs.times,
      timeZone: runs.timeZone,
      ...(runs.countedFrom !== undefined && { countedFrom: runs.countedFrom }),
    })),
    ...run.references.dangling.map(({ of, key, field, why }) => ({ is: "dangling", ...of, key, field, why })),
    ...unseenLines("available", verdicts.available.evidence),
    ...unseenLines("references", verdicts.references.evidence),
    ...unseenLines("deletions", verdicts.deletions.evidence),
    {
      is: "end",
      settled: run.before.is === "steady" ? run.settled : run.before,
      syncs: run.syncs,
      ...totalsOf(allChanges(report)),
      available: verdicts.available.is,
      references: verdicts.references.is,
      deletions: verdicts.deletions.is,
      unchanged: verdicts.unchanged.is,
      exitCode: report.exitCode,
    },
  );
  return lines.map((line) => JSON.stringify({ v: 1, ...line }));
}

/** The effects of nodes: a line for each node, each of its pods, and each Service without endpoints. */
function nodeObjects(nodes: NodeEffects | undefined): readonly object[] {
  if (nodes === undefined) return [];
  return [
    ...nodes.nodes.map((node) => ({ is: "node", ...node })),
    ...nodes.fates.map(({ replacement: _pod, workload, ...fate }) => ({
      is: "fate",
      ...fate,
      workload: { ...workload.of, key: workload.key },
    })),
    ...nodes.outages.map((outage) => ({ is: "outage", ...outage })),
  ];
}

/** The lines for what a verdict could not examine. */
function unseenLines(verdict: string, { unseen }: Evidence): object[] {
  return unseen.map(({ what, why, isDecisive }) => ({ is: "unseen", verdict, what, why, isDecisive }));
}

function plain(change: ObjectChange, shown: DiffVisibility): object {
  const { did, of, key, count, causes, before, after } = change;
  return {
    did,
    ...of,
    key,
    count,
    causes,
    ...(before !== undefined && {
      before: normalizeForDiff(of, before, shown, after === undefined ? undefined : { object: after, is: "after" }),
    }),
    ...(after !== undefined && {
      after: normalizeForDiff(of, after, shown, before === undefined ? undefined : { object: before, is: "before" }),
    }),
  };
}
