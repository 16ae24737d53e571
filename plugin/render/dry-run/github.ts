/** Workflow commands of GitHub Actions: annotations on the manifests, and the answer in a group of the log. */
import { isShort } from "../../../src/modes/dry-run/availability.ts";
import type { Done } from "../../../src/modes/dry-run/apply.ts";
import { lostObjects } from "../../dry-run/verdict.ts";
import { styleOf } from "../style.ts";
import { nameOf, reasonOf, signs } from "./headline.ts";
import { type DryRunReport, loopLines, verdictLine } from "./report.ts";
import { textLines, unavailableText } from "./text.ts";

type Level = "notice" | "warning" | "error";

/** The summary of the job is written beside it, as Markdown. */
export function githubLines(report: DryRunReport): string[] {
  const { run } = report;
  const loop = loopLines(report);
  const plain = styleOf({
    write: () => undefined,
    columns: undefined,
    colours: false,
    rows: undefined,
    pendingBytes: 0,
    flush: () => Promise.resolve(),
  });
  return [
    "::group::kubectl reconcile dry-run",
    // A line of the text must not be taken for a command.
    ...textLines(report, plain).map((line) => line.replace(/^::/, " ::")),
    "::endgroup::",
    ...run.done.flatMap((done) => noticeOf(report, done)),
    ...lostObjects(run).map((change) =>
      command("warning", "deleted", `${nameOf(change)} would be deleted: ${reasonOf(change)}`),
    ),
    ...run.availability
      .filter(isShort)
      .map((each) => command("error", "not available", unavailableText(each).slice(2), placeOfObject(report, each))),
    ...(loop.length > 0 ? [command("error", "never steady", loop.join("\n"))] : []),
    ...(run.settled.is === "horizon" ? [command("error", "not steady", verdictLine(report))] : []),
    verdictLine(report),
  ];
}

/** What becomes of an applied object, on the line where it stands. */
function noticeOf(report: DryRunReport, done: Done): string[] {
  const { of, key, did } = done;
  if (did === "unchanged") return [];
  const group = report.run.groups.find((each) => each.of.kind === of.kind && each.key === key);
  const changes = (group?.changes ?? []).map((change) => `${signs[change.did]} ${nameOf(change)}  ${reasonOf(change)}`);
  return [command("notice", `${of.kind} ${key} ${did}`, changes.join("\n") || did, placeOfObject(report, done))];
}

interface Place {
  readonly file: string;
  readonly line: number;
}

function placeOfObject(report: DryRunReport, { of, key }: Pick<Done, "of" | "key">): Place | undefined {
  const name = key.slice(key.indexOf("/") + 1);
  const manifest = report.run.done.find((done) => done.of.kind === of.kind && done.key === key)?.wish;
  if (manifest?.is !== "apply") return undefined;
  return report.manifests.find(({ object }) => object === manifest.object && object.metadata.name === name);
}

/** `::error file=…,line=…,title=…::message`, escaped. */
function command(level: Level, title: string, message: string, place?: Place): string {
  const where = place === undefined ? "" : `file=${property(place.file)},line=${place.line},`;
  return `::${level} ${where}title=${property(title)}::${data(message)}`;
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
