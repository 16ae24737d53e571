/** Finds the delta that triggered a reconcile, and grades the evidence for it. */
import { splitKey } from "../../api/key.ts";
import type { Grade } from "../../trace/events.ts";
import type { ReconcileRef } from "../../trace/reconcile-ref.ts";
import { rank, type RankedDelta } from "./queue.ts";
import type { NumberedDelta } from "./recent-deltas.ts";
import type { NumberedWrite } from "./subject.ts";
import { startBounds, type StartBounds, isInTime, queuedDeltas, type ObservedReconcile } from "./waiting.ts";

/** A delta, and how it relates to the reconciled object. */
export interface Related {
  readonly grade: Grade;
  readonly delta: NumberedDelta;
}

/** The delta that triggered a reconcile, and the grade of evidence for it. */
export interface Cause extends Related {
  /** Time from its arrival at the process to the first write, in ms. */
  readonly beforeMs: number;
  /** A second delta that may have triggered the reconcile instead, or as well: only the process knows which. */
  readonly or?: Related;
}

/** A reconcile as observed, and what its writes say about it. */
export interface Evidence extends ObservedReconcile {
  /** What the writes state about their reconcile: always its object, sometimes the delta. Undefined if they state nothing. */
  readonly exact?: ReconcileRef | undefined;
  /** The delta that the writes name. */
  readonly named?: NumberedDelta | undefined;
}

/** The cause, and the bounds on the start of the reconcile. */
export interface CauseResult extends StartBounds {
  readonly cause: Cause | undefined;
}

/** A best candidate below this probability is named together with a second one. */
const certainFrom = 0.92;
/** The second one must raise the probability by at least this much. */
const minGain = 0.02;
/** Two deltas named together arrived at most this far apart. */
const maxApartMs = 50;

/** The delta that the writes name, or else the most probable one. */
export function causeOf(evidence: Evidence): CauseResult {
  const { exact, named, sentAt } = evidence;
  const times = startBounds(evidence);
  if (named !== undefined)
    return { ...times, cause: { grade: "exact", delta: named, beforeMs: sentAt - named.receivedAt } };
  if (exact?.again !== undefined) return { ...times, cause: undefined };
  const cause = probableCause({ ...evidence, ...times });
  const earliestStart = Math.max(times.earliestStart, cause?.or === undefined ? (cause?.delta.receivedAt ?? 0) : 0);
  return { ...times, earliestStart, cause: exact === undefined ? cause : exactly(cause) };
}

/** Raises the grade where the writes name the object. If no delta relates to that object, a requeue or timer triggered the reconcile. */
function exactly(cause: Cause | undefined): Cause | undefined {
  if (cause === undefined || cause.grade === "time") return undefined;
  if (cause.grade === "named") return cause;
  const { or } = cause;
  return { ...cause, grade: "exact", ...(or !== undefined && { or: { ...or, grade: "exact" } }) };
}

function probableCause(evidence: Evidence & StartBounds): Cause | undefined {
  const { sentAt, previous, deltas, writes, habits, latestStart, earliestStart } = evidence;
  const freeAt = previous?.endedAt ?? -Infinity;
  const ranked = rank(queuedDeltas(evidence), { freeAt, knownAt: earliestStart, sentAt, habits });
  const best = ownDeletion(ranked, writes) ?? ranked[0];
  if (best !== undefined) {
    learn(best, { ranked, ...evidence });
    const { grade, delta } = best.waiting;
    const or = best.probability < certainFrom ? secondBest(best, ranked) : undefined;
    return { grade, delta, beforeMs: sentAt - delta.receivedAt, ...(or !== undefined && { or }) };
  }
  const near = [...deltas.named(namesOf(writes))].find(
    (delta) => isInTime(delta, evidence) && delta.receivedAt > (previous?.latestStart ?? 0),
  );
  const delta = near ?? deltas.latest(latestStart);
  return delta && { grade: near === undefined ? "time" : "named", delta, beforeMs: sentAt - delta.receivedAt };
}

/** A reconcile that only deletes, after the deletion of its own object, is cleaning up after it. */
function ownDeletion(ranked: readonly RankedDelta[], writes: readonly NumberedWrite[]): RankedDelta | undefined {
  if (!writes.every(({ verb }) => verb === "delete")) return undefined;
  return ranked.find(({ waiting: { grade, delta } }) => grade === "own" && delta.type === "Deleted");
}

/** The second candidate: the one that leaves the least probability for all the rest. */
function secondBest(best: RankedDelta, ranked: readonly RankedDelta[]): Related | undefined {
  const gainOf = (one: RankedDelta): number => {
    if (one.reconcile !== best.reconcile) return one.probability;
    return phaseOf(one) === phaseOf(best) ? 0 : Math.min(one.probability, one.reconcileProbability - best.probability);
  };
  const [other] = ranked.toSorted((a, b) => gainOf(b) - gainOf(a));
  if (other === undefined || gainOf(other) < minGain) return undefined;
  const { grade, delta } = other.waiting;
  return Math.abs(delta.receivedAt - best.waiting.delta.receivedAt) > maxApartMs ? undefined : { grade, delta };
}

/** A reconcile takes either all deltas of a phase or none. */
function phaseOf({ waiting: { beforeEcho, category } }: RankedDelta): string {
  return beforeEcho ? "before echo" : category.isEcho ? "echo" : "after echo";
}

/** Updates the writer's habits from the choice of cause. */
function learn(
  best: RankedDelta,
  {
    ranked,
    habits,
    sentAt,
  }: Pick<ObservedReconcile, "habits" | "sentAt"> & { readonly ranked: readonly RankedDelta[] },
): void {
  for (const { waiting, reconcile, isAlone } of ranked) {
    if (waiting.untaken < 0.5) continue;
    if (reconcile < best.reconcile) habits.recordOutcome(waiting.category, "no write");
    else if (reconcile === best.reconcile && isAlone) habits.recordOutcome(waiting.category, "write");
  }
  const hasOthers = ranked.some((one) => one !== best && one.wasIdle);
  if (best.isAlone && best.wasIdle && !hasOthers) habits.recordReaction(sentAt - best.waiting.delta.receivedAt);
}

/** Names that may refer to the cause: those inside the written objects, and all dash-separated prefixes of the objects' own names. */
function namesOf(writes: readonly NumberedWrite[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { key, detail } of writes) {
    for (const name of detail?.names ?? []) names.add(name);
    const parts = splitKey(key).name.split("-");
    for (let length = parts.length; length > 0; length--) names.add(parts.slice(0, length).join("-"));
  }
  return names;
}
