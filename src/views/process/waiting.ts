/** The deltas that may have led to a reconcile, with what is known of each. */
import type { Grade } from "../../trace/events.ts";
import type { Habits } from "./habits.ts";
import type { Waiting } from "./queue.ts";
import type { NumberedDelta, RecentDeltas } from "./recent-deltas.ts";
import { echoKnown } from "./rounds.ts";
import { uidOf, type NumberedWrite, type Subject } from "./subject.ts";

/** The reconcile of the same object before. */
export interface EarlierReconcile extends Begun {
  readonly number: number;
  readonly endedAt: number;
  readonly failed: boolean;
  /** The versions of the reconciled object that it wrote. */
  readonly wrote: ReadonlySet<string>;
  /** The version from which it wrote the status that it ended with, and what it had done; undefined where it did not end with one. */
  readonly status: { readonly before: string; readonly beginning: string } | undefined;
}

/** When a reconcile began, as far as can be told. */
export interface Begun {
  /** By then it had begun: it sent its first request, or did not know what came then. */
  readonly begunBy: number;
  /** It began later: what it knew had come then. */
  readonly begunAfter: number;
}

/** What is known of a reconcile. */
export interface Writing {
  readonly subject: Subject;
  readonly writes: readonly NumberedWrite[];
  /** When its first request was sent. */
  readonly sentAt: number;
  readonly last: EarlierReconcile | undefined;
  readonly deltas: RecentDeltas;
  readonly habits: Habits;
  /** Whether a delta shows what the writer itself wrote. */
  readonly isEcho: (delta: NumberedDelta) => boolean;
}

/** A delta longer ago has led to what was done since then. */
const freshMs = 10_000;
/** From the beginning of a reconcile to its first request, as a share of a usual reaction; and how sharp that is. */
const [requestShare, requestSharpness] = [0.3, 4];
/** What was left less probably was taken. */
const leastLeft = 0.05;

/** When a reconcile began, by the versions that its writes are based on: it knew those, and not those that came next. */
export function begun({ writes, sentAt, deltas }: Writing): Begun {
  let [begunBy, begunAfter] = [sentAt, -Infinity];
  for (const write of writes) {
    if (!write.conditional) continue;
    const versions = deltas.own(uidOf(write));
    const read = versions.findIndex(({ resourceVersion }) => resourceVersion === write.before);
    const known = versions[read];
    if (known === undefined || known.receivedAt > sentAt) continue;
    begunAfter = Math.max(begunAfter, known.receivedAt);
    begunBy = Math.min(begunBy, versions[read + 1]?.receivedAt ?? Infinity);
  }
  return { begunBy, begunAfter };
}

/** Whether a delta may have led to a reconcile, by its time. */
export function isInTime({ receivedAt }: NumberedDelta, { begunBy, sentAt }: Begun & Pick<Writing, "sentAt">): boolean {
  return receivedAt > sentAt - freshMs && receivedAt < begunBy;
}

/** Deltas of the reconciled object and of what it owns; of the owner only where there are no others. Oldest first. */
export function waitingFor(writing: Writing & Begun): readonly Waiting[] {
  const { isEcho } = writing;
  const echoAt = echoOfLast(writing);
  const all = relatedTo(writing).map(([grade, delta]): Waiting => {
    const isOwnWrite = isEcho(delta);
    const isBehind = echoAt !== undefined && delta.receivedAt < echoAt;
    const name = `${grade} ${delta.of.kind} ${delta.type}${isOwnWrite ? " echo" : ""}${isBehind ? " behind" : ""}`;
    const sort = { name, isEcho: isOwnWrite && grade === "own" };
    return { grade, delta, sort, isBehind, left: leftBy(delta, writing) };
  });
  return all.filter(({ left }) => left > leastLeft).toSorted((a, b) => a.delta.receivedAt - b.delta.receivedAt);
}

type Related = readonly [grade: Grade, delta: NumberedDelta];

function relatedTo(writing: Writing & Begun): readonly Related[] {
  const { subject, writes, deltas } = writing;
  const of = (grade: Grade, some: readonly NumberedDelta[]): readonly Related[] =>
    some.filter((delta) => isInTime(delta, writing)).map((delta) => [grade, delta]);
  const near = [...of("own", deltas.own(subject.uid)), ...of("owned", deltas.owned(subject.uid))];
  const owners = new Set(writes.flatMap(({ detail }) => detail?.owner?.uid ?? []));
  owners.delete(subject.uid);
  return near.length > 0 ? near : [...owners].flatMap((owner) => of("owner", deltas.own(owner)));
}

/** When the process received what the reconcile before had written to the object. What that shows of the writer's habits is learned. */
function echoOfLast({ subject, writes, sentAt, last, deltas, habits }: Writing): number | undefined {
  const own = deltas.own(subject.uid);
  const echoAt = own.findLast(({ resourceVersion }) => last?.wrote.has(resourceVersion))?.receivedAt;
  if (last === undefined || echoAt === undefined) return undefined;
  if (echoAt > last.endedAt) habits.wrote(echoAt > sentAt ? "before the echo" : "after the echo");
  const { status } = last;
  // Then it had begun before the status of the one before, and is the same.
  const isStale = writes.some(({ subresource, before }) => subresource === "status" && before === status?.before);
  if (isStale && status !== undefined && sentAt - echoAt > echoKnown * habits.reactionMs)
    habits.wentOn(status.beginning);
  return echoAt;
}

/** How likely a delta was left by the reconcile before: it came when that had begun. */
function leftBy({ receivedAt }: NumberedDelta, { last, habits }: Writing): number {
  if (last === undefined || receivedAt >= last.begunBy) return 1;
  if (receivedAt <= last.begunAfter) return 0;
  const ratio = (last.begunBy - receivedAt) / (requestShare * habits.reactionMs);
  return 1 / (1 + ratio ** requestSharpness);
}
