/** The writes of a decision, as lines under it. */
import { splitKey } from "../../src/api/key.ts";
import type { BlockWrite } from "../../src/views/sync-block.ts";
import { changesText } from "./changes.ts";
import { counted, formatDuration, type Style, wrapWords } from "./style.ts";

const methods = {
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETE",
} as const;

/** Writes of one decision that are named one by one. */
const namedWrites = 5;
const shownChanges = 4;

export interface WriteLinesOptions {
  /** Spaces before each line. */
  readonly indent: number;
  /** The changed fields stand above already. */
  readonly told: boolean;
}

/** A line or more for each write; of many alike the first few and a count. */
export function writeLines(writes: readonly BlockWrite[], style: Style, { indent, told }: WriteLinesOptions): string[] {
  const shown = writes.length > namedWrites + 1 ? writes.slice(0, namedWrites) : writes;
  const width = Math.max(0, ...shown.map((write) => requestText(write).length));
  const lines = shown.flatMap((write) => {
    const { colour } = style;
    const request = requestText(write);
    const pieces = [
      answerText(write),
      ...(told ? [] : changesText(write.changes, shownChanges)),
      ...shadowPieces(write),
    ];
    const paint = write.error === undefined ? (text: string): string => text : colour.red;
    return hung(`${request.padEnd(width)}  ${pieces.join(" · ")}`, style, indent).map(paint);
  });
  if (writes.length > shown.length) lines.push(`${" ".repeat(indent)}${restText(writes.slice(shown.length))}`);
  return lines;
}

function hung(text: string, { columns }: Style, indent: number): string[] {
  const [first = "", ...rest] = wrapWords(text.split(" "), columns === undefined ? undefined : columns - indent - 2);
  return [" ".repeat(indent) + first, ...rest.map((line) => " ".repeat(indent + 2) + line)];
}

function requestText({ verb, of, key, subresource }: BlockWrite): string {
  return `${methods[verb]} ${of.kind} ${splitKey(key).name}${subresource === undefined ? "" : `/${subresource}`}`;
}

/** `201 · 48212 · 3.1 ms`; of a would-be write nothing, since nothing was sent. */
function answerText(write: BlockWrite): string {
  if (write.wouldBe === true) return write.error === undefined ? "not sent" : `would be refused: ${write.error}`;
  const status = write.status === 0 ? "no answer" : String(write.status);
  if (write.error !== undefined) return `${status} ${write.error}`;
  const version = write.resourceVersion === "" ? [] : [write.resourceVersion];
  return [status, ...version, formatDuration(write.ms)].join(" · ");
}

/** What the owner did about it. */
function shadowPieces({ wouldBe, standsSince, agreement, error }: BlockWrite): string[] {
  if (wouldBe !== true || error !== undefined) return [];
  const pieces = standsSince === undefined ? [] : [`intended since sync ${standsSince}`];
  if (agreement === undefined) return pieces;
  return [...pieces, `${agreement.why} · ${agreement.is}`];
}

function restText(writes: readonly BlockWrite[]): string {
  const failed = writes.filter(({ error }) => error !== undefined).length;
  const settled = new Map<string, number>();
  for (const { agreement } of writes) {
    if (agreement !== undefined) settled.set(agreement.is, (settled.get(agreement.is) ?? 0) + 1);
  }
  const parts = [
    `and ${counted(writes.length, "more write")}`,
    ...(failed > 0 ? [`${failed} of them refused`] : []),
    ...[...settled].map(([is, count]) => `${count} ${is}`),
  ];
  return parts.join(" · ");
}
