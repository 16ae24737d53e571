/**
 * The work queue of a process, as it must have been: which reconciles the deltas of one object led to, one after the other, and which of
 * them made a write. A reconcile takes all that has come until it begins; the next one begins when it has ended, or with the next delta.
 */
import type { Grade } from "../../trace/events.ts";
import type { Habits, Sort } from "./habits.ts";
import type { NumberedDelta } from "./recent-deltas.ts";

/** A delta that may have waited in the queue. */
export interface Waiting {
  readonly grade: Grade;
  readonly delta: NumberedDelta;
  readonly sort: Sort;
  /** It came before the process received what the reconcile before had written to the object. */
  readonly isBehind: boolean;
  /** How likely the reconcile before had left it. */
  readonly left: number;
}

/** What is known of the reconcile that made the write. */
export interface Known {
  readonly habits: Habits;
  /** When the reconcile before had ended; -Infinity if there was none. */
  readonly freeAt: number;
  /** When the newest version that its writes are based on had come: it began later. */
  readonly knownAt: number;
  /** When its first request was sent. */
  readonly sentAt: number;
}

/** A delta, and how likely it led to the write. */
export interface Ranked {
  readonly waiting: Waiting;
  readonly chance: number;
  /** The reconcile that took it, by number from 0, and how likely it made the write. */
  readonly reconcile: number;
  readonly reconcileChance: number;
  /** It alone was taken. */
  readonly isAlone: boolean;
  /** The reconcile began with it, because none was running. */
  readonly wasIdle: boolean;
}

/** A reconcile that the deltas must have led to. */
interface Reconcile {
  /** As seen from the door: when its first delta came, or when the one before had ended. */
  readonly startedAt: number;
  readonly took: readonly Waiting[];
}

/** Of a usual reaction: how long a reconcile takes that writes nothing, and the time within which deltas are taken together, maybe. */
const [silentShare, togetherShare] = [0.35, 0.14];
/** How likely they are. */
const together = 0.5;
/** How likely a delta that came when the reconcile before ended came too late for the next; it fades within this share of a reaction. */
const [tooLate, tooLateShare] = [0.3, 0.3];
/** Of a reconcile that began before something that it knows had come: as good as impossible. */
const impossible = 1e-6;

/** The deltas by how likely they led to the write, the likeliest first. `waiting`: oldest first. */
export function rank(waiting: readonly Waiting[], known: Known): readonly Ranked[] {
  const reconciles = reconcilesOf(waiting, known);
  // The write is of the first that did not write nothing.
  let silentSoFar = 1;
  const weights = reconciles.map((reconcile) => {
    const silent = silenceOf(reconcile, known.habits);
    const weight = silentSoFar * (1 - silent) * fitOf(reconcile, known);
    silentSoFar *= silent;
    return weight;
  });
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const ranked = reconciles.flatMap((reconcile, number) => {
    const { startedAt, took } = reconcile;
    const reconcileChance = sum === 0 ? 0 : (weights[number] ?? 0) / sum;
    return took.map((one) => ({
      waiting: one,
      chance: reconcileChance * one.left * shareOf(one, { ...known, ...reconcile }),
      reconcile: number,
      reconcileChance,
      isAlone: took.length === 1,
      wasIdle: startedAt > known.freeAt,
    }));
  });
  return ranked.toSorted((a, b) => b.chance - a.chance || b.waiting.delta.receivedAt - a.waiting.delta.receivedAt);
}

function reconcilesOf(waiting: readonly Waiting[], { freeAt, habits: { reactionMs } }: Known): readonly Reconcile[] {
  const reconciles: Reconcile[] = [];
  for (let next = 0; next < waiting.length;) {
    const last = reconciles.at(-1);
    const isFreeAt = last === undefined ? freeAt : last.startedAt + silentShare * reactionMs;
    const startedAt = Math.max(waiting[next]?.delta.receivedAt ?? 0, isFreeAt);
    const later = waiting.findIndex(({ delta }) => delta.receivedAt > startedAt + togetherShare * reactionMs);
    const end = later === -1 ? waiting.length : later;
    reconciles.push({ startedAt, took: waiting.slice(next, end) });
    next = end;
  }
  return reconciles;
}

/** A reconcile writes nothing if no delta that it took makes it write. Of several of one sort, one says it all. */
function silenceOf({ took }: Reconcile, habits: Habits): number {
  const sorts = new Map<string, number>();
  for (const { sort, left } of took) {
    const silent = 1 - left * (1 - habits.silenceOf(sort));
    sorts.set(sort.name, Math.min(silent, sorts.get(sort.name) ?? 1));
  }
  return product([...sorts.values()]);
}

/** How well the time from its beginning to the write fits; none began before what it knew had come. */
function fitOf({ startedAt, took }: Reconcile, { freeAt, knownAt, sentAt, habits }: Known): number {
  const tookUntil = Math.max(startedAt, took.at(-1)?.delta.receivedAt ?? startedAt);
  const cannotKnow = tookUntil + 0.02 * habits.reactionMs < knownAt && knownAt > freeAt - habits.reactionMs / 2;
  return habits.fitOf(sentAt - startedAt) * (cannotKnow ? impossible : 1);
}

/** How likely one of those that a reconcile seems to have taken is one that it took. */
function shareOf(one: Waiting, reconcile: Reconcile & Known): number {
  const { startedAt, took, freeAt, habits } = reconcile;
  if (took.length === 1) return 1;
  if (startedAt === freeAt && one.delta.receivedAt <= freeAt) return waitedShare(one, reconcile);
  const place = took.indexOf(one);
  const earlier = product(took.slice(0, place).map(({ sort }) => habits.silenceOf(sort)));
  const isLast = place === took.length - 1;
  return together + (1 - together) * earlier * (isLast ? 1 : 1 - habits.silenceOf(one.sort));
}

/**
 * Of those that came while the reconcile before was running. A writer that waits for the echo of its last write writes with that, and
 * what came earlier has led to nothing until then. One that does not may have found nothing to do upon the echo, and written upon what
 * came after it.
 */
function waitedShare({ delta, sort, isBehind }: Waiting, { took, freeAt, habits }: Reconcile & Known): number {
  const late = tooLate * Math.exp((delta.receivedAt - freeAt) / (tooLateShare * habits.reactionMs));
  const hasBehind = took.some((other) => other.isBehind);
  const waits = hasBehind ? habits.waitsForEcho : 0;
  if (isBehind) return (1 - late) * (1 - waits);
  if (!sort.isEcho) return (1 - late) * (1 - 0.1 * waits);
  // A cache shows a version before its handlers are called, so it may be known to a reconcile that it did not lead to.
  const unlessWaiting = hasBehind ? 0.9 : together + (1 - together) * (1 - habits.silenceOf(sort));
  return (1 - late / 3) * (waits + (1 - waits) * unlessWaiting);
}

function product(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all * one, 1);
}
