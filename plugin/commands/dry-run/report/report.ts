/** The report of a dry run, from which every output format is made. */
import { controllerOf } from "../../../../src/api/owner-references.ts";
import type { DryRun } from "../../../../src/modes/dry-run/result.ts";
import type { Validation } from "../../../../src/modes/dry-run/server-validate.ts";
import { workloadKinds } from "../../../../src/modes/dry-run/workloads.ts";
import type { Verdicts } from "../../../../src/modes/dry-run/verdicts.ts";
import type { ObjectChange } from "../../../../src/views/outcome.ts";
import type { DiffVisibility } from "../../../../src/views/normalize-for-diff.ts";
import type { Manifest } from "../../../manifests/manifests.ts";
import type { FailConditions } from "./verdict.ts";
import { formatDuration } from "../../../../src/api/duration.ts";
import { pluralize } from "../../../cli/style.ts";

/** The result of a dry run, with everything that the output formats need. */
export interface DryRunReport {
  /** `2 manifests over a snapshot of context dev (…)`. */
  readonly source: string;
  readonly run: DryRun;
  /** The clock of the durations in the report. */
  readonly clock: "simulated" | "real";
  /** What could not be determined, one sentence each. */
  readonly notes: readonly string[];
  /** The results of `--server-validate`. */
  readonly validations: readonly Validation[];
  readonly manifests: readonly Manifest[];
  readonly shown: DiffVisibility;
  readonly steps: boolean;
  /** Also show diffs of objects that controllers create. */
  readonly showGenerated: boolean;
  /** The value of `--fail-on`. */
  readonly failOn: FailConditions | undefined;
  readonly verdicts: Verdicts;
  readonly exitCode: number;
  /** The flags that select the cluster in suggested commands: ` --context dev`. Default: none. */
  readonly access?: string;
}

/** How many objects were created, changed and deleted; replaced ones count as changed. */
export interface Totals {
  readonly created: number;
  readonly changed: number;
  readonly deleted: number;
}

/** The changes of all groups, in their order. */
export function allChanges({ run }: Pick<DryRunReport, "run">): readonly ObjectChange[] {
  return run.groups.flatMap(({ changes }) => changes);
}

/** Counts changes; a folded change counts once for each object. */
export function totalsOf(changes: readonly ObjectChange[]): Totals {
  const sum = (...did: ObjectChange["did"][]): number =>
    changes.filter((change) => did.includes(change.did)).reduce((all, { count }) => all + count, 0);
  return { created: sum("created"), changed: sum("changed", "replaced"), deleted: sum("deleted") };
}

/** `4 created, 2 changed, 3 deleted`, without zeros; `nothing would change`. */
function totalsText({ created, changed, deleted }: Totals): string {
  const parts = [
    ...(created > 0 ? [`${created} created`] : []),
    ...(changed > 0 ? [`${changed} changed`] : []),
    ...(deleted > 0 ? [`${deleted} deleted`] : []),
  ];
  return parts.length === 0 ? "nothing would change" : parts.join(", ");
}

/** Kinds with built-in controllers, whose dependents follow from the spec. */
const makers: ReadonlySet<string> = new Set([...workloadKinds, "Service", "Node"]);

/** Whether an object was created by a built-in controller. Objects of operators do not count, because their behaviour is what is tested. */
export function isGenerated(change: ObjectChange, { run }: Pick<DryRunReport, "run">): boolean {
  const object = change.after ?? change.before;
  if (object === undefined || !makers.has(controllerOf(object)?.kind ?? "")) return false;
  return !run.done.some(({ of, key }) => of.kind === change.of.kind && key === change.key);
}

/** The changes whose diffs are printed. */
export function shownChanges(report: DryRunReport): readonly ObjectChange[] {
  const all = allChanges(report);
  // All effects of a node are made by controllers.
  if (report.run.nodes !== undefined) return report.showGenerated ? all : [];
  return report.showGenerated ? all : all.filter((change) => !isGenerated(change, report));
}

/** The totals as text. Without a comparison, it never states "nothing would change". */
function changesText(report: DryRunReport): string {
  const { unchanged } = report.verdicts;
  if (unchanged.is !== "cannot tell") return totalsText(totalsOf(allChanges(report)));
  return `cannot tell whether anything would change: ${unchanged.because}`;
}

/** The outcome in one line: `steady after 14 syncs: 4 created`. */
export function verdictLine(report: DryRunReport): string {
  const { run } = report;
  if (run.before.is === "loop") return "never steady, even before anything was applied: nothing was applied";
  if (run.before.is === "horizon")
    return `not steady within ${formatDuration(run.before.horizonMs)}, even before anything was applied: nothing was applied`;
  const totals = changesText(report);
  switch (run.settled.is) {
    case "steady":
      return `steady after ${pluralize(run.syncs, "sync")}: ${totals}`;
    case "loop":
      return `never steady, after ${pluralize(run.syncs, "sync")}: ${totals} so far`;
    case "horizon":
      return `not steady within ${formatDuration(run.settled.horizonMs)}, after ${pluralize(run.syncs, "sync")}: ${totals} so far`;
  }
}

/** Why it is not steady: the loop and its writers, or what was still changing; empty if it is steady. */
export function loopLines({ run, clock }: DryRunReport): string[] {
  const settled = run.before.is === "steady" ? run.settled : run.before;
  if (settled.is === "horizon" && settled.changing !== undefined && settled.changing.length > 0)
    return [`still changing: ${settled.changing.map(({ of, key }) => `${of.kind} ${key}`).join(", ")}`];
  if (settled.is !== "loop") return [];
  const { is, objects, writers, roundMs } = settled.loop;
  const when = run.before.is === "loop" ? "before anything was applied, " : "";
  const time = clock === "real" ? "" : " of simulated time";
  const isWritten = objects.some(({ paths }) => paths.length > 0);
  const [again, done] = isWritten ? ["new values are written", "written"] : ["a key is synced", "synced"];
  const what = {
    recurring: `the cluster returns to the same state every ${formatDuration(roundMs)}${time}; written`,
    endless: `${again} over and over within 1 s${time}; ${done}`,
    spreading: "objects are created without end, each by the sync of an earlier one; created",
  }[is];
  return [
    `loop: ${when}${what} by ${writers.join(", ")}`,
    ...objects.map(({ of, key, paths }) => `  ${of.kind} ${key}${paths.length === 0 ? "" : `  ${paths.join(", ")}`}`),
  ];
}
