/**
 * Reconstructs the work queue of a process: which reconciles the deltas of one object triggered, one after the other, and which of these
 * made a write. A reconcile takes all deltas that arrived before it starts; the next one starts when it ends, or with the next delta.
 */
import type { Grade } from "../../trace/events.ts";
import type { Habits, DeltaCategory } from "./habits.ts";
import type { NumberedDelta } from "./recent-deltas.ts";

/** A delta that may have been waiting in the queue. */
export interface QueuedDelta {
  readonly grade: Grade;
  readonly delta: NumberedDelta;
  readonly category: DeltaCategory;
  /** It arrived before the echo of the previous reconcile's write to the object. */
  readonly beforeEcho: boolean;
  /** The probability that the previous reconcile did not take it. */
  readonly untaken: number;
}

/** What is known about the reconcile that made the write. All times in ms since 1970. */
export interface KnownTimes {
  readonly habits: Habits;
  /** When the previous reconcile ended; -Infinity if there was none. */
  readonly freeAt: number;
  /** When the newest version that its writes are based on arrived: it started later than that. */
  readonly knownAt: number;
  /** When its first request was sent. */
  readonly sentAt: number;
}

/** A delta, and the probability that it triggered the write. */
export interface RankedDelta {
  readonly waiting: QueuedDelta;
  readonly probability: number;
  /** The index of the reconcile that took the delta, from 0, and the probability that this reconcile made the write. */
  readonly reconcile: number;
  readonly reconcileProbability: number;
  /** The reconcile took no other delta. */
  readonly isAlone: boolean;
  /** No reconcile was running when the delta arrived. */
  readonly wasIdle: boolean;
}

/** A reconcile that the deltas must have triggered. */
interface Reconcile {
  /** As seen from the proxy: when its first delta arrived, or when the previous reconcile ended. */
  readonly startedAt: number;
  readonly took: readonly QueuedDelta[];
}

/** As shares of the reaction time: the length of a reconcile that writes nothing, and the window within which deltas may be taken together. */
const [noWriteLength, togetherWindow] = [0.35, 0.14];
/** The probability that deltas within that window are taken together. */
const together = 0.5;
/** The probability that a delta arriving just as a reconcile ends is too late for the next one; it decays over this share of the reaction time. */
const [tooLate, tooLateDecay] = [0.3, 0.3];
/** The weight of a reconcile that seems to have started before something it knew had arrived. */
const impossible = 1e-6;

/** Ranks deltas by the probability that they triggered the write, the most probable first. `waiting`: oldest first. */
export function rank(waiting: readonly QueuedDelta[], known: KnownTimes): readonly RankedDelta[] {
  const reconciles = reconcilesOf(waiting, known);
  // The write was made by the first reconcile that wrote anything.
  let noWriteSoFar = 1;
  const weights = reconciles.map((reconcile) => {
    const noWrite = noWriteProbability(reconcile, known.habits);
    const weight = noWriteSoFar * (1 - noWrite) * timingLikelihood(reconcile, known);
    noWriteSoFar *= noWrite;
    return weight;
  });
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const ranked = reconciles.flatMap((reconcile, number) => {
    const { startedAt, took } = reconcile;
    const reconcileProbability = sum === 0 ? 0 : (weights[number] ?? 0) / sum;
    return took.map((one) => ({
      waiting: one,
      probability: reconcileProbability * one.untaken * takenProbability(one, { ...known, ...reconcile }),
      reconcile: number,
      reconcileProbability,
      isAlone: took.length === 1,
      wasIdle: startedAt > known.freeAt,
    }));
  });
  return ranked.toSorted(
    (a, b) => b.probability - a.probability || b.waiting.delta.receivedAt - a.waiting.delta.receivedAt,
  );
}

function reconcilesOf(
  waiting: readonly QueuedDelta[],
  { freeAt, habits: { reactionMs } }: KnownTimes,
): readonly Reconcile[] {
  const reconciles: Reconcile[] = [];
  for (let next = 0; next < waiting.length;) {
    const last = reconciles.at(-1);
    const idleAt = last === undefined ? freeAt : last.startedAt + noWriteLength * reactionMs;
    const startedAt = Math.max(waiting[next]?.delta.receivedAt ?? 0, idleAt);
    const later = waiting.findIndex(({ delta }) => delta.receivedAt > startedAt + togetherWindow * reactionMs);
    const end = later === -1 ? waiting.length : later;
    reconciles.push({ startedAt, took: waiting.slice(next, end) });
    next = end;
  }
  return reconciles;
}

/** A reconcile writes nothing if no delta that it took makes it write. Several deltas of one category count once. */
function noWriteProbability({ took }: Reconcile, habits: Habits): number {
  const categories = new Map<string, number>();
  for (const { category, untaken } of took) {
    const noWrite = 1 - untaken * (1 - habits.noWriteShare(category));
    categories.set(category.name, Math.min(noWrite, categories.get(category.name) ?? 1));
  }
  return product([...categories.values()]);
}

/** How likely the time from its start to the write is; a reconcile cannot have started before what it knew arrived. */
function timingLikelihood({ startedAt, took }: Reconcile, { freeAt, knownAt, sentAt, habits }: KnownTimes): number {
  const tookUntil = Math.max(startedAt, took.at(-1)?.delta.receivedAt ?? startedAt);
  const cannotKnow = tookUntil + 0.02 * habits.reactionMs < knownAt && knownAt > freeAt - habits.reactionMs / 2;
  return habits.likelihoodOf(sentAt - startedAt) * (cannotKnow ? impossible : 1);
}

/** The probability that a reconcile really took one of the deltas that it seems to have taken. */
function takenProbability(one: QueuedDelta, reconcile: Reconcile & KnownTimes): number {
  const { startedAt, took, freeAt, habits } = reconcile;
  if (took.length === 1) return 1;
  if (startedAt === freeAt && one.delta.receivedAt <= freeAt) return takenAfterWait(one, reconcile);
  const place = took.indexOf(one);
  const earlier = product(took.slice(0, place).map(({ category }) => habits.noWriteShare(category)));
  const isLast = place === took.length - 1;
  return together + (1 - together) * earlier * (isLast ? 1 : 1 - habits.noWriteShare(one.category));
}

/**
 * The same for a delta that arrived while the previous reconcile was running. A writer that waits for the echo of its last write writes
 * when the echo arrives; deltas before it have had no effect until then. A writer that does not wait may have found nothing to do on the
 * echo, and have written because of a delta after it.
 */
function takenAfterWait(
  { delta, category, beforeEcho }: QueuedDelta,
  { took, freeAt, habits }: Reconcile & KnownTimes,
): number {
  const late = tooLate * Math.exp((delta.receivedAt - freeAt) / (tooLateDecay * habits.reactionMs));
  const hasBeforeEcho = took.some((other) => other.beforeEcho);
  const waits = hasBeforeEcho ? habits.waitsForEcho : 0;
  if (beforeEcho) return (1 - late) * (1 - waits);
  if (!category.isEcho) return (1 - late) * (1 - 0.1 * waits);
  // A cache holds a version before its handlers run, so a reconcile may know a version that did not trigger it.
  const unlessWaiting = hasBeforeEcho ? 0.9 : together + (1 - together) * (1 - habits.noWriteShare(category));
  return (1 - late / 3) * (waits + (1 - waits) * unlessWaiting);
}

function product(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all * one, 1);
}
