/** The traffic of a process as lines of a screen. */
import { formatDuration } from "../../src/api/duration.ts";
import { splitKey } from "../../src/api/key.ts";
import { formatLocalClock } from "../../src/api/time.ts";
import { deltaText } from "../../src/views/process/because.ts";
import type { Episode } from "../../src/views/process/episodes.ts";
import type { Effect, ProcessLine, ShownWrite } from "../../src/views/process/process-report.ts";
import { summarizeChanges } from "../../src/views/field-interest.ts";
import { pluralize, shownLength, showsTimes, type Style, wrapWords } from "../cli/style.ts";
import { summaryText } from "./changes.ts";

/** Options of `ProcessLines`. */
export interface ProcessLinesOptions {
  readonly style: Style;
  /** Show times relative to this one, in ms since 1970. Unset: show clock times. */
  readonly sinceStartAt?: number;
}

const signs: Readonly<Record<Effect, string>> = {
  created: "+",
  deleted: "-",
  changed: "~",
  "nothing changed": "=",
  refused: "!",
};

/** Writes shown per reconcile; the rest is counted. */
const namedWrites = 8;

const methods = {
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETE",
} as const;

interface LineParts {
  /** The parts between which the line may be broken. */
  readonly words: readonly string[];
  readonly paint?: (text: string) => string;
  readonly separator?: string;
}

/** Formats lines as text, without line ends. */
export class ProcessLines {
  readonly #options: ProcessLinesOptions;

  constructor(options: ProcessLinesOptions) {
    this.#options = options;
  }

  text(line: ProcessLine): readonly string[] {
    const { colour } = this.#options.style;
    const say = (text: string, paint: (text: string) => string): readonly string[] =>
      this.#set(line.at, { words: text.split(" "), paint });
    switch (line.is) {
      case "connected":
        return say(`connected as ${agentName(line.agent)}`, colour.bold);
      case "watching": {
        const objects = pluralize(line.objects, "object");
        return say(`watching ${line.of.kind} · ${objects} · listed in ${formatDuration(line.ms)}`, colour.dim);
      }
      case "relisted": {
        const { of, why, objects, ms } = line.list;
        const found = `${pluralize(objects, "object")} in ${formatDuration(ms)}`;
        return say(`relisted ${of.kind} (${why}): ${found}`, colour.yellow);
      }
      case "watch broke":
        return say(`watch of ${line.watch.of.kind} broke: ${line.watch.why}`, colour.yellow);
      case "many watches":
        return say(`${line.open.toLocaleString("en")} watches of ${line.of.kind} are open at once`, colour.yellow);
      case "electing":
        return say(`leader election on Lease ${line.key}: not shown from here on`, colour.dim);
      case "refused": {
        const where = line.namespace === "" ? "in all namespaces" : `in namespace ${line.namespace}`;
        return say(`! ${line.verb} ${line.resource} refused ${where}: forbidden (403)`, colour.red);
      }
      case "reconcile": {
        const { of, key } = line.episode.subject;
        const words = [`${of.kind} ${key}`, ...causeWords(line.episode)];
        return [...this.#set(line.at, { words, paint: colour.cyan }), ...this.#writes(line.writes)];
      }
    }
  }

  /** One line per write; for many similar ones the first few and a count. */
  #writes(writes: readonly ShownWrite[]): readonly string[] {
    const few = writes.length > namedWrites + 1 ? writes.slice(0, namedWrites) : writes;
    const left = writes.length - few.length;
    const at = writes.at(-1)?.write.sentAt ?? 0;
    return [
      ...few.flatMap((write) => this.#write(write)),
      ...(left === 0 ? [] : this.#set(at, { words: [`  and ${pluralize(left, "more write")}`] })),
    ];
  }

  #write({ write, effect, changes }: ShownWrite): readonly string[] {
    const { colour } = this.#options.style;
    const { of, key, subresource, verb, status, ms, error, objects, sentAt: at } = write;
    const name = splitKey(key).name;
    const target = `${of.kind}${name === "" ? "" : ` ${name}`}${subresource === undefined ? "" : `/${subresource}`}`;
    const details =
      effect === "refused"
        ? [error ?? "refused"]
        : effect === "nothing changed"
          ? ["nothing changed"]
          : objects !== undefined
            ? [pluralize(objects, "object")]
            : [summaryText(changes).join(" · ")].filter((text) => text !== "");
    const outcome = `${methods[verb]} ${status === 0 ? "no response" : status} · ${formatDuration(ms)}`;
    const paint =
      effect === "refused" ? colour.red : effect === "nothing changed" ? colour.dim : (text: string): string => text;
    return this.#set(at, { words: [`  ${signs[effect]} ${target}`, ...details, outcome], paint, separator: "  " });
  }

  #time(at: number): string {
    const { style, sinceStartAt } = this.#options;
    if (!showsTimes(style)) return "";
    if (sinceStartAt === undefined) return `${formatLocalClock(at)} `;
    return `${((at - sinceStartAt) / 1000).toFixed(3).padStart(9)} `;
  }

  #set(at: number, { words, paint = (text) => text, separator = " " }: LineParts): readonly string[] {
    const { columns, colour } = this.#options.style;
    const time = this.#time(at);
    const indent = words[0]?.startsWith("  ") === true ? 6 : 4;
    const room = columns === undefined ? undefined : columns - shownLength(time);
    const whole = words.join(separator);
    const fits = room === undefined || shownLength(whole) <= room;
    const lines = fits ? [whole] : wrapWords(piecesOf(words), room - indent);
    return lines.map((text, index) =>
      index === 0 ? colour.dim(time) + paint(text) : " ".repeat(shownLength(time) + indent) + paint(text),
    );
  }
}

/** Parts of a line that are shorter than this, such as `PUT 200 · 3 ms`, are not broken. */
const unbroken = 20;

/** The pieces between which a line may be broken; leading text stays with the first word. */
function piecesOf(words: readonly string[]): readonly string[] {
  const [first = "", ...rest] = words.flatMap((word) =>
    shownLength(word) <= unbroken ? [word.trim()] : word.trim().split(" "),
  );
  const before = /^ */.exec(words[0] ?? "")?.[0] ?? "";
  return [before + first, ...rest];
}

/** The name and version of a user agent such as `manager/v0.3.1 (linux/amd64) kubernetes/…`. */
export function agentName(agent: string): string {
  return agent === "" ? "a program without a User-Agent" : (agent.split(" ")[0] ?? agent);
}

/** `because Tenant acme Updated`, `.spec.size 1 → 2`, `or Pod acme-1 Deleted 2 ms later`, `(own or owned, 9 ms before)`. */
function causeWords({ cause, retryOf, subject: { key } }: Episode): readonly string[] {
  if (retryOf !== undefined) return ["because its last write was refused"];
  if (cause === undefined) return ["no delta before it"];
  const { grade, delta, beforeMs, or } = cause;
  if (grade === "time")
    return [`no related delta; the last one was ${deltaText(delta, key)}, ${formatDuration(beforeMs)} before`];
  const changes = summaryText(summarizeChanges(delta.detail.changes, 1));
  const grades = or === undefined || or.grade === grade ? grade : `${grade} or ${or.grade}`;
  return [
    `because ${deltaText(delta, key)}`,
    ...(changes.length === 0 ? [] : [changes.join(" · ")]),
    ...(or === undefined
      ? []
      : [`or ${deltaText(or.delta, key)} ${apartText(or.delta.receivedAt - delta.receivedAt)}`]),
    `(${grades}, ${formatDuration(beforeMs)} before)`,
  ];
}

/** `2 ms later`. */
function apartText(ms: number): string {
  if (ms === 0) return "with it";
  return `${formatDuration(Math.abs(ms))} ${ms > 0 ? "later" : "earlier"}`;
}
