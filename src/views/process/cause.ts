/** Which delta led to a reconcile, and on which evidence. */
import { splitKey } from "../../api/key.ts";
import type { Grade } from "../../trace/events.ts";
import type { ReconcileRef } from "../../trace/reconcile-ref.ts";
import { rank, type Ranked } from "./queue.ts";
import type { NumberedDelta } from "./recent-deltas.ts";
import type { NumberedWrite } from "./subject.ts";
import { begun, type Begun, isInTime, waitingFor, type Writing } from "./waiting.ts";

/** A delta with the relation that it is related by. */
export interface Related {
  readonly grade: Grade;
  readonly delta: NumberedDelta;
}

/** A delta that led to a reconcile, and how that is known. */
export interface Cause extends Related {
  /** From its arrival at the process to the first write, in ms. */
  readonly beforeMs: number;
  /** Another one that may have led to it instead, or as well: which of them did, the process alone knows. */
  readonly or?: Related;
}

/** What is known of a reconcile. */
export interface Evidence extends Writing {
  /** The reconcile, where its writes name it: then its object is known, and maybe the delta. */
  readonly exact?: ReconcileRef | undefined;
  /** The delta that they name. */
  readonly named?: NumberedDelta | undefined;
}

/** What was found out. */
export interface Found extends Begun {
  readonly cause: Cause | undefined;
}

/** What is less probable is named together with the next probable. */
const sureFrom = 0.92;
/** What would not make it surer by so much is not named. */
const leastGain = 0.02;
/** Two deltas that are further apart are not named together. */
const mostApartMs = 50;

/** The most probable cause; the one that the writes name, where they do. */
export function causeOf(evidence: Evidence): Found {
  const { exact, named, sentAt } = evidence;
  const times = begun(evidence);
  if (named !== undefined)
    return { ...times, cause: { grade: "exact", delta: named, beforeMs: sentAt - named.receivedAt } };
  if (exact?.again !== undefined) return { ...times, cause: undefined };
  const cause = probableCause({ ...evidence, ...times });
  const begunAfter = Math.max(times.begunAfter, cause?.or === undefined ? (cause?.delta.receivedAt ?? 0) : 0);
  return { ...times, begunAfter, cause: exact === undefined ? cause : exactly(cause) };
}

/** The object is certain; without a delta of its own, the reconcile was a requeue or a timer. */
function exactly(cause: Cause | undefined): Cause | undefined {
  if (cause === undefined || cause.grade === "time") return undefined;
  if (cause.grade === "named") return cause;
  const { or } = cause;
  return { ...cause, grade: "exact", ...(or !== undefined && { or: { ...or, grade: "exact" } }) };
}

function probableCause(evidence: Evidence & Begun): Cause | undefined {
  const { sentAt, last, deltas, writes, habits, begunBy, begunAfter } = evidence;
  const freeAt = last?.endedAt ?? -Infinity;
  const ranked = rank(waitingFor(evidence), { freeAt, knownAt: begunAfter, sentAt, habits });
  const best = collected(ranked, writes) ?? ranked[0];
  if (best !== undefined) {
    learn(best, { ranked, ...evidence });
    const { grade, delta } = best.waiting;
    const or = best.chance < sureFrom ? otherThan(best, ranked) : undefined;
    return { grade, delta, beforeMs: sentAt - delta.receivedAt, ...(or !== undefined && { or }) };
  }
  const near = [...deltas.named(namesOf(writes))].find(
    (delta) => isInTime(delta, evidence) && delta.receivedAt > (last?.begunBy ?? 0),
  );
  const delta = near ?? deltas.latest(begunBy);
  return delta && { grade: near === undefined ? "time" : "named", delta, beforeMs: sentAt - delta.receivedAt };
}

/** What is deleted once its owner is gone is deleted for that. */
function collected(ranked: readonly Ranked[], writes: readonly NumberedWrite[]): Ranked | undefined {
  if (!writes.every(({ verb }) => verb === "delete")) return undefined;
  return ranked.find(({ waiting: { grade, delta } }) => grade === "own" && delta.type === "Deleted");
}

/** The one that leaves the least chance for any third. */
function otherThan(best: Ranked, ranked: readonly Ranked[]): Related | undefined {
  const gainOf = (one: Ranked): number => {
    if (one.reconcile !== best.reconcile) return one.chance;
    return standingOf(one) === standingOf(best) ? 0 : Math.min(one.chance, one.reconcileChance - best.chance);
  };
  const [other] = ranked.toSorted((a, b) => gainOf(b) - gainOf(a));
  if (other === undefined || gainOf(other) < leastGain) return undefined;
  const { grade, delta } = other.waiting;
  return Math.abs(delta.receivedAt - best.waiting.delta.receivedAt) > mostApartMs ? undefined : { grade, delta };
}

/** Those that one reconcile takes all or none of. */
function standingOf({ waiting: { isBehind, sort } }: Ranked): string {
  return isBehind ? "behind" : sort.isEcho ? "echo" : "later";
}

/** What the choice shows of the writer's habits. */
function learn(
  best: Ranked,
  { ranked, habits, sentAt }: Pick<Writing, "habits" | "sentAt"> & { readonly ranked: readonly Ranked[] },
): void {
  for (const { waiting, reconcile, isAlone } of ranked) {
    if (waiting.left < 0.5) continue;
    if (reconcile < best.reconcile) habits.led(waiting.sort, "nothing");
    else if (reconcile === best.reconcile && isAlone) habits.led(waiting.sort, "a write");
  }
  const hasOthers = ranked.some((one) => one !== best && one.wasIdle);
  if (best.isAlone && best.wasIdle && !hasOthers) habits.reacted(sentAt - best.waiting.delta.receivedAt);
}

/** The names in what was written, and what the written objects' own names begin with. */
function namesOf(writes: readonly NumberedWrite[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { key, detail } of writes) {
    for (const name of detail?.names ?? []) names.add(name);
    const parts = splitKey(key).name.split("-");
    for (let length = parts.length; length > 0; length--) names.add(parts.slice(0, length).join("-"));
  }
  return names;
}
