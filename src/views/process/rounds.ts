/** Whether a write belongs to the reconcile of the writes before it. */
import type { Habits } from "./habits.ts";
import type { NumberedDelta, RecentDeltas } from "./recent-deltas.ts";
import type { RecentReads } from "./recent-reads.ts";
import { isSameThing, uidOf, type NumberedWrite } from "./subject.ts";

/** A write, the reconcile that may go on with it, and what is known of the process. */
export interface NextWrite {
  readonly write: NumberedWrite;
  /** Of the reconcile so far; at least one. */
  readonly writes: readonly NumberedWrite[];
  /** Of the reconciled object. */
  readonly uid: string;
  /** Of the last response. */
  readonly endedAt: number;
  readonly deltas: RecentDeltas;
  readonly reads: RecentReads;
  readonly habits: Habits;
  /** The writer reports its work in a status, as far as is known. */
  readonly tells: boolean;
}

/** Between two writes of one reconcile, however slow the process is. */
export const mostPauseMs = 250;
/** The same within what a reconcile does to other objects. */
const shortPauseMs = 50;
/** So many usual reactions after the echo of a write, a reconcile knows it, most probably: one that does not had begun before. */
export const echoKnown = 0.75;
/** The same, as far as one case can show. */
const echoSurelyKnown = 1.5;

/**
 * Whether a write belongs to the reconcile of the writes before it: it follows them at once, is not based on what came later, and neither
 * a refusal nor the status that this writer ends with lies in between. What it shows of the writer's habits is learned.
 */
export function goesOn(next: NextWrite): boolean {
  const { write, writes, endedAt, habits, tells } = next;
  const pauseMs = write.sentAt - endedAt;
  if (pauseMs > mostPauseMs) return false;
  const again = writes.findLast((one) => isSameThing(one, write));
  if (again?.error !== undefined) return wasReadAgain(again, next);
  if (wasRefused(next)) return false;
  if (isBasedOnLater(next)) {
    if (writes.at(-1)?.subresource === "status") habits.ended(beginningOf(writes));
    return false;
  }
  if (again !== undefined && !isFromSameVersion(again, write)) return false;
  const isStatus = write.subresource === "status";
  if (again !== undefined) return isStatus ? goesOnToStatus(again, next) : tells;
  if (writes.some(({ subresource }) => subresource === "status")) return habits.goesOnAfter(beginningOf(writes));
  // Writers that tell of their work in a status do so last: until then it is one reconcile.
  if (tells && (isStatus || pauseMs <= shortPauseMs)) return true;
  return !hasNews(next);
}

/** What a reconcile did so far, to be recognized in others of the same writer: a step that is repeated counts once, unless a status. */
export function beginningOf(writes: readonly NumberedWrite[]): string {
  const steps = writes.map(({ verb, of, subresource = "" }) => `${verb} ${of.kind} ${subresource}`);
  return steps.filter((step, index) => step !== steps[index - 1] || step.endsWith(" status")).join(", ");
}

/** An error ends a reconcile, unless the write was sent beside it. */
function wasRefused({ writes, write }: NextWrite): boolean {
  return writes.some((one) => one.error !== undefined && one.sentAt + one.ms <= write.sentAt);
}

/** What was refused is written again from what a live read showed since. */
function wasReadAgain(again: NumberedWrite, { write, reads }: NextWrite): boolean {
  const { of, key, before, conditional, sentAt } = write;
  const since = reads.between({ kind: of.kind, key, after: again.sentAt, before: sentAt });
  return since.some(({ resourceVersion }) => !conditional || resourceVersion === before);
}

/** A reconcile is based on what it knew when it began. */
function isBasedOnLater({ writes, write, deltas }: NextWrite): boolean {
  if (!write.conditional) return false;
  const read = deltas.own(uidOf(write)).find(({ resourceVersion }) => resourceVersion === write.before);
  const sentAt = Math.min(...writes.map((one) => one.sentAt));
  return read !== undefined && read.receivedAt > sentAt;
}

/** An object that a reconcile has changed, it writes again only by mistake: from the version that it knows. */
function isFromSameVersion(again: NumberedWrite, write: NumberedWrite): boolean {
  return write.conditional && again.before === write.before && again.resourceVersion !== again.before;
}

/** A status again, from the same version: by the same reconcile, or by the next one, whose cache does not show the first yet. */
function goesOnToStatus(again: NumberedWrite, { writes, write, deltas, habits }: NextWrite): boolean {
  const beginning = beginningOf(writes);
  const echo = deltas.own(uidOf(again)).find(({ resourceVersion }) => resourceVersion === again.resourceVersion);
  const echoMs = echo === undefined ? -Infinity : write.sentAt - echo.receivedAt;
  if (echoMs > echoKnown * habits.reactionMs) habits.wentOn(beginning);
  return habits.knows(beginning) ? habits.goesOnAfter(beginning) : echoMs > echoSurelyKnown * habits.reactionMs;
}

/** Whether a delta has come since that may have led to another reconcile: not the echo of one of these writes. */
function hasNews({ uid, writes, write, endedAt, deltas, habits }: NextWrite): boolean {
  const echoes = new Set(writes.map(({ resourceVersion }) => resourceVersion));
  const until = write.sentAt - habits.reactionMs / 2;
  const isNews = ({ receivedAt, resourceVersion }: NumberedDelta): boolean =>
    receivedAt > endedAt && receivedAt <= until && !echoes.has(resourceVersion);
  return [...deltas.own(uid), ...deltas.owned(uid)].some(isNews);
}
