/** The answer of a dry-run as JSON lines: a public format, version 1; docs/dry-run.md describes it. */
import type { ObjectChange } from "../../../src/views/outcome.ts";
import { type Shown, shownForm } from "../../../src/views/shown-form.ts";
import { allChanges, type DryRunReport, totalsOf } from "./report.ts";

export function reportAsJson(report: DryRunReport): readonly string[] {
  const { run, source, notes, validations, shown } = report;
  const lines: object[] = [
    { is: "source", text: source },
    ...run.done.map(({ of, key, did }) => ({ is: "applied", ...of, key, did })),
    ...run.notFollowed.map(({ of, key }) => ({ is: "not-followed", ...of, key })),
    ...run.admission.map((note) => ({ is: "admission", ...note })),
    ...notes.map((text) => ({ is: "note", text })),
    ...run.drift.flatMap(({ changes }) => changes).map((change) => ({ is: "drift", ...plain(change, shown) })),
    ...allChanges(report).map((change) => ({ is: "change", ...plain(change, shown) })),
    ...run.refusedWrites.map((refused) => ({ is: "refused", ...refused })),
    ...validations.map((validation) => ({ is: "validation", outcome: validation.is, text: validation.text })),
  ];
  if (report.steps) {
    for (const { of, key, steps } of run.rollouts)
      lines.push(...steps.map((step) => ({ is: "step", ...of, key, ...step })));
  }
  lines.push(
    ...run.availability.map(({ of, key, available, desired, why }) => ({
      is: "availability",
      ...of,
      key,
      available,
      desired,
      ...(why !== undefined && { why }),
    })),
    {
      is: "end",
      settled: run.before.is === "steady" ? run.settled : run.before,
      syncs: run.syncs,
      ...totalsOf(allChanges(report)),
      exitCode: report.exitCode,
    },
  );
  return lines.map((line) => JSON.stringify({ v: 1, ...line }));
}

function plain(change: ObjectChange, shown: Shown): object {
  const { did, of, key, count, causes, before, after } = change;
  return {
    did,
    ...of,
    key,
    count,
    causes,
    ...(before !== undefined && {
      before: shownForm(of, before, shown, after === undefined ? undefined : { object: after, is: "after" }),
    }),
    ...(after !== undefined && {
      after: shownForm(of, after, shown, before === undefined ? undefined : { object: before, is: "before" }),
    }),
  };
}
