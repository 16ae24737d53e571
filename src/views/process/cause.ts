/** Which delta led to a reconcile, and on which evidence. */
import { splitKey } from "../../api/key.ts";
import type { Grade } from "../../trace/events.ts";
import type { ReconcileRef } from "../../trace/reconcile-ref.ts";
import { uidOf, type NumberedWrite, type Subject } from "./subject.ts";
import type { NumberedDelta, RecentDeltas } from "./recent-deltas.ts";

/** A delta that led to a reconcile, and how that is known. */
export interface Cause {
  readonly grade: Grade;
  readonly delta: NumberedDelta;
  /** From its arrival at the process to the first write, in ms. */
  readonly beforeMs: number;
  /** Another one that may have led to it as well: they came so close together that the process alone knows. */
  readonly or?: NumberedDelta;
}

/** The reconcile of the same object before. */
export interface EarlierReconcile {
  readonly number: number;
  /** Of its first write. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly failed: boolean;
  /** When the delta that led to it was received: what came until then, it has taken up. */
  readonly wokenAt: number;
}

/** What is known of a reconcile. */
export interface Evidence {
  readonly subject: Subject;
  readonly writes: readonly NumberedWrite[];
  readonly last: EarlierReconcile | undefined;
  readonly deltas: RecentDeltas;
  /** Earlier times from a delta to the first write, in ms. */
  readonly reactions: readonly number[];
  /** The reconcile, where its writes name it: then its object is known, and maybe the delta. */
  readonly exact?: ReconcileRef | undefined;
  /** The delta that they name. */
  readonly named?: NumberedDelta | undefined;
}

/** What was found out. */
export interface Found {
  readonly cause: Cause | undefined;
  /** From the delta to the first write, where nothing else can have led to it. */
  readonly reactionMs: number | undefined;
}

interface Candidate {
  readonly grade: Grade;
  readonly delta: NumberedDelta;
}

/** A delta longer ago has led to what was done since then. */
const freshMs = 10_000;

/** The most probable cause; the one that the writes name, where they do. */
export function causeOf(evidence: Evidence): Found {
  const { writes, exact, named } = evidence;
  const sentAt = Math.min(...writes.map((write) => write.sentAt));
  if (named !== undefined)
    return { cause: { grade: "exact", delta: named, beforeMs: sentAt - named.receivedAt }, reactionMs: undefined };
  if (exact?.again !== undefined) return { cause: undefined, reactionMs: undefined };
  const { cause, reactionMs } = probableCause(evidence, sentAt);
  if (exact === undefined || cause === undefined) return { cause, reactionMs };
  // The object is certain; without a delta of its own, the reconcile was a requeue or a timer.
  if (cause.grade === "time") return { cause: undefined, reactionMs };
  return { cause: cause.grade === "named" ? cause : { ...cause, grade: "exact" }, reactionMs };
}

function probableCause(evidence: Evidence, sentAt: number): Found {
  const { writes, last, deltas } = evidence;
  const readBy = Math.min(...writes.map((write) => readBefore(write, deltas)));
  const taken = last === undefined ? 0 : last.failed ? last.startedAt : last.wokenAt;
  const since = Math.max(sentAt - freshMs, taken);
  const isBetween = ({ receivedAt }: NumberedDelta): boolean =>
    receivedAt > since && receivedAt <= sentAt && receivedAt < readBy;
  const related = relatedTo(evidence).filter(({ delta }) => isBetween(delta));
  const chosen = inTime(related, { ...evidence, sentAt });
  if (chosen !== undefined) {
    const beforeMs = sentAt - chosen.delta.receivedAt;
    const isIdle = last === undefined || last.endedAt < chosen.delta.receivedAt;
    return { cause: { ...chosen, beforeMs }, reactionMs: isIdle && related.length === 1 ? beforeMs : undefined };
  }
  const names = namesOf(writes);
  for (const delta of deltas.named(names))
    if (isBetween(delta))
      return { cause: { grade: "named", delta, beforeMs: sentAt - delta.receivedAt }, reactionMs: undefined };
  const delta = deltas.latest(Math.min(sentAt, readBy));
  return { cause: delta && { grade: "time", delta, beforeMs: sentAt - delta.receivedAt }, reactionMs: undefined };
}

/** A write says by the version that it is based on what the process had read: not what came after that version. */
function readBefore({ conditional, before, ...write }: NumberedWrite, deltas: RecentDeltas): number {
  if (!conditional) return Infinity;
  const own = deltas.own(uidOf({ conditional, before, ...write }));
  const read = own.findIndex(({ resourceVersion }) => resourceVersion === before);
  return read === -1 ? Infinity : (own[read + 1]?.receivedAt ?? Infinity);
}

/** Deltas of the reconciled object and of what it owns; of the owner only where there are no others. */
function relatedTo({ subject, writes, deltas }: Evidence): readonly Candidate[] {
  const of = (grade: Grade, some: readonly NumberedDelta[]): Candidate[] => some.map((delta) => ({ grade, delta }));
  const near = [...of("own", deltas.own(subject.uid)), ...of("owned", deltas.owned(subject.uid))];
  const owners = new Set(writes.flatMap(({ detail }) => detail?.owner?.uid ?? []));
  owners.delete(subject.uid);
  return near.length > 0 ? near : [...owners].flatMap((owner) => of("owner", deltas.own(owner)));
}

/**
 * Of several candidates: where the reconcile before ended just then, the latest that came while it was running; else the one at the
 * usual distance, by the ratio of the times.
 */
function inTime(
  related: readonly Candidate[],
  { sentAt, last, reactions }: Evidence & { readonly sentAt: number },
): Candidate | undefined {
  const least = leastReaction(reactions);
  const newest = (some: readonly Candidate[]): Candidate | undefined =>
    some.reduce<Candidate | undefined>(
      (best, one) => (best === undefined || one.delta.receivedAt >= best.delta.receivedAt ? one : best),
      undefined,
    );
  const waited =
    last !== undefined && sentAt - last.endedAt < 2 * least
      ? related.filter(({ delta: { receivedAt } }) => receivedAt > last.startedAt && receivedAt <= last.endedAt)
      : [];
  const latest = newest(related);
  const inTime = newest(related.filter(({ delta }) => sentAt - delta.receivedAt >= least));
  // One that came so long ago has led to something else.
  const isOld = inTime !== undefined && sentAt - inTime.delta.receivedAt > 10 * least;
  return newest(waited) ?? (isOld ? latest : (inTime ?? latest));
}

/** As long as too little is known, and at most: what takes longer on one machine is another matter on the next. */
const [assumedReactionMs, mostReactionMs] = [1, 3];

/** How long a process takes at least, nearly always, from a delta to the first write, in ms: half of what a tenth of the known ones took. */
export function leastReaction(reactions: readonly number[]): number {
  if (reactions.length < 8) return assumedReactionMs;
  const tenth = reactions.toSorted((a, b) => a - b)[Math.floor(reactions.length / 10)] ?? assumedReactionMs;
  return Math.min(mostReactionMs, tenth / 2);
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
