/** Loops as text. */
import {
  type Acquittal,
  isFollower,
  type Loop,
  type LoopField,
  type ObjectLoop,
  type ObjectName,
  type CauseShare,
  type IneffectiveLoop,
  type ProcessLoop,
  type RefusedLoop,
  type SelfTriggeredLoop,
  type RecreateLoop,
  type RequeueLoop,
  type RewriteLoop,
  type WriterShare,
} from "../../src/views/loops/loop.ts";
import { splitKey } from "../../src/api/key.ts";
import { masked } from "../../src/trace/mask.ts";
import { unseenText, type Verdict } from "../../src/verdict/verdict.ts";
import { isTooShort } from "../../src/views/loops/verdict.ts";
import { shortValue } from "./changes.ts";
import { valueTexts } from "./loop-values.ts";
import { withCommand } from "./command-text.ts";
import { formatDuration } from "../../src/api/duration.ts";
import { pluralize, type Style, wrapWords } from "../cli/style.ts";

/** The number of fields shown per loop, and of values per field. */
const shownFields = 4;
/** The same for a loop that follows from another. */
const shownOfFollowers = 2;
const shownValues = 3;
const shownCauses = 2;
const indent = " ".repeat(8);
/** For a loop without a write for this long, the time of its last write is shown. */
const quietMs = 5000;

/** Options of `loopText`. */
export interface LoopTextOptions {
  /** The command that shows it live; empty for none. */
  readonly next: string;
  /** The current time in ms since 1970, to show how long ago a loop was last seen. */
  readonly now: number;
  /** Why a program wrote the object of the loop. */
  readonly causes?: readonly CauseShare[];
}

/** The lines for a loop: what loops and how fast, the fields with their values, and their writers. */
export function loopText(
  loop: Loop,
  { columns, colour }: Style,
  { next, now, causes = [] }: LoopTextOptions,
): readonly string[] {
  const ago = now - loop.lastAt;
  const last = ago < quietMs ? "" : `, last ${formatDuration(ago)} ago`;
  const body = [
    ...(loop.is === "rewritten" ? rewriteLines(loop) : []),
    ...(loop.is === "recreated" ? recreateLines(loop) : []),
    ...(loop.is === "own writes" ? fieldLines(loop.fields, shownFields) : []),
    ...("because" in loop ? [`by ${loop.controller}`, ...causeLines(loop.because)] : []),
    ...causeLines(causes),
  ];
  const room = columns === undefined ? undefined : columns - indent.length;
  const set = (text: string): string[] => wrapWords(text.split(" "), room);
  const seeIt = next === "" ? [] : withCommand("see it:", next, room);
  const [first = "", ...rest] = set(headOf(loop) + last);
  const label = isFollower(loop) ? "follows " : `${colour.red("loop")}    `;
  return [label + first, ...[...rest, ...body.flatMap(set), ...seeIt].map((line) => indent + line)];
}

/** The line for a newly found loop: `found   ConfigMap shop/settings: .data.mode · 14 writes in 5.6 s`. */
export function foundText(loop: ObjectLoop | ProcessLoop): string {
  if ("controller" in loop) return `found   ${headOf(loop)}`;
  const summary =
    loop.is === "recreated"
      ? `deleted and created again · ${pluralize(loop.times, "time")}`
      : `${loop.fields[0]?.path ?? "no field changes"} · ${pluralize(loop.writes, "write")}`;
  return `found   ${objectText(loop)}: ${summary} in ${formatDuration(loop.ms)}`;
}

function headOf(loop: Loop): string {
  switch (loop.is) {
    case "rewritten":
      return `${objectText(loop)}: written ${pluralize(loop.writes, "time")} in ${formatDuration(loop.ms)}, ${rate(loop.writes, loop.ms)}`;
    case "recreated":
      return `${objectText(loop)}: deleted and created again ${pluralize(loop.times, "time")} in ${formatDuration(loop.ms)}, ${rate(loop.times, loop.ms)}`;
    case "own writes":
      return `${syncsText(loop)}, ${loop.byOwnWrite} of them triggered by its own write`;
    case "requeued":
      return `${syncsText(loop)}, ${rate(loop.syncs, loop.ms)}: each requeues the key, writes nothing and sees nothing new (${loop.why})`;
    case "without effect":
      return `${writtenText(loop)}, ${rate(loop.writes, loop.ms)}, and nothing changed: compare before writing`;
    case "refused":
      return `${writtenText(loop)}, ${rate(loop.writes, loop.ms)}, and refused each time: ${loop.error}`;
    case "read again":
      return `GET ${loop.key}: read ${pluralize(loop.reads, "time")} by ${loop.controller}, every ${formatDuration(loop.everyMs)}, with the same response`;
  }
}

function writtenText({ of, subresource, key, writes, ms }: IneffectiveLoop | RefusedLoop): string {
  const what = subresource === undefined ? of.kind : `${of.kind}/${subresource}`;
  return `${what} ${key}: written ${pluralize(writes, "time")} in ${formatDuration(ms)}`;
}

/** `because ConfigMap web Updated (.data.turn), 37 of 40 times`. */
function causeLines(causes: readonly CauseShare[]): readonly string[] {
  const all = causes.reduce((sum, { writes }) => sum + writes, 0);
  return causes.slice(0, shownCauses).map(({ why, writes }) => `${why}, ${writes} of ${pluralize(all, "time")}`);
}

function syncsText({ controller, key, syncs, ms }: SelfTriggeredLoop | RequeueLoop): string {
  return `${controller} ${key}: ${pluralize(syncs, "sync")} in ${formatDuration(ms)}`;
}

function objectText({ of, key }: ObjectName): string {
  return `${of.kind} ${key}`;
}

/** `4 a second`, `31 a minute`, `20 an hour`. */
function rate(writes: number, ms: number): string {
  const aMinute = ((writes - 1) * 60_000) / Math.max(ms, 1);
  if (aMinute >= 120) return `${Math.round(aMinute / 60)} a second`;
  return aMinute >= 2 ? `${Math.round(aMinute)} a minute` : `${Math.round(aMinute * 60)} an hour`;
}

function rewriteLines({ how, fields, writers, followsFrom }: RewriteLoop): readonly string[] {
  return [
    ...followsLines(followsFrom),
    ...(how === "empty" ? ["no field changes: every write makes a new version and nothing else"] : []),
    ...fieldLines(fields, followsFrom === undefined ? shownFields : shownOfFollowers),
    writersText(writers),
  ];
}

function followsLines(from: ObjectName | undefined): readonly string[] {
  return from === undefined ? [] : [`follows from ${from.of.kind} ${splitKey(from.key).name}`];
}

function recreateLines({ createdBy, deletedBy, followsFrom }: RecreateLoop): readonly string[] {
  const isKnown = (shares: readonly WriterShare[]): boolean => shares.some(({ name }) => name !== undefined);
  return [
    ...followsLines(followsFrom),
    isKnown(createdBy)
      ? `created by ${sharesText(createdBy, "time")}`
      : "creator unknown (not recorded in managedFields)",
    // Objects do not record who deleted them.
    isKnown(deletedBy)
      ? `deleted by ${sharesText(deletedBy, "time")}`
      : "deleter unknown (no object records it; see the API server's audit log)",
  ];
}

function fieldLines(fields: readonly LoopField[], most: number): readonly string[] {
  const more = fields.length - most;
  return [...fields.slice(0, most).map(fieldText), ...(more > 0 ? [`and ${pluralize(more, "more field")}`] : [])];
}

/**
 * `.spec.replicas 3 ⇄ 5 (40 changes, by gitops and hpa)`; for a field with a new value each time, the last ones:
 * `every write of op changes .status.lastSync: …, 10:00, 10:01 (20 changes)`.
 */
function fieldText({ path, how, changes, values, writers, everyWriteOf }: LoopField): string {
  const often = `(${pluralize(changes, "change")}${byText(writers)})`;
  if (how === "renewed") {
    const last = values.includes(masked) ? masked : valueTexts(values.slice(-shownValues)).join(", ");
    if (everyWriteOf === undefined) return `${path} changes on every write: …, ${last} ${often}`;
    return `every write of ${everyWriteOf} changes ${path}: …, ${last} (${pluralize(changes, "change")})`;
  }
  const present = values.filter((value) => value !== undefined);
  if (present.length === 1 && values.length === 2)
    return `${path} appears and disappears: ${shortValue(present[0])} ${often}`;
  const texts = valueTexts(values);
  if (texts.length === 2) return `${path} ${texts.join(" ⇄ ")} ${often}`;
  const first = texts.slice(0, shownValues).join(", ");
  return `${path} returns to ${first}${texts.length > shownValues ? ", …" : ""} ${often}`;
}

/** `, by gitops and hpa`. */
function byText(writers: readonly WriterShare[]): string {
  const names = writers.flatMap(({ name }) => name ?? []).sort();
  if (names.length === 0) return "";
  return `, by ${[...names, ...(names.length < writers.length ? ["an unknown writer"] : [])].join(" and ")}`;
}

function writersText(writers: readonly WriterShare[]): string {
  const named = writers.filter(({ name }) => name !== undefined);
  if (named.length === 0) return "writer  unknown (not recorded in managedFields)";
  return `${named.length === 1 ? "writer " : "writers"} ${sharesText(writers, "write")}`;
}

/** `hpa 120 writes · gitops 119 writes · unknown 1 write`. */
function sharesText(shares: readonly WriterShare[], what: string): string {
  const named = shares.filter(({ name }) => name !== undefined);
  const unknown = shares.find(({ name }) => name === undefined);
  const texts = [...named, ...(unknown === undefined ? [] : [unknown])];
  return texts.map(({ name, writes }) => `${name ?? "unknown"} ${pluralize(writes, what)}`).join(" · ");
}

/** Kinds whose counts advance during a rollout. */
const rolledOut = new Set(["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController"]);

/** `Deployment shop/web (240 writes; a rollout: .status.updatedReplicas advances 0 → 20)`. */
export function acquittalText({ of, key, writes, why }: Acquittal): string {
  const reason = ((): string => {
    switch (why.is) {
      case "advances":
        return `${rolledOut.has(of.kind) ? "a rollout: " : ""}${why.path} advances ${why.from} → ${why.to}`;
      case "answers":
        return `its status follows ${why.path}, which changed ${pluralize(why.changes, "time")}`;
      case "different":
        return why.fields === 0 ? "nothing was seen to change" : "each write changes something else";
      case "not for long":
        return `${why.path} changed often, but not steadily for long enough`;
    }
  })();
  return `${of.kind} ${key} (${pluralize(writes, "write")}; ${reason})`;
}

/** `watched 41 kinds for 60 s: no loop in 412 changes; not seen: secrets (no right to list and watch)`. Also states if nothing was written at all. */
export function loopsSummary(
  verdict: Verdict<Loop>,
  { kinds, ms, deltas }: { readonly kinds: number; readonly ms: number; readonly deltas: number },
): string {
  const unseen = unseenText(verdict.evidence.unseen);
  const rest = unseen === "" ? "" : `; ${unseen}`;
  // Too short a time is part of the verdict.
  const time = verdict.is === "cannot tell" && isTooShort(ms) ? "" : ` for ${formatDuration(ms)}`;
  return `watched ${pluralize(kinds, "kind")}${time}: ${verdictText(verdict, deltas)}${rest}`;
}

function verdictText(verdict: Verdict<Loop>, deltas: number): string {
  const changes = deltas === 0 ? "nothing was written" : pluralize(deltas, "change");
  switch (verdict.is) {
    case "found": {
      const causes = verdict.findings.filter((loop) => !isFollower(loop));
      return `${pluralize(causes.length, "loop")} in ${changes}`;
    }
    case "well":
      return deltas === 0 ? changes : `no loop in ${changes}`;
    case "cannot tell": {
      const { tooLittle = [] } = verdict.evidence;
      const why = tooLittle.length === 0 ? " whether there is a loop" : `: ${tooLittle.join("; ")}`;
      return `${changes}; cannot tell${why}`;
    }
  }
}
