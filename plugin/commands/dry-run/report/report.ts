/** All findings of a dry run: what every output format is made of. */
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

/** What a dry run found, with all that its formats print. */
export interface DryRunReport {
  /** `2 manifests over a snapshot of context dev (…)`. */
  readonly source: string;
  readonly run: DryRun;
  /** What the durations in it are measured by. */
  readonly clock: "simulated" | "real";
  /** What could not be known, a sentence each. */
  readonly notes: readonly string[];
  /** With `--server-validate`. */
  readonly validations: readonly Validation[];
  readonly manifests: readonly Manifest[];
  readonly shown: DiffVisibility;
  readonly steps: boolean;
  /** Diffs of what controllers make, too. */
  readonly showGenerated: boolean;
  /** Of `--fail-on`. */
  readonly failOn: FailConditions | undefined;
  readonly verdicts: Verdicts;
  readonly exitCode: number;
  /** How the user reaches the cluster: ` --context dev`, for commands that are advised. Default: as kubectl does by itself. */
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

/** Counts changes; one that stands for several equal objects counts as many. */
export function totalsOf(changes: readonly ObjectChange[]): Totals {
  const sum = (...did: ObjectChange["did"][]): number =>
    changes.filter((change) => did.includes(change.did)).reduce((all, { count }) => all + count, 0);
  return { created: sum("created"), changed: sum("changed", "replaced"), deleted: sum("deleted") };
}

/** `4 created, 2 changed, 3 deleted`, without what is none; `nothing would change`. */
export function totalsText({ created, changed, deleted }: Totals): string {
  const parts = [
    ...(created > 0 ? [`${created} created`] : []),
    ...(changed > 0 ? [`${changed} changed`] : []),
    ...(deleted > 0 ? [`${deleted} deleted`] : []),
  ];
  return parts.length === 0 ? "nothing would change" : parts.join(", ");
}

/** Whose controllers are Kubernetes' own: what they make follows from the spec. */
const makers: ReadonlySet<string> = new Set([...workloadKinds, "Service", "Node"]);

/** Made by a controller of Kubernetes for an object of the user. What an operator makes is not: it is what is tried. */
export function isGenerated(change: ObjectChange, { run }: Pick<DryRunReport, "run">): boolean {
  const object = change.after ?? change.before;
  if (object === undefined || !makers.has(controllerOf(object)?.kind ?? "")) return false;
  return !run.done.some(({ of, key }) => of.kind === change.of.kind && key === change.key);
}

/** Those whose diffs are printed. */
export function shownChanges(report: DryRunReport): readonly ObjectChange[] {
  const all = allChanges(report);
  // Of a node everything that follows is made by controllers.
  if (report.run.nodes !== undefined) return report.showGenerated ? all : [];
  return report.showGenerated ? all : all.filter((change) => !isGenerated(change, report));
}

/** Never "nothing would change" of what was not compared. */
function changesText(report: DryRunReport): string {
  const { unchanged } = report.verdicts;
  if (unchanged.is !== "cannot tell") return totalsText(totalsOf(allChanges(report)));
  return `cannot tell whether anything would change: ${unchanged.because}`;
}

/** How it ended, in a line: `steady after 14 syncs: 4 created`. */
export function verdictLine(report: DryRunReport): string {
  const { run } = report;
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

/** The loop that was found, and its writers; empty where there is none. */
export function loopLines({ run, clock }: DryRunReport): string[] {
  const settled = run.before.is === "loop" ? run.before : run.settled;
  if (settled.is !== "loop") return [];
  const { objects, writers, roundMs } = settled.loop;
  const when = run.before.is === "loop" ? "before anything was applied, " : "";
  return [
    `loop: ${when}the cluster returns to the same state every ${formatDuration(roundMs)}${clock === "real" ? "" : " of simulated time"}; written by ${writers.join(", ")}`,
    ...objects.map(({ of, key, paths }) => `  ${of.kind} ${key}${paths.length === 0 ? "" : `  ${paths.join(", ")}`}`),
  ];
}
