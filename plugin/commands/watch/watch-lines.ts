/** The lines of `watch`, as text. */
import type { FieldChange } from "../../../src/api/field-changes.ts";
import { splitKey } from "../../../src/api/key.ts";
import { formatLocalClock } from "../../../src/api/time.ts";
import type { ListEvent } from "../../../src/trace/events.ts";
import type { DeltaSummary, MadeKey, SeenDelta, WatchLine } from "../../../src/views/delta-report.ts";
import type { DeltaNews, ShownLine } from "../../../src/views/shown-delta.ts";
import { changeText, wideChangesText } from "../../render/changes.ts";
import { formatDuration } from "../../../src/api/duration.ts";
import { pluralize, shorten, shownLength, type Style, wrapWords } from "../../cli/style.ts";

/** Options of `WatchLines`. */
export interface WatchLinesOptions {
  readonly style: Style;
  /** Show every changed field with its values. */
  readonly wide: boolean;
  /** Whether names include their namespace, because more than one is watched. */
  readonly namespaces: boolean;
  readonly sinceStartAt?: number;
}

/** The length of `Replaced`, the longest type. */
const typeWidth = 8;
const widestName = 40;
/** Changes shown per line when piped and on a wide screen; the rest is counted. */
const shownChanges = 3;
const separator = " · ";
/** On narrower screens the version, the least important column, is omitted. */
const roomForVersion = 100;
/** The age of the oldest key is shown from this on. */
const oldMs = 10;

/** Formats lines as text, without line ends. Columns grow as needed and keep their width. */
export class WatchLines {
  #options: WatchLinesOptions;
  #nameWidth = 0;
  #versionWidth = 0;

  constructor(options: WatchLinesOptions) {
    this.#options = options;
  }

  text(line: ShownLine): readonly string[] {
    const { colour } = this.#options.style;
    switch (line.is) {
      case "delta": {
        const lines = this.#delta(line);
        for (const { controller, keys } of line.notified) {
          // Most deltas do not enqueue a key.
          if (keys.length === 0 && this.#options.wide)
            lines.push(...this.#below(undefined, `${controller} ← no key`, []));
          for (const made of keys) lines.push(...this.#key(made));
        }
        return lines;
      }
      case "key":
        return this.#key(line.made, line);
      case "relist":
        return this.#note(line.at, relistText(line.list), colour.yellow);
      case "list failed":
        return this.#note(line.at, `list of ${line.list.of.kind} failed: ${line.error}; trying again`, colour.yellow);
      case "watch broke":
        return this.#note(line.at, `watch of ${line.of.kind} broke: ${line.why}; trying again`, colour.yellow);
      case "watch is back":
        return this.#note(
          line.at,
          `watch of ${line.of.kind} is back after ${formatDuration(line.afterMs)}`,
          colour.yellow,
        );
    }
  }

  #time(at: number): string {
    const { sinceStartAt } = this.#options;
    if (sinceStartAt === undefined) return `${formatLocalClock(at)} `;
    return `${((at - sinceStartAt) / 1000).toFixed(3).padStart(9)} `;
  }

  #delta({ delta, news, writer: by }: Extract<ShownLine, { readonly is: "delta" }>): string[] {
    const { style, namespaces } = this.#options;
    const { type, of, key, resourceVersion, at } = delta;
    const named = `${of.kind} ${namespaces ? key : splitKey(key).name}`;
    const widest = style.columns === undefined ? widestName : Math.min(widestName, Math.floor(style.columns / 3));
    this.#nameWidth = Math.min(widest, Math.max(this.#nameWidth, named.length));
    const isNarrow = style.columns !== undefined && style.columns < roomForVersion;
    if (!isNarrow) this.#versionWidth = Math.max(this.#versionWidth, resourceVersion.length + 1);
    const time = this.#time(at);
    const version = isNarrow ? "" : resourceVersion.padStart(this.#versionWidth);
    const head = `${named.padEnd(this.#nameWidth)}${version}  `;
    const before = time.length + typeWidth + 1 + head.length;
    const shown = style.colour.dim(time) + this.#paint(delta)(type.padEnd(typeWidth)) + ` ${head}`;
    const writer = by === undefined ? "" : `by ${by}`;
    const room =
      style.columns === undefined ? undefined : style.columns - before - (writer === "" ? 0 : shownLength(writer) + 2);
    return this.#set(shown, before, this.#words(news, room), writer);
  }

  /** A line with its words, wrapped under the first word or under the time. */
  #set(shown: string, before: number, words: readonly string[], writer: string): string[] {
    const { columns, colour } = this.#options.style;
    const tail = writer === "" ? "" : `  ${colour.dim(writer)}`;
    if (columns === undefined) return [`${shown}${words.join(separator)}${tail}`.trimEnd()];
    const tailWidth = writer === "" ? 0 : shownLength(writer) + 2;
    const room = columns - before;
    const joined = words.join(separator);
    if (shownLength(joined) + tailWidth <= room) {
      return [`${shown}${joined}${" ".repeat(room - shownLength(joined) - tailWidth)}${tail}`.trimEnd()];
    }
    const indent = room < 30 ? 4 : before;
    const all = writer === "" ? words : [...words, writer];
    const lines = wrapWords(all, columns - indent, separator).map((text) => shorten(text, columns - indent));
    const [first = "", ...rest] = indent === before ? lines : ["", ...lines];
    return [`${shown}${first}`.trimEnd(), ...rest.map((text) => " ".repeat(indent) + text)];
  }

  #words(news: DeltaNews, room: number | undefined): readonly string[] {
    if (news.is === "gone") return [news.missed === undefined ? "gone" : missedText[news.missed]];
    if (news.is === "resync") return ["(resync, nothing changed)"];
    const from = news.byList ? ["(by a list: states in between may be missing)"] : [];
    if (news.is === "unchanged") return ["no field changed", ...from];
    if (news.is !== "changed") return [news.is, ...from];
    return [...(this.#options.wide ? wideChangesText(news.all) : fitting(news.telling, room)), ...from];
  }

  #paint({ type, tombstone }: SeenDelta): (text: string) => string {
    const { colour } = this.#options.style;
    if (tombstone === true) return colour.magenta;
    switch (type) {
      case "Added":
        return colour.green;
      case "Deleted":
        return colour.red;
      case "Updated":
        return colour.cyan;
      case "Replaced":
        return colour.yellow;
      case "Sync":
        return colour.dim;
    }
  }

  /** The lines for a key. With `alone`, it has no delta on the screen, and a time only if no later line can be earlier. Without, it is below its delta. */
  #key(made: MadeKey, alone?: Pick<Extract<WatchLine, { is: "key" }>, "why" | "isAfterOthers">): readonly string[] {
    const { controller, key, merged, inFlight, delayMs, triggers, queue } = made;
    const parts: string[] = [];
    if (delayMs !== undefined && delayMs > 0) parts.push(`in ${formatDuration(delayMs)}`);
    else if (merged) parts.push(`merged, ${pluralize(triggers, "trigger")} wait with it`);
    else if (inFlight) parts.push("in flight, requeued when done");
    if (!merged || this.#options.wide) {
      parts.push(`depth ${queue.depth}`, `in flight ${queue.inFlight}`, `delayed ${queue.delayed}`);
    }
    if (queue.oldestMs >= oldMs) parts.push(`oldest ${formatDuration(queue.oldestMs)}`);
    if (alone !== undefined && alone.why !== "") parts.push(`(${alone.why})`);
    return this.#below(alone?.isAfterOthers === true ? made.at : undefined, `${controller} ← ${key}`, parts);
  }

  /** A line below another. Without its own time, that of the line above applies, so that times are ascending. */
  #below(at: number | undefined, head: string, parts: readonly string[]): readonly string[] {
    const { style } = this.#options;
    const time = at === undefined ? " ".repeat(this.#time(this.#options.sinceStartAt ?? 0).length) : this.#time(at);
    const branch = `  └ ${head.padEnd(this.#nameWidth + this.#versionWidth + typeWidth - 3)}`;
    const text = parts.length === 0 ? branch.trimEnd() : `${branch}  ${parts.join(separator)}`;
    const room = style.columns === undefined ? undefined : style.columns - time.length;
    if (room === undefined || shownLength(text) <= room) return [style.colour.dim(time + text)];
    // The last parts are the least important.
    const fits = parts.findLastIndex(
      (_, index) => shownLength([`  └ ${head}`, ...parts.slice(0, index + 1)].join(separator)) <= room,
    );
    return [style.colour.dim(time + shorten([`  └ ${head}`, ...parts.slice(0, fits + 1)].join(separator), room))];
  }

  #note(at: number, text: string, paint: (text: string) => string): readonly string[] {
    const time = this.#time(at);
    const { columns, colour } = this.#options.style;
    return wrapWords(text.split(" "), columns === undefined ? undefined : columns - time.length).map(
      (line, index) => (index === 0 ? colour.dim(time) : " ".repeat(time.length)) + paint(line),
    );
  }
}

const missedText = {
  "the delete event": "gone (the delete event was missed)",
  "the last states": "gone (absent from a list, last states missed)",
} as const;

const whyListed: Readonly<Record<ListEvent["why"], string>> = {
  start: "",
  expired: "its resourceVersion had expired",
  error: "the previous list had failed",
  relist: "the watch could not be resumed",
};

/** As many changes as fit on one line, up to three, and the number of further ones. */
function fitting(changes: readonly FieldChange[], room: number | undefined): readonly string[] {
  for (let count = Math.min(shownChanges, changes.length); count > 0; count--) {
    const left = changes.length - count;
    const texts = changes.slice(0, count).map(changeText);
    const all = left === 0 ? texts : [...texts, `${left} more`];
    if (room === undefined || count === 1 || shownLength(all.join(separator)) <= room) return all;
  }
  return [];
}

function relistText({ of, objects, resourceVersion, why, ms }: ListEvent): string {
  return `relist of ${of.kind}: ${pluralize(objects, "object")} at ${resourceVersion} in ${formatDuration(ms)} (${whyListed[why]})`;
}

/** `watched for 12.4 s: 41 deltas (30 Updated, 8 Added, 3 Deleted), 17 keys, 1 relist` */
export function watchSummaryLine(summary: DeltaSummary, afterMs: number, withKeys: boolean): string {
  const { deltas, byType, keys, relists, brokenWatches } = summary;
  const types = [...byType].sort(([, a], [, b]) => b - a).map(([type, count]) => `${count} ${type}`);
  const parts = [pluralize(deltas, "delta") + (types.length === 0 ? "" : ` (${types.join(", ")})`)];
  if (withKeys) parts.push(`${pluralize(keys, "key")} queued`);
  if (relists > 0) parts.push(pluralize(relists, "relist"));
  if (brokenWatches > 0) parts.push(pluralize(brokenWatches, "broken watch", "broken watches"));
  return `watched for ${formatDuration(afterMs)}: ${parts.join(", ")}`;
}
