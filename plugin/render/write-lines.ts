/** The lines for the writes of a decision. */
import { splitKey } from "../../src/api/key.ts";
import type { BlockWrite } from "../../src/views/sync-block.ts";
import { summaryText } from "./changes.ts";
import { formatDuration } from "../../src/api/duration.ts";
import { pluralize, type Style, withoutSuffix, wrapWords } from "../cli/style.ts";

const methods = {
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETE",
} as const;

/** Writes shown individually per decision. */
const namedWrites = 5;

/** Options of `writeLines`. */
export interface WriteLinesOptions {
  /** Spaces before each line. */
  readonly indent: number;
  /** Whether the changed fields are already shown above. */
  readonly areChangesShown: boolean;
}

/** One or more lines per write; for many similar ones the first few and a count; for earlier intentions only a count. */
export function writeLines(
  writes: readonly BlockWrite[],
  style: Style,
  { indent, areChangesShown }: WriteLinesOptions,
): string[] {
  const fresh = writes.filter(({ standsSince }) => standsSince === undefined);
  const shown = fresh.length > namedWrites + 1 ? fresh.slice(0, namedWrites) : fresh;
  const width = Math.max(0, ...shown.map((write) => requestText(write).length));
  const lines = shown.flatMap((write) => {
    const request = requestText(write);
    const pieces = [
      ...responsePieces(write),
      ...(areChangesShown ? [] : summaryText(write.summary)),
      ...shadowPieces(write),
    ];
    const paint = write.error === undefined ? (text: string): string => text : style.colour.red;
    const text = pieces.length === 0 ? request : `${request.padEnd(width)}  ${pieces.join(" · ")}`;
    return hangingLines(text, style, indent).map((line) => paint(line));
  });
  if (fresh.length > shown.length) lines.push(`${" ".repeat(indent)}${restText(fresh.slice(shown.length))}`);
  return [...lines, ...standingTexts(writes).flatMap((text) => hangingLines(text, style, indent))];
}

/** `2 × POST Pod, intended since sync 1`. */
function standingTexts(writes: readonly BlockWrite[]): string[] {
  const groups = new Map<string, number>();
  for (const { verb, of, subresource, standsSince } of writes) {
    if (standsSince === undefined) continue;
    const what = `${methods[verb]} ${of.kind}${subresource === undefined ? "" : `/${subresource}`}`;
    const text = `${what}, intended since sync ${standsSince}`;
    groups.set(text, (groups.get(text) ?? 0) + 1);
  }
  return [...groups].map(([text, count]) => (count === 1 ? text : `${count} × ${text}`));
}

function hangingLines(text: string, { columns }: Style, indent: number): string[] {
  const [first = "", ...rest] = wrapWords(text.split(" "), columns === undefined ? undefined : columns - indent - 2);
  return [" ".repeat(indent) + first, ...rest.map((line) => " ".repeat(indent + 2) + line)];
}

function requestText({ verb, of, subresource, ...write }: BlockWrite): string {
  const { namespace, name: named } = splitKey(write.key);
  // A collection has no name.
  const name = madeUpName(write)?.shown ?? (named === "" ? `(all in namespace ${namespace})` : named);
  return `${methods[verb]} ${of.kind} ${name}${subresource === undefined ? "" : `/${subresource}`}`;
}

/** For a would-be create with generateName: the generated placeholder, and the text to show, `web-…`. */
export function madeUpName({
  key,
  wouldBe,
  generatedName,
}: Pick<BlockWrite, "key" | "wouldBe" | "generatedName">):
  { readonly name: string; readonly shown: string } | undefined {
  if (wouldBe !== true || generatedName !== true) return undefined;
  const { name } = splitKey(key);
  return { name, shown: withoutSuffix(name) };
}

/** `201`, `48212`, `3.1 ms`; nothing for a would-be write, which was not sent. */
function responsePieces(write: BlockWrite): string[] {
  if (write.wouldBe === true) return write.error === undefined ? [] : [`would be refused: ${write.error}`];
  const status = write.status === 0 ? "no response" : String(write.status);
  if (write.error !== undefined) return [`${status} ${write.error}`];
  return [status, ...(write.resourceVersion === "" ? [] : [write.resourceVersion]), formatDuration(write.ms)];
}

/** The outcome of an intention: what the owner did. */
function shadowPieces({ wouldBe, agreement, error }: BlockWrite): string[] {
  if (wouldBe !== true || error !== undefined || agreement === undefined) return [];
  const { is, why, afterMs } = agreement;
  return [`${why}${afterMs === undefined ? "" : `, ${formatDuration(afterMs)} later`}`, is];
}

function restText(writes: readonly BlockWrite[]): string {
  const failed = writes.filter(({ error }) => error !== undefined).length;
  const settled = new Map<string, number>();
  for (const { agreement } of writes) {
    if (agreement !== undefined) settled.set(agreement.is, (settled.get(agreement.is) ?? 0) + 1);
  }
  const parts = [
    `and ${pluralize(writes.length, "more write")}`,
    ...(failed > 0 ? [`${failed} of them refused`] : []),
    ...[...settled].map(([is, count]) => `${count} ${is}`),
  ];
  return parts.join(" · ");
}
