/** The answer of `why`, as text: the answer first, the evidence under it. */
import type { LastWrite } from "../../src/views/last-writes.ts";
import type { Answer, Wait } from "../../src/views/snapshot.ts";
import { counted, formatDuration, type Style, wrapWords } from "./style.ts";

/** Of waits that say the same, so many objects are named. */
const shownAlike = 3;
const shownWaits = 8;
const labelWidth = 12;

export interface AnswerTextOptions {
  readonly style: Style;
  /** Milliseconds since 1970, as the snapshot has it. */
  readonly now: number;
  /** The command that follows the object live; undefined where no controller of ours does. */
  readonly follow: string | undefined;
}

export function answerLines(answer: Answer, { style, now, follow }: AnswerTextOptions): string[] {
  const { colour } = style;
  const paint = {
    "as desired": colour.green,
    waiting: colour.yellow,
    failed: colour.red,
    "being deleted": colour.yellow,
  };
  const lines = wrapped(`${answer.title} ${verdict(answer)}: ${answer.says}`, style, "", "  ").map((line) =>
    paint[answer.is](line),
  );
  const groups = grouped(answer.waits);
  const shown = groups.length > shownWaits + 1 ? groups.slice(0, shownWaits) : groups;
  for (const group of shown) lines.push(...wrapped(waitText(group, now), style, "  ", "    "));
  if (groups.length > shown.length) lines.push(`  and ${counted(groups.length - shown.length, "more reason")}`);
  for (const { about, text, at, count } of answer.warnings) {
    const where = about === "" ? "" : `${about} · `;
    const times = count > 1 ? `, ${count} times` : "";
    lines.push(...labelled("warning", `${where}${text} (${agoText(now - at)}${times})`, style));
  }
  for (const next of answer.next) lines.push(...labelled("next", next, style));
  for (const write of answer.lastWrites) {
    lines.push(...labelled(write.part === "status" ? "last status" : "last write", writeText(write), style));
  }
  const closing =
    follow === undefined ? "Nothing was written." : `In shadow nothing was written. Follow it live: ${follow}`;
  return [...lines, ...wrapped(closing, style, "", "  ").map((line) => colour.dim(line))];
}

/** `.spec.replicas  by kubectl-edit, 48 s ago`. */
function writeText({ managers, agoMs, field, untimed }: LastWrite): string {
  const timed = managers.length === 0 ? "" : `by ${managers.join(" or ")}, ${agoText(agoMs)}`;
  const others = untimed.length === 0 ? "" : `by ${untimed.join(" or ")}, at a time that is not recorded`;
  const who = [timed, others].filter((text) => text !== "").join("; or ");
  return field === undefined ? who : `${field}  ${who}`;
}

function agoText(ms: number): string {
  return ms < 1000 ? "just now" : `${formatDuration(ms)} ago`;
}

function verdict({ is }: Answer): string {
  return is === "as desired"
    ? "is as it should be"
    : is === "waiting"
      ? "is waiting"
      : is === "failed"
        ? "has failed"
        : "is being deleted";
}

interface Group {
  readonly waits: readonly Wait[];
}

/** Objects that wait for the same are told once. */
function grouped(waits: readonly Wait[]): readonly Group[] {
  const groups = Map.groupBy(waits, ({ about, why }) => `${about.split(" ")[0]} ${why}`);
  return [...groups.values()].map((each) => ({ waits: each }));
}

function waitText({ waits }: Group, now: number): string {
  const [first] = waits;
  if (first === undefined) return "";
  const since = waits.flatMap((each) => (each.since === undefined ? [] : [each.since]));
  const forMs = since.length === 0 ? 0 : now - Math.min(...since);
  // Times of objects are whole seconds.
  const oldest = forMs < 1000 ? "" : ` (for ${formatDuration(forMs)})`;
  if (first.about === "") return `${first.why}${oldest}`;
  const [kind = "", ...rest] = first.about.split(" ");
  const names = waits.slice(0, shownAlike).map(({ about }) => about.split(" ")[1] ?? "");
  const more = waits.length > shownAlike ? ` and ${waits.length - shownAlike} more` : "";
  const who = waits.length === 1 ? `${kind} ${rest.join(" ")}` : `${waits.length} ${kind}s ${names.join(", ")}${more}`;
  return `${who}  ${first.why}${oldest}`;
}

function labelled(label: string, text: string, style: Style): string[] {
  return wrapped(text, style, `  ${label.padEnd(labelWidth)}`, " ".repeat(labelWidth + 2));
}

function wrapped(text: string, { columns }: Style, head: string, hang: string): string[] {
  const room = columns === undefined ? undefined : columns - Math.max(head.length, hang.length);
  const [first = "", ...rest] = wrapWords(text.split(" "), room);
  // A gap of two spaces may fall on the end of a line.
  return [head + first, ...rest.map((line) => hang + line)].map((line) => line.trimEnd());
}
