/** The findings of a dry run: errors of the API server, unavailable workloads, dangling references, and what could not be examined. */
import { type Availability, isShort } from "../../../../src/modes/dry-run/availability.ts";
import type { DanglingReference } from "../../../../src/modes/dry-run/dangling.ts";
import { unsyncedAsUnseen } from "../../../../src/modes/dry-run/failing.ts";
import type { NextRuns } from "../../../../src/modes/dry-run/next-runs.ts";
import { formatDuration } from "../../../../src/api/duration.ts";
import { type Unseen, unseenText } from "../../../../src/verdict/verdict.ts";
import { pluralize } from "../../../cli/style.ts";
import { namedOrCounted } from "./headline.ts";
import type { DryRunReport } from "./report.ts";

/** Findings shown of each kind; the rest is counted. */
const shownFindings = 10;

/** One line per finding, with `! ` for a problem and `? ` for what cannot be judged. */
export function closingNotes({ run, validations, verdicts }: DryRunReport): string[] {
  const short = run.availability.filter(isShort);
  return [
    ...run.refusedWrites.map(
      ({ controller, verb, kind, error, count }) =>
        `! ${controller}: ${verb} ${kind} refused${count > 1 ? ` ${count} times` : ""}: ${error}`,
    ),
    ...notSyncedTexts(run).map((text) => `? ${text}`),
    ...validations.map(({ text }) => text),
    ...short.slice(0, shownFindings).map(unavailableText),
    ...more(short, "not available"),
    ...run.references.dangling.slice(0, shownFindings).map(danglingText),
    ...more(run.references.dangling, "dangling"),
    ...unjudgedLines(decisivelyUnseen({ run, verdicts })),
    ...run.held.map((each) => `? ${heldText(each)}`),
    ...(run.references.unseen.length === 0 ? [] : [`? references ${unseenText(run.references.unseen)}`]),
  ];
}

/** What cannot be judged to become available; keys that could not be synced are named separately. */
export function decisivelyUnseen({ run, verdicts }: Pick<DryRunReport, "run" | "verdicts">): readonly Unseen[] {
  const unsynced = new Set(unsyncedAsUnseen(run.notSynced).map(({ what }) => what));
  return verdicts.available.evidence.unseen.filter(({ what, isDecisive }) => isDecisive && !unsynced.has(what));
}

/** `not synced: scaler shop/web: boom`; only the first of many, those that the verdicts depend on first. */
export function notSyncedTexts({ notSynced }: DryRunReport["run"]): readonly string[] {
  const worst = notSynced.toSorted((a, b) => Number(b.isDecisive) - Number(a.isDecisive));
  const texts = worst.slice(0, shownFindings).map(({ controller, key, error, isDecisive }) => {
    return `not synced${isDecisive ? "" : ", before the changes as well"}: ${controller} ${key}: ${error}`;
  });
  const left = notSynced.length - texts.length;
  return left === 0 ? texts : [...texts, `not synced: ${pluralize(left, "other key")}`];
}

function unjudgedLines(unseen: readonly Unseen[]): string[] {
  const lines = unseen
    .slice(0, shownFindings)
    .map(({ what, why }) => `? ${what}: cannot tell whether it becomes available: ${why}`);
  const left = unseen.length - lines.length;
  return left === 0 ? lines : [...lines, `? and ${pluralize(left, "other object")} that cannot be judged`];
}

function more(findings: readonly Pick<Availability, "of" | "key">[], what: string): string[] {
  const left = findings.slice(shownFindings);
  return left.length === 0 ? [] : [`! and ${left.length} more ${what}: ${namedOrCounted(left)}`];
}

/** `Namespace shop: cannot tell what is deleted with it: …`. */
export function heldText({ what, why }: Unseen): string {
  return `${what}: cannot tell what is deleted with it: ${why}`;
}

/** `! Deployment shop/web: available 1 of 3: …`. */
export function unavailableText({ of, key, available, desired, why }: Availability): string {
  return `! ${of.kind} ${key}: available ${available} of ${desired}${why === undefined ? "" : `: ${why}`}`;
}

/** `! Deployment shop/web .spec.template.spec.volumes[0].configMap.name: there is no ConfigMap shop/settings`. */
export function danglingText({ of, key, field, why }: DanglingReference): string {
  return `! ${of.kind} ${key} ${field}: ${why}`;
}

/** `Deployment shop/web: available 4 of 4`; many are combined into one line. What may not become available is not named here. */
export function availableTexts({ run, verdicts }: DryRunReport): readonly string[] {
  const doubtful = new Set(decisivelyUnseen({ run, verdicts }).map(({ what }) => what));
  const availability = run.availability.filter(
    (each) => !isShort(each) && !doubtful.has(`${each.of.kind} ${each.key}`),
  );
  if (availability.length > shownAvailable) return [`${namedOrCounted(availability)} available`];
  return availability.map(
    ({ of, key, available, desired }) => `${of.kind} ${key}: available ${available} of ${desired}`,
  );
}

/** `CronJob shop/nightly: next runs 2026-01-01T03:00:00Z, …`; only the first of many. */
export function nextRunsTexts(nextRuns: readonly NextRuns[]): readonly string[] {
  const texts = nextRuns.slice(0, shownFindings).map(({ of, key, times, timeZone, countedFrom }) => {
    const details = [
      ...(timeZone === "UTC" ? [] : [`its schedule is in ${timeZone}`]),
      ...(countedFrom === undefined ? [] : [`counted from ${countedFrom}`]),
    ];
    const zone = details.length === 0 ? "" : ` (${details.join("; ")})`;
    return `${of.kind} ${key}: ${times.length === 0 ? "no run is due" : `next runs ${times.join(", ")}${zone}`}`;
  });
  const left = nextRuns.length - texts.length;
  return left === 0 ? texts : [...texts, `and ${pluralize(left, "other CronJob")}`];
}

/** `next: the status of Deployment shop/web changes 9 m 30 s after the end of the run, by deployment`; none if no timer changes anything. */
export function laterTexts({ settled }: DryRunReport["run"]): readonly string[] {
  if (settled.is !== "steady" || settled.next === undefined) return [];
  const { of, key, inMs, controller } = settled.next;
  const by = controller === undefined ? "" : `, by ${controller}`;
  return [`next: the status of ${of.kind} ${key} changes ${formatDuration(inMs)} after the end of the run${by}`];
}

const shownAvailable = 6;
