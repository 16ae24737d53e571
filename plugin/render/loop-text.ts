/** Loops in words. */
import type { FieldFlap } from "../../src/views/flap.ts";
import type { Loop, RewriteLoop } from "../../src/views/loops.ts";
import { shortValue } from "./changes.ts";
import { counted, formatDuration, type Style, wrapWords } from "./style.ts";

/** Fields of one loop that are named, and values of one field. */
const shownFields = 4;
const shownValues = 3;
const indent = " ".repeat(8);

/**
 * A block for a loop: what is rewritten and how fast, the fields that do it with the values seen, and who writes them. `next` is the
 * command line that shows it live.
 */
export function loopText(loop: Loop, { columns, colour }: Style, next: string): readonly string[] {
  const head =
    loop.is === "rewritten"
      ? `${loop.of.kind} ${loop.key}: written ${counted(loop.writes, "time")} in ${formatDuration(loop.ms)}, ${rate(loop.writes, loop.ms)}`
      : `${loop.controller} ${loop.key}: ${counted(loop.syncs, "sync")} in ${formatDuration(loop.ms)}, ${loop.byOwnWrite} of them woken by its own write`;
  const body = [
    ...(loop.is === "rewritten" && loop.how === "empty"
      ? ["no field changes: every write makes a new version and nothing else"]
      : []),
    ...loop.fields.slice(0, shownFields).map(fieldText),
    ...(loop.fields.length > shownFields ? [`and ${loop.fields.length - shownFields} more fields`] : []),
    ...(loop.is === "rewritten" ? [writersText(loop)] : []),
    ...(next === "" ? [] : [`see it: ${next}`]),
  ];
  const set = (text: string): string[] =>
    wrapWords(text.split(" "), columns === undefined ? undefined : columns - indent.length);
  const [first = "", ...rest] = set(head);
  return [
    `${colour.red("loop")}    ${first}`,
    ...rest.map((line) => indent + line),
    ...body.flatMap(set).map((line) => indent + line),
  ];
}

/** `4 a second`, `31 a minute`. */
function rate(writes: number, ms: number): string {
  const aMinute = ((writes - 1) * 60_000) / Math.max(ms, 1);
  return aMinute >= 120 ? `${Math.round(aMinute / 60)} a second` : `${Math.round(aMinute)} a minute`;
}

/** `.spec.replicas 3 ⇄ 5 (40 changes, by gitops and hpa)`; of a field with a new value each time the last ones. */
function fieldText({ path, changes, returns, values, writers }: FieldFlap): string {
  const by = writers.length === 0 ? "" : `, by ${[...writers].sort().join(" and ")}`;
  const often = `(${counted(changes, "change")}${by})`;
  if (returns === 0) {
    const last = values.slice(-shownValues).map(shortValue).join(", ");
    return `${path} is another one each time: …, ${last} ${often}`;
  }
  if (values.length === 2) return `${path} ${values.map(shortValue).join(" ⇄ ")} ${often}`;
  const first = values.slice(0, shownValues).map(shortValue).join(", ");
  return `${path} comes back to ${first}${values.length > shownValues ? ", …" : ""} ${often}`;
}

function writersText({ writers }: RewriteLoop): string {
  const known = writers.filter(({ name }) => name !== undefined);
  const unknown = writers.find(({ name }) => name === undefined)?.writes ?? 0;
  if (known.length === 0) return "writer  managedFields do not tell";
  const named = known.map(({ name, writes }) => `${name} ${counted(writes, "write")}`).join(" · ");
  return `${known.length === 1 ? "writer " : "writers"} ${named}${unknown === 0 ? "" : ` · unknown ${counted(unknown, "write")}`}`;
}

/** `watched 41 kinds for 60 s: 2 loops; 3 objects were written as often and get somewhere` */
export function loopsSummaryLine(found: {
  readonly kinds: number;
  readonly ms: number;
  readonly loops: number;
  readonly busy: number;
}): string {
  const { kinds, ms, loops, busy } = found;
  const were = busy === 1 ? "1 object was" : `${busy} objects were`;
  const rest = busy === 0 ? "" : `; ${were} written as often, but without going round in circles`;
  return `watched ${counted(kinds, "kind")} for ${formatDuration(ms)}: ${loops === 0 ? "no loop" : counted(loops, "loop")}${rest}`;
}
