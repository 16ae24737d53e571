/** A block of `trace`, as text. */
import { splitKey } from "../../../src/api/key.ts";
import { formatLocalClock } from "../../../src/api/time.ts";
import type { UnseenWrites } from "../../../src/trace/events.ts";
import type { ShownBlock, ShownCause, ShownOrigin } from "../../../src/views/shown-block.ts";
import { type BlockDecision, type SyncName, type Woken, writesOf } from "../../../src/views/sync-block.ts";
import { summaryText } from "../../render/changes.ts";
import { formatDuration } from "../../../src/api/duration.ts";
import { pluralize, showsTimes, type Style, wrapWords } from "../../cli/style.ts";
import { madeUpName, writeLines } from "../../render/write-lines.ts";

/** Options of `SyncBlockText`. */
export interface SyncBlockTextOptions {
  readonly style: Style;
  /** Show times relative to this one, in ms since 1970. Unset: show clock times. */
  readonly sinceStartAt?: number;
  /** Shadow mode: nothing was written. */
  readonly shadow: boolean;
}

const labelWidth = 6;
const shownEvents = 3;
const shownWoken = 3;
/** Refusals of at least this length are printed only once per block. */
const longRefusal = 40;

/** Colours a piece of text; the pieces of a line are joined by ` · `. */
type Paint = (text: string) => string;

/** Formats blocks as lines of the screen, without line ends. */
export class SyncBlockText {
  #options: SyncBlockTextOptions;

  constructor(options: SyncBlockTextOptions) {
    this.#options = options;
  }

  lines(block: ShownBlock, origin?: ShownOrigin): string[] {
    const { colour } = this.#options.style;
    const lines = this.#head(block);
    this.#causes(lines, block);
    if (origin !== undefined && origin.steps.length > 0)
      this.#put(lines, "from", originPieces(origin, this.#options.shadow));
    const saw = [...factPieces(block.decisions), ...this.#expectations(block.unseen)];
    if (saw.length > 0) this.#put(lines, "saw", saw);
    this.#did(lines, block);
    this.#events(lines, block);
    const failed = block.done.error !== undefined && block.done.expected === undefined;
    this.#put(lines, "then", this.#outcome(block), failed ? colour.red : undefined);
    return [...lines, ""];
  }

  #head(block: ShownBlock): string[] {
    const { style } = this.#options;
    const { controller, key, sync, waitedMs, ms, depth, inFlight, delayed } = block;
    // The time at which it ended: blocks are printed in this order, so that times are ascending.
    const time = showsTimes(style) ? `${this.#time(block.done.at)} ` : "";
    const queue = [
      `queue ${depth}`,
      ...(inFlight > 1 ? [`in flight ${inFlight}`] : []),
      ...(delayed > 0 ? [`delayed ${delayed}`] : []),
    ];
    const rest = [`waited ${formatDuration(waitedMs)}`, `took ${formatDuration(ms)}`, ...queue];
    const title = `sync ${sync} · ${controller} ${key}`;
    const plain = `${time}${title} · ${rest.join(" · ")}`;
    if (style.columns !== undefined && plain.length > style.columns) {
      return [style.colour.bold(title), ...wrapWords(rest, style.columns - 2, " · ").map((text) => `  ${text}`)];
    }
    return [`${style.colour.dim(time)}${style.colour.bold(title)} · ${rest.join(" · ")}`];
  }

  #time(at: number): string {
    const { sinceStartAt } = this.#options;
    return sinceStartAt === undefined ? formatLocalClock(at) : ((at - sinceStartAt) / 1000).toFixed(3).padStart(8);
  }

  #causes(lines: string[], { causes, moreCauses, controller, failures, inBackoffUntil, at }: ShownBlock): void {
    for (const [index, cause] of causes.entries()) {
      this.#put(lines, index === 0 ? "why" : "", causePieces(cause, controller, this.#options.shadow));
    }
    if (moreCauses > 0) this.#put(lines, "", [`${pluralize(moreCauses, "more trigger")}, merged into this sync`]);
    if (inBackoffUntil !== undefined) {
      const left = formatDuration(inBackoffUntil - at);
      this.#put(lines, "", [
        `added while in backoff after ${pluralize(failures, "failure")}: a new trigger does not wait; the retry, due in ${left}, stays`,
      ]);
    }
  }

  #expectations(unseen: UnseenWrites | undefined): string[] {
    if (unseen === undefined) return [];
    const parts = [
      ...(unseen.creations > 0 ? [pluralize(unseen.creations, "creation")] : []),
      ...(unseen.deletions.length > 0
        ? [`${pluralize(unseen.deletions.length, "deletion")} (${names(unseen.deletions)})`]
        : []),
    ];
    return [`expectations unmet: ${parts.join(" and ")} not seen since ${this.#time(unseen.since).trim()}`];
  }

  #did(lines: string[], block: ShownBlock): void {
    const { style, shadow } = this.#options;
    const label = shadow ? "would" : "did";
    let first = true;
    for (const { rule, sentence, facts, writes } of block.decisions) {
      this.#put(lines, first ? label : "", [`${style.colour.cyan(rule)}: ${sentence}`]);
      first = false;
      // The facts of the rule already contain the changed fields.
      const areChangesShown = "changes" in facts;
      for (const text of writeLines(writes, style, { indent: labelWidth + 4, areChangesShown })) lines.push(text);
    }
    for (const text of writeLines(block.otherWrites, style, { indent: labelWidth + 2, areChangesShown: false }))
      lines.push(text);
    if (block.decisions.length === 0 && block.otherWrites.length === 0 && block.done.error === undefined) {
      this.#put(lines, label, ["nothing: no decision was needed"]);
    }
  }

  #events(lines: string[], block: ShownBlock): void {
    // A repeated decision with a standing intention was printed before.
    const isNew = writesOf(block).some(({ verb, standsSince }) => verb !== "update" && standsSince === undefined);
    const events = this.#options.shadow && !isNew ? [] : block.recorded;
    const madeUp = writesOf(block).flatMap((write) => madeUpName(write) ?? []);
    const refusals = longErrorsOf(block);
    const recorded = events.map(({ type, reason, message }) => {
      const known = madeUp.reduce(
        (text, { name, shown }) => text.replaceAll(name, shown),
        withoutRepeated(message, refusals),
      );
      return `${type} ${reason}: ${known}`;
    });
    const alike = [...Map.groupBy(recorded, (text) => text)].map(([text, all]) =>
      all.length === 1 ? text : `${all.length} × ${text}`,
    );
    const more = alike.length - shownEvents;
    for (const [index, text] of alike.slice(0, more > 1 ? shownEvents : undefined).entries()) {
      this.#put(lines, index === 0 ? "event" : "", [text]);
    }
    if (more > 1) this.#put(lines, "", [`${more} more Events`]);
  }

  #outcome(block: ShownBlock): string[] {
    const { done, woke, controller } = block;
    const { outcome, expected } = done;
    const error = withoutRepeated(done.error ?? "", longErrorsOf(block));
    const due = (delayMs: number): string => `${formatDuration(delayMs)}, at ${this.#time(done.at + delayMs).trim()}`;
    const pieces: string[] = [];
    switch (outcome.is) {
      case "forgotten":
        pieces.push("done, forgotten");
        break;
      case "requeued":
        pieces.push(`done, requeued after ${due(outcome.delayMs)}`);
        break;
      case "rate-limited":
        pieces.push(
          `${expected ?? "failed"}: ${error}`,
          `failure ${outcome.failures}, backoff ${due(outcome.delayMs)}`,
        );
        break;
      case "dropped":
        pieces.push(`failed: ${error}`, `failure ${outcome.failures}, not tried again`);
        break;
    }
    if (woke.length > 0)
      pieces.push(`${this.#options.shadow ? "the owner's" : "its"} writes triggered ${wokenTexts(woke, controller)}`);
    return pieces;
  }

  /** Adds a label and its pieces, wrapped under the first word. */
  #put(lines: string[], label: string, pieces: readonly string[], paint?: Paint): void {
    const { style } = this.#options;
    const indent = labelWidth + 2;
    const room = style.columns === undefined ? undefined : style.columns - indent;
    const wrapped = wrapWords(pieces.join(" · ").split(" "), room);
    for (const [index, text] of wrapped.entries()) {
      const head = index === 0 ? style.colour.dim(label.padEnd(labelWidth)) : " ".repeat(labelWidth);
      lines.push(`  ${head}${paint === undefined ? text : paint(text)}`);
    }
  }
}

function names(keys: readonly string[]): string {
  const shown = keys.slice(0, 3).map((key) => splitKey(key).name);
  return keys.length > 3 ? `${shown.join(", ")}, …` : shown.join(", ");
}

/** `ReplicaSet web Updated 48210`, `.spec.replicas 3 → 5`, `by kubectl-edit`. */
function causePieces(cause: ShownCause, controller: string, shadow: boolean): string[] {
  if (cause.is === "other") return [otherCause(cause.trigger)];
  const { kind, key, type, resourceVersion, changes, writer, by, tombstone, relist } = cause;
  const resync = type === "Sync" ? ["resync, nothing changed"] : [];
  const marks = tombstone === true ? ["tombstone: the deletion itself was missed"] : relist === true ? ["relist"] : [];
  const from = by === undefined ? undefined : syncText(by, controller);
  const what = shadow ? `the owner's, as ${from} would` : `from ${from}`;
  const who = from === undefined ? (writer === undefined ? [] : [`by ${writer}`]) : [what];
  return [
    `${kind} ${splitKey(key).name} ${type} ${resourceVersion}`,
    ...resync,
    ...marks,
    ...summaryText(changes),
    ...who,
  ];
}

/** The long errors of a block's writes, which are printed beside the writes and not repeated elsewhere. */
function longErrorsOf(block: ShownBlock): readonly string[] {
  const errors = writesOf(block).flatMap(({ error }) =>
    error === undefined || error.length < longRefusal ? [] : [error],
  );
  return [...new Set(errors)];
}

function withoutRepeated(text: string, shown: readonly string[]): string {
  return shown.reduce((rest, each) => rest.replaceAll(each, "(as above)"), text);
}

function otherCause(trigger: Extract<ShownCause, { readonly is: "other" }>["trigger"]): string {
  switch (trigger.cause) {
    case "requeue":
      return trigger.sync > 0 ? `requeued by sync ${trigger.sync}: ${trigger.why}` : `requeued: ${trigger.why}`;
    case "retry":
      return `retry of sync ${trigger.sync}, which failed (failure ${trigger.failures})`;
    case "other":
      return trigger.why;
  }
}

/** `sync 18`; for another controller `deployment sync 3`. */
function syncText({ controller, sync }: SyncName, here: string): string {
  return controller === here ? `sync ${sync}` : `${controller} sync ${sync}`;
}

function originPieces({ steps, first }: ShownOrigin, shadow: boolean): string[] {
  const [nearest] = steps;
  const chain = steps.map((step) => syncText(step, "")).join(" ← ");
  return nearest === undefined
    ? []
    : [chain, ...(first === undefined ? [] : ["first cause", ...causePieces(first, "", shadow)])];
}

/** The triggered syncs, the same controller's first; many are counted. */
function wokenTexts(woke: readonly Woken[], here: string): string {
  const sorted = [
    ...woke.filter((each) => each.controller === here),
    ...woke.filter((each) => each.controller !== here),
  ];
  const shown = sorted.length > shownWoken + 1 ? sorted.slice(0, shownWoken) : sorted;
  const more = sorted.length - shown.length;
  return [...shown.map((each) => wokenText(each, here)), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** `sync 19 (Pod web-x7k2p Added, 3 more merged)`. */
function wokenText({ controller, key, sync, kind, object, type, more }: Woken, here: string): string {
  const who = sync === undefined ? `${controller} ${key}` : syncText({ controller, sync }, here);
  const also = more === 0 ? "" : `, ${more} more merged`;
  return `${who} (${kind} ${splitKey(object).name} ${type}${also})`;
}

/** The numeric and boolean facts of each decision, by rule: `scale-up: desired 5, active 2`. */
function factPieces(decisions: readonly BlockDecision[]): string[] {
  return decisions.flatMap(({ rule, facts }) => {
    const pieces = Object.entries(facts).flatMap(([name, value]) =>
      typeof value === "number" || typeof value === "boolean" ? [factText(name, value)] : [],
    );
    return pieces.length === 0 ? [] : [`${rule}: ${pieces.join(", ")}`];
  });
}

/** `active 2`; for a name that ends in a unit, a duration: `left 9 m 59 s`. */
function factText(name: string, value: number | boolean): string {
  const [, of, unit] = /^(.+?)(Ms|Seconds)$/.exec(name) ?? [];
  if (typeof value === "boolean") return `${words(name)}: ${value ? "yes" : "no"}`;
  if (of === undefined) return `${words(name)} ${value}`;
  return `${words(of)} ${formatDuration(unit === "Ms" ? value : value * 1000)}`;
}

/** `minReadySeconds` → `min ready seconds`. */
function words(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}
