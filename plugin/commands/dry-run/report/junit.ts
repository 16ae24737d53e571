/** The report of a dry run as JUnit XML: one test per applied object, and one for convergence. */
import { type Availability, isShort } from "../../../../src/modes/dry-run/availability.ts";
import type { AppliedChange } from "../../../../src/modes/dry-run/apply.ts";
import { lostObjects } from "../../../../src/modes/dry-run/deletions.ts";
import { failsOn } from "./verdict.ts";
import { danglingText, heldText, notSyncedTexts, unavailableText } from "./closing.ts";
import { nameOf, reasonOf } from "./headline.ts";
import { type DryRunReport, loopLines, verdictLine } from "./report.ts";

interface TestCase {
  readonly file: string;
  readonly name: string;
  /** Why it fails. */
  readonly failures: readonly string[];
  /** Why it cannot be judged. */
  readonly skipped?: string | undefined;
}

/** The lines of the XML. A test fails for what fails the job, according to `--fail-on`. */
export function junitLines(report: DryRunReport): string[] {
  const cases = [...objectCases(report), ...wholeCases(report)];
  const failed = cases.filter(({ failures }) => failures.length > 0).length;
  const skipped = cases.filter(({ failures, skipped }) => failures.length === 0 && skipped !== undefined).length;
  const counts = `tests="${cases.length}" failures="${failed}" skipped="${skipped}"`;
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites name="kubectl reconcile dry-run" ${counts}>`,
    `  <testsuite name="${xml(report.source)}" ${counts}>`,
    ...cases.flatMap(caseLines),
    `    <system-out>${xml(verdictLine(report))}</system-out>`,
    "  </testsuite>",
    "</testsuites>",
  ];
}

function objectCases(report: DryRunReport): readonly TestCase[] {
  const { run, failOn } = report;
  const each = new Map(run.done.map((done) => [`${done.of.kind} ${done.key}`, done]));
  return [...each].map(([name, done]): TestCase => {
    const isIt = ({ of, key }: Pick<AppliedChange, "of" | "key">): boolean =>
      of.kind === done.of.kind && key === done.key;
    // The effects of a node are a separate test.
    const isOfNode = (each: Availability): boolean =>
      isNodeChange(done) && run.nodes?.availability.includes(each) === true;
    const unavailable = failsOn(failOn, "unavailable")
      ? run.availability.filter(isShort).filter((each) => isIt(each) || isOfNode(each))
      : [];
    const dangling = failsOn(failOn, "dangling") ? run.references.dangling.filter(isIt) : [];
    return {
      file: fileOf(report, done),
      name,
      failures: [...unavailable.map(unavailableText), ...dangling.map(danglingText)].map((text) => text.slice(2)),
      skipped: skippedText(report, name, done),
    };
  });
}

function skippedText({ verdicts }: DryRunReport, name: string, { did, why }: AppliedChange): string | undefined {
  if (did === "not compared") return `not compared: ${why ?? ""}`;
  const decisive = verdicts.available.evidence.unseen.find(({ what, isDecisive }) => isDecisive && what === name);
  return decisive === undefined ? undefined : `cannot tell whether it becomes available: ${decisive.why}`;
}

function isNodeChange({ requested }: AppliedChange): boolean {
  return requested.is === "silence" || requested.is === "drain";
}

function fileOf({ manifests }: DryRunReport, { requested: wish }: AppliedChange): string {
  if (wish.is === "silence") return "--node-down";
  if (wish.is === "delete" && wish.isPruned === true) return "--prune";
  if (wish.is !== "apply") return `--${wish.is}`;
  return manifests.find(({ object }) => object === wish.object)?.file ?? "manifests";
}

function wholeCases(report: DryRunReport): readonly TestCase[] {
  const { run, failOn } = report;
  const isSteady = run.settled.is === "steady" && run.before.is === "steady";
  const loop =
    isSteady || !failsOn(failOn, "never-steady") ? [] : [[verdictLine(report), ...loopLines(report)].join("\n")];
  const isUnsynced = run.notSynced.some(({ isDecisive }) => isDecisive);
  const unsynced = isUnsynced ? notSyncedTexts(run).join("\n") : undefined;
  const steady: TestCase = { file: "dry-run", name: "the controllers converge", failures: loop, skipped: unsynced };
  if (!failsOn(failOn, "delete")) return [steady];
  const lost = lostObjects(run).map((change) => `${nameOf(change)} would be deleted: ${reasonOf(change)}`);
  const [held] = run.held.map(heldText);
  return [steady, { file: "dry-run", name: "nothing is deleted for good", failures: lost, skipped: held }];
}

function caseLines({ file, name, failures, skipped }: TestCase): string[] {
  const head = `    <testcase classname="${xml(file)}" name="${xml(name)}"`;
  if (failures.length === 0 && skipped === undefined) return [`${head}/>`];
  const inside =
    failures.length > 0
      ? failures.map((text) => `      <failure message="${xml(text)}"/>`)
      : [`      <skipped message="${xml(skipped ?? "")}"/>`];
  return [`${head}>`, ...inside, "    </testcase>"];
}

// XML cannot represent most control characters and unpaired surrogates.
const unwritable = /(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/gu;

function xml(text: string): string {
  return text
    .replace(unwritable, "?")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\r", "&#13;")
    .replaceAll("\n", "&#10;");
}
