/** Output for GitHub Actions: annotations on the manifests, and the report in a group of the log. The job's summary is written separately. */
import type { AppliedChange } from "../../../../src/modes/dry-run/apply.ts";
import { lostObjects } from "../../../../src/modes/dry-run/deletions.ts";
import { isShort } from "../../../../src/modes/dry-run/availability.ts";
import type { Random } from "../../../../src/platform/random.ts";
import { failsOn } from "./verdict.ts";
import { isInWorkTree } from "../../../manifests/manifest-text.ts";
import { ManifestError } from "../../../manifests/manifests.ts";
import type { UserError } from "../../../cli/user-error.ts";
import { styleOf } from "../../../cli/style.ts";
import { nameOf, reasonOf, signs } from "./headline.ts";
import { type DryRunReport, loopLines, verdictLine } from "./report.ts";
import { danglingText, decisivelyUnseen, heldText, notSyncedTexts, unavailableText } from "./closing.ts";
import { textLines } from "./text.ts";
import { type Annotation, annotationLines, type Place, shielded } from "./workflow-commands.ts";

/** The lines for the log. @param random creates the token that ends the text, which authors of manifests must not be able to guess. */
export function githubLines(report: DryRunReport, random: Random): string[] {
  const plain = styleOf({
    write: () => undefined,
    line: () => undefined,
    columns: undefined,
    colours: false,
    rows: undefined,
    pendingBytes: 0,
    flush: () => Promise.resolve(),
  });
  return [
    "::group::kubectl reconcile dry-run",
    ...shielded(textLines(report, plain), random),
    "::endgroup::",
    ...annotationLines(annotationsOf(report).map(placed)),
    verdictLine(report),
  ];
}

/** Whether its annotations are on lines of files. */
export function isPlaced(error: UserError): boolean {
  return error instanceof ManifestError && error.problems.some(({ file }) => isInWorkTree(file));
}

/** Annotations for an error that prevented the dry run, on the lines that caused it. */
export function githubErrorLines(error: UserError): string[] {
  if (!(error instanceof ManifestError) || error.problems.length === 0) {
    return annotationLines([{ level: "error", title: "dry-run", message: [error.message, ...error.next].join("\n") }]);
  }
  return annotationLines(
    error.problems.map(({ file, line = 1, object, text }) =>
      placed({ level: "error", title: object ?? error.message, message: text, place: { file, line } }),
    ),
  );
}

/** GitHub can only annotate files of the work tree; for a URL or standard input, the message contains the location. */
function placed(annotation: Annotation): Annotation {
  const { place, message } = annotation;
  if (place === undefined || isInWorkTree(place.file)) return annotation;
  return { ...annotation, place: undefined, message: `${place.file}, line ${place.line}: ${message}` };
}

function annotationsOf(report: DryRunReport): Annotation[] {
  const { run } = report;
  const loop = loopLines(report);
  return [
    ...(loop.length > 0 ? [{ level: "error", title: "never steady", message: loop.join("\n") } as const] : []),
    ...(run.settled.is === "horizon"
      ? [{ level: "error", title: "not steady", message: verdictLine(report) } as const]
      : []),
    ...run.availability.filter(isShort).map((each): Annotation => ({
      level: failsOn(report.failOn, "unavailable") ? "error" : "warning",
      title: "not available",
      message: unavailableText(each).slice(2),
      place: placeOfObject(report, each),
    })),
    ...run.references.dangling.map((each): Annotation => ({
      level: failsOn(report.failOn, "dangling") ? "error" : "warning",
      title: "dangling reference",
      message: danglingText(each).slice(2),
      place: placeOfObject(report, each, each.field),
    })),
    ...decisivelyUnseen(report).map(({ what, why }): Annotation => ({
      level: "warning",
      title: "cannot tell",
      message: `cannot tell whether ${what} becomes available: ${why}`,
    })),
    ...notSyncedTexts(run).map((message): Annotation => ({ level: "warning", title: "not synced", message })),
    ...run.held.map((each): Annotation => ({ level: "warning", title: "cannot tell", message: heldText(each) })),
    ...lostObjects(run).map((change): Annotation => ({
      level: report.failOn?.has("delete") === true ? "error" : "warning",
      title: "deleted",
      message: `${nameOf(change)} would be deleted: ${reasonOf(change)}`,
    })),
    ...onceEach(run.done).flatMap((done) => noticeOf(report, done)),
  ];
}

/** The last change of each object, since an object may be both applied and scaled. */
function onceEach(done: readonly AppliedChange[]): readonly AppliedChange[] {
  return [...new Map(done.map((each) => [`${each.of.kind} ${each.key}`, each])).values()];
}

/** The annotation with the outcome of an applied object, on its line. */
function noticeOf(report: DryRunReport, done: AppliedChange): Annotation[] {
  const { of, key, did } = done;
  if (did === "unchanged") return [];
  const group = report.run.groups.find((each) => each.of.kind === of.kind && each.key === key);
  const changes = (group?.changes ?? []).map((change) => `${signs[change.did]} ${nameOf(change)}  ${reasonOf(change)}`);
  return [
    {
      level: "notice",
      title: `${of.kind} ${key} ${did}`,
      message: changes.join("\n") || did,
      place: placeOfObject(report, done),
    },
  ];
}

function placeOfObject(
  report: DryRunReport,
  { of, key }: Pick<AppliedChange, "of" | "key">,
  field?: string,
): Place | undefined {
  const name = key.slice(key.indexOf("/") + 1);
  const manifest = report.run.done.find(
    (done) => done.of.kind === of.kind && done.key === key && done.requested.is === "apply",
  )?.requested;
  if (manifest?.is !== "apply") return undefined;
  const found = report.manifests.find(({ object }) => object === manifest.object && object.metadata.name === name);
  if (found === undefined) return undefined;
  return { file: found.file, line: (field === undefined ? undefined : found.lineOf?.(field)) ?? found.line };
}
