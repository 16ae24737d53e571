/** Groups the writes of one object into reconciles. */
import type { Habits } from "./habits.ts";
import type { NumberedDelta, RecentDeltas } from "./recent-deltas.ts";
import type { RecentReads } from "./recent-reads.ts";
import { isSameThing, uidOf, type NumberedWrite } from "./subject.ts";

/** A write, the reconcile that it may continue, and what is known about the process. */
export interface NextWrite {
  readonly write: NumberedWrite;
  /** The writes of the reconcile so far; at least one. */
  readonly writes: readonly NumberedWrite[];
  /** The uid of the reconciled object. */
  readonly uid: string;
  /** When the last response arrived, in ms since 1970. */
  readonly endedAt: number;
  readonly deltas: RecentDeltas;
  readonly reads: RecentReads;
  readonly habits: Habits;
  /** Whether the writer reports its work in a status, as far as is known. */
  readonly reportsStatus: boolean;
}

/** Longest pause between two writes of one reconcile. */
export const maxPauseMs = 250;
/** The same for writes to objects other than the reconciled one. */
const shortPauseMs = 50;
/**
 * In reaction times: this long after the echo of a write, a new reconcile very probably knows the write, so one that does not know it
 * started before.
 */
export const echoKnown = 0.75;
/** The same, but enough to decide a single case. */
const echoSurelyKnown = 1.5;

/**
 * Whether a write belongs to the same reconcile as the writes before it: it follows at once, is not based on anything that arrived after
 * the reconcile started, and neither a refusal nor this writer's closing status write lies in between. Updates the writer's habits.
 */
export function continuesReconcile(next: NextWrite): boolean {
  const { write, writes, endedAt, habits, reportsStatus } = next;
  const pauseMs = write.sentAt - endedAt;
  if (pauseMs > maxPauseMs) return false;
  const earlier = writes.findLast((one) => isSameThing(one, write));
  if (earlier?.error !== undefined) return wasReadAgain(earlier, next);
  if (wasRefused(next)) return false;
  if (isBasedOnLater(next)) {
    if (writes.at(-1)?.subresource === "status") habits.recordEnd(stepsOf(writes));
    return false;
  }
  if (earlier !== undefined && !isFromSameVersion(earlier, write)) return false;
  const isStatus = write.subresource === "status";
  if (earlier !== undefined) return isStatus ? continuesWithStatus(earlier, next) : reportsStatus;
  if (writes.some(({ subresource }) => subresource === "status")) return habits.usuallyContinuesAfter(stepsOf(writes));
  // A writer that reports a status does so last: until then it is one reconcile.
  if (reportsStatus && (isStatus || pauseMs <= shortPauseMs)) return true;
  return !hasNews(next);
}

/** The steps of a reconcile so far, as text to compare with others of the same writer. A repeated step counts once, unless it is a status. */
export function stepsOf(writes: readonly NumberedWrite[]): string {
  const steps = writes.map(({ verb, of, subresource = "" }) => `${verb} ${of.kind} ${subresource}`);
  return steps.filter((step, index) => step !== steps[index - 1] || step.endsWith(" status")).join(", ");
}

/** A refused write ends a reconcile, unless this write was sent before the refusal arrived. */
function wasRefused({ writes, write }: NextWrite): boolean {
  return writes.some((one) => one.error !== undefined && one.sentAt + one.ms <= write.sentAt);
}

/** Whether a refused write is repeated from the result of a live read made since. */
function wasReadAgain(refused: NumberedWrite, { write, reads }: NextWrite): boolean {
  const { of, key, before, conditional, sentAt } = write;
  const since = reads.between({ kind: of.kind, key, after: refused.sentAt, before: sentAt });
  return since.some(({ resourceVersion }) => !conditional || resourceVersion === before);
}

/** Whether a write is based on a version that arrived after the reconcile's first request: then it belongs to a later reconcile. */
function isBasedOnLater({ writes, write, deltas }: NextWrite): boolean {
  if (!write.conditional) return false;
  const read = deltas.own(uidOf(write)).find(({ resourceVersion }) => resourceVersion === write.before);
  const sentAt = Math.min(...writes.map((one) => one.sentAt));
  return read !== undefined && read.receivedAt > sentAt;
}

/** Whether two writes are based on the same version, though the first changed it: a reconcile that repeats a write still has the old one. */
function isFromSameVersion(earlier: NumberedWrite, write: NumberedWrite): boolean {
  return write.conditional && earlier.before === write.before && earlier.resourceVersion !== earlier.before;
}

/** Whether a second status write from the same version is of the same reconcile, or of the next one with a cache that is still stale. */
function continuesWithStatus(earlier: NumberedWrite, { writes, write, deltas, habits }: NextWrite): boolean {
  const steps = stepsOf(writes);
  const echo = deltas.own(uidOf(earlier)).find(({ resourceVersion }) => resourceVersion === earlier.resourceVersion);
  const echoMs = echo === undefined ? -Infinity : write.sentAt - echo.receivedAt;
  if (echoMs > echoKnown * habits.reactionMs) habits.recordContinuation(steps);
  return habits.knows(steps) ? habits.usuallyContinuesAfter(steps) : echoMs > echoSurelyKnown * habits.reactionMs;
}

/** Whether a delta that may have triggered another reconcile has arrived since; the echoes of these writes do not count. */
function hasNews({ uid, writes, write, endedAt, deltas, habits }: NextWrite): boolean {
  const echoes = new Set(writes.map(({ resourceVersion }) => resourceVersion));
  const until = write.sentAt - habits.reactionMs / 2;
  const isNew = ({ receivedAt, resourceVersion }: NumberedDelta): boolean =>
    receivedAt > endedAt && receivedAt <= until && !echoes.has(resourceVersion);
  return [...deltas.own(uid), ...deltas.owned(uid)].some(isNew);
}
