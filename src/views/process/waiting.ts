/** Collects the deltas that may have triggered a reconcile. */
import type { Grade } from "../../trace/events.ts";
import type { Habits } from "./habits.ts";
import type { QueuedDelta } from "./queue.ts";
import type { NumberedDelta, RecentDeltas } from "./recent-deltas.ts";
import { echoKnown } from "./rounds.ts";
import { uidOf, type NumberedWrite, type Subject } from "./subject.ts";

/** The previous reconcile of the same object by the same writer. */
export interface PreviousReconcile extends StartBounds {
  readonly number: number;
  readonly endedAt: number;
  readonly failed: boolean;
  /** The resourceVersions of the reconciled object that its writes produced. */
  readonly ownVersions: ReadonlySet<string>;
  /** If its last write was a status: the version that the write was based on, and the steps of the reconcile. */
  readonly status: { readonly before: string; readonly steps: string } | undefined;
}

/** Bounds on the start of a reconcile, in ms since 1970. */
export interface StartBounds {
  /** When it sent its first request, or when a version arrived that it did not know, whichever is earlier. */
  readonly latestStart: number;
  /** When the newest version that it knew arrived; -Infinity if none is known. */
  readonly earliestStart: number;
}

/** A reconcile as observed from outside. */
export interface ObservedReconcile {
  readonly subject: Subject;
  readonly writes: readonly NumberedWrite[];
  /** When its first request was sent. */
  readonly sentAt: number;
  readonly previous: PreviousReconcile | undefined;
  readonly deltas: RecentDeltas;
  readonly habits: Habits;
  /** Whether a delta is the echo of the writer's own write. */
  readonly isEcho: (delta: NumberedDelta) => boolean;
}

/** Older deltas are not considered. */
const freshMs = 10_000;
/** Time from the start of a reconcile to its first request, as a share of the reaction time; and how steeply the probability falls there. */
const [requestShare, requestSharpness] = [0.3, 4];
/** A delta is considered if the previous reconcile did not take it with at least this probability. */
const minUntaken = 0.05;

/** Derives the bounds from the versions that the writes are based on: the reconcile knew those, but not the versions after them. */
export function startBounds({ writes, sentAt, deltas }: ObservedReconcile): StartBounds {
  let [latestStart, earliestStart] = [sentAt, -Infinity];
  for (const write of writes) {
    if (!write.conditional) continue;
    const versions = deltas.own(uidOf(write));
    const read = versions.findIndex(({ resourceVersion }) => resourceVersion === write.before);
    const known = versions[read];
    if (known === undefined || known.receivedAt > sentAt) continue;
    earliestStart = Math.max(earliestStart, known.receivedAt);
    latestStart = Math.min(latestStart, versions[read + 1]?.receivedAt ?? Infinity);
  }
  return { latestStart, earliestStart };
}

/** Whether a delta arrived at a time at which it may have triggered the reconcile. */
export function isInTime(
  { receivedAt }: NumberedDelta,
  { latestStart, sentAt }: StartBounds & Pick<ObservedReconcile, "sentAt">,
): boolean {
  return receivedAt > sentAt - freshMs && receivedAt < latestStart;
}

/** The deltas of the reconciled object and of the objects that it owns; if there are none, those of its owner. Oldest first. */
export function queuedDeltas(reconcile: ObservedReconcile & StartBounds): readonly QueuedDelta[] {
  const { isEcho } = reconcile;
  const echoAt = previousEchoAt(reconcile);
  const all = relatedTo(reconcile).map(([grade, delta]): QueuedDelta => {
    const isOwnWrite = isEcho(delta);
    const beforeEcho = echoAt !== undefined && delta.receivedAt < echoAt;
    const name = `${grade} ${delta.of.kind} ${delta.type}${isOwnWrite ? " echo" : ""}${beforeEcho ? " before echo" : ""}`;
    const category = { name, isEcho: isOwnWrite && grade === "own" };
    return { grade, delta, category, beforeEcho, untaken: untakenProbability(delta, reconcile) };
  });
  return all.filter(({ untaken }) => untaken > minUntaken).toSorted((a, b) => a.delta.receivedAt - b.delta.receivedAt);
}

type Related = readonly [grade: Grade, delta: NumberedDelta];

function relatedTo(reconcile: ObservedReconcile & StartBounds): readonly Related[] {
  const { subject, writes, deltas } = reconcile;
  const of = (grade: Grade, some: readonly NumberedDelta[]): readonly Related[] =>
    some.filter((delta) => isInTime(delta, reconcile)).map((delta) => [grade, delta]);
  const near = [...of("own", deltas.own(subject.uid)), ...of("owned", deltas.owned(subject.uid))];
  const owners = new Set(writes.flatMap(({ detail }) => detail?.owner?.uid ?? []));
  owners.delete(subject.uid);
  return near.length > 0 ? near : [...owners].flatMap((owner) => of("owner", deltas.own(owner)));
}

/** When the process received the previous reconcile's write to the object; undefined if it has not. Updates the writer's habits. */
function previousEchoAt({ subject, writes, sentAt, previous, deltas, habits }: ObservedReconcile): number | undefined {
  const own = deltas.own(subject.uid);
  const echoAt = own.findLast(({ resourceVersion }) => previous?.ownVersions.has(resourceVersion))?.receivedAt;
  if (previous === undefined || echoAt === undefined) return undefined;
  if (echoAt > previous.endedAt) habits.recordEchoOrder(echoAt > sentAt ? "before the echo" : "after the echo");
  const { status } = previous;
  // This reconcile does not know the previous status though its echo arrived long ago: the two are one, and continued after the status.
  const isStale = writes.some(({ subresource, before }) => subresource === "status" && before === status?.before);
  if (isStale && status !== undefined && sentAt - echoAt > echoKnown * habits.reactionMs)
    habits.recordContinuation(status.steps);
  return echoAt;
}

/** The probability that the previous reconcile did not take a delta, because it had started before the delta arrived. */
function untakenProbability({ receivedAt }: NumberedDelta, { previous, habits }: ObservedReconcile): number {
  if (previous === undefined || receivedAt >= previous.latestStart) return 1;
  if (receivedAt <= previous.earliestStart) return 0;
  const ratio = (previous.latestStart - receivedAt) / (requestShare * habits.reactionMs);
  return 1 / (1 + ratio ** requestSharpness);
}
