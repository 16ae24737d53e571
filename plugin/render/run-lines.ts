/** The lines of `run`, as text. */
import { formatLocalClock } from "../../src/api/time.ts";
import type { RefusedWrite, ReportedWrite, RunLine, RunSummary } from "../../src/views/run-report.ts";
import { formatDuration } from "../../src/api/duration.ts";
import { connectionText } from "./connection-text.ts";
import { pluralize, shownLength, showsTimes, type Style, wrapWords } from "../cli/style.ts";

/** Options of `RunLines`. */
export interface RunLinesOptions {
  readonly style: Style;
  /** Show times relative to this one, in ms since 1970. Unset: show clock times. */
  readonly sinceStartAt?: number;
  /** The names of the running controllers, which determine the width of their column. */
  readonly controllers: readonly string[];
}

/** Writes shown per decision; the rest is counted. */
const namedWrites = 8;
/** The minimum width of the rule column; longer rules widen it. */
const minRuleWidth = 12;
const widestRule = 20;
const widestKey = 32;

interface LineParts {
  /** The text before the label, or blanks of the same width. */
  readonly head?: string;
  readonly label?: string;
  /** The parts between which the line may be broken. */
  readonly words: readonly string[];
  /** Colours the label. */
  readonly paint?: (text: string) => string;
  readonly separator?: string;
}

/** Formats lines as text. The columns of keys and rules grow as needed, so that lines stay aligned. */
export class RunLines {
  #options: RunLinesOptions;
  #controllerWidth: number;
  #keyWidth = 0;
  #ruleWidth = minRuleWidth;

  constructor(options: RunLinesOptions) {
    this.#options = options;
    this.#controllerWidth = Math.max(0, ...options.controllers.map((name) => name.length));
  }

  /** One or more lines of the screen, without line ends. */
  text(line: RunLine): string[] {
    const { colour } = this.#options.style;
    switch (line.is) {
      case "decision":
        this.#ruleWidth = Math.min(widestRule, Math.max(this.#ruleWidth, line.rule.length));
        return this.#set(line.at, {
          head: this.#head(line),
          label: this.#rule(line.rule),
          words: wordsOf(line.sentence),
          paint: colour.cyan,
        });
      case "writes":
        return this.#set(line.at, { head: this.#blank(), words: nameWrites(line.writes), separator: "  " });
      case "refused":
        return line.writes.flatMap((write) =>
          this.#set(line.at, { head: this.#blank(), words: refusedWriteText(write) }),
        );
      case "failed": {
        const again = line.retryInMs === undefined ? "not tried again" : `again in ${formatDuration(line.retryInMs)}`;
        const words = `${line.error} (failure ${line.failures}, ${again})`.split(" ");
        return this.#set(line.at, { head: this.#head(line), label: this.#rule("failed"), words, paint: colour.red });
      }
      case "watch broke":
      case "list failed":
      case "watch is back": {
        const { label, text } = connectionText(line);
        return this.#set(line.at, { label, words: text.split(" "), paint: colour.yellow });
      }
    }
  }

  #head({ controller, key }: { readonly controller: string; readonly key: string }): string {
    this.#keyWidth = Math.min(widestKey, Math.max(this.#keyWidth, key.length));
    return `${controller.padEnd(this.#controllerWidth)} ${key.padEnd(this.#keyWidth)}  `;
  }

  #rule(rule: string): string {
    return rule.padEnd(this.#ruleWidth);
  }

  #blank(): string {
    return " ".repeat(this.#controllerWidth + this.#keyWidth + 3);
  }

  #time(at: number): string {
    const { style, sinceStartAt } = this.#options;
    if (!showsTimes(style)) return "";
    if (sinceStartAt === undefined) return `${formatLocalClock(at)} `;
    return `${((at - sinceStartAt) / 1000).toFixed(3).padStart(9)} `;
  }

  /** Time, head, a coloured label, then the words; the words wrap under the first word, or under the head. */
  #set(at: number, { head = "", label = "", words, paint = (text) => text, separator = " " }: LineParts): string[] {
    const { style } = this.#options;
    const time = this.#time(at);
    const before = time + head + (label === "" ? "" : `${label} `);
    const room = style.columns === undefined ? undefined : style.columns - shownLength(before);
    const shown = style.colour.dim(time) + head + (label === "" ? "" : `${paint(label)} `);
    // With too little room beside the head, the words go on separate lines.
    if (room !== undefined && room < 30 && style.columns !== undefined && shownLength(words.join(separator)) > room) {
      const lines = wrapWords(words, style.columns - 4, separator).map((text) => `    ${text}`);
      return before.trim() === "" ? lines : [shown.trimEnd(), ...lines];
    }
    const [first = "", ...rest] = wrapWords(words, room, separator);
    return [shown + first, ...rest.map((text) => " ".repeat(shownLength(before)) + text)];
  }
}

/** The words of a sentence; both sides of an arrow stay together: `3 → 5,`. */
function wordsOf(sentence: string): string[] {
  return sentence.split(/(?<!→) (?!→)/);
}

const signs = { created: "+", deleted: "-", changed: "~" } as const;

/** Each write as one unbreakable word: `+ Pod web-x7k2p`. */
function nameWrites(writes: readonly ReportedWrite[]): string[] {
  const shown = writes.length > namedWrites + 1 ? writes.slice(0, namedWrites) : writes;
  const named = shown.map(nameWrite);
  const left = writes.length - shown.length;
  return left === 0 ? named : [...named, `… and ${left} more`];
}

function nameWrite({ did, kind, name, count }: ReportedWrite): string {
  return `${signs[did]} ${count === undefined ? `${kind} ${name}` : `${count} × ${kind}`}`;
}

function refusedWriteText({ verb, kind, subresource, error, count }: RefusedWrite): string[] {
  const what = `${verb} ${kind}${subresource === undefined ? "" : `/${subresource}`}`;
  return `! ${count > 1 ? `${count} × ` : ""}${what} refused: ${error}`.split(" ");
}

/** `stopped after 12.4 s: 9 syncs, 4 writes, 1 conflict retried, 0 errors` */
export function summaryLine(summary: RunSummary, afterMs: number): string {
  const parts = [pluralize(summary.syncs, "sync"), pluralize(summary.writes, "write")];
  if (summary.conflicts > 0) parts.push(`${pluralize(summary.conflicts, "conflict")} retried`);
  if (summary.cacheBehind > 0) parts.push(`${pluralize(summary.cacheBehind, "wait")} for a cache`);
  parts.push(pluralize(summary.errors, "error"));
  return `stopped after ${formatDuration(afterMs)}: ${parts.join(", ")}`;
}
