/** Whether what was written to one object is a loop. */
import { goesWithOthers, interestOf } from "../field-interest.ts";
import { type FieldHistory, sharesOf } from "./field-history.ts";
import {
  type Acquittal,
  type AcquittalReason,
  asksFor,
  isAskedFor,
  leastWrites,
  type LoopField,
  type LoopsOptions,
  type RecreateLoop,
  type RewriteLoop,
} from "./loop.ts";
import type { ObjectHistory, ObjectWrite } from "./object-history.ts";

/** Nearly all of a loop's writes change nothing but the loop's fields. */
const nearlyAll = 0.8;
/** So often a value has to come back: where two undo each other's writes, and where one goes round by itself. */
const leastRounds = { fight: 2, alone: 3 } as const;
/**
 * After this many changes a number that advanced is no longer expected to go on, nor what follows from it to settle: `each` for
 * each unit that it came further, within these bounds. The last pods of a rollout become ready and old ones end after all were created.
 */
const patience = { least: 10, each: 2, most: 100 } as const;
/** A status that changes at most this often for each change of the spec follows from it. */
const answersEach = 4;
/** A rollout replaces a pod once, and twice where the next one overtakes it. */
const replacementsEach = 2;

type Options = Required<LoopsOptions>;
type Found = Pick<RewriteLoop, "how" | "fields">;

/** The loop that the object is in, if it is in one. */
export function loopOf(history: ObjectHistory, options: Options): RewriteLoop | undefined {
  const found = changingLoop(history, options) ?? emptyLoop(history, options);
  if (found === undefined) return undefined;
  const { of, key, writes, firstAt, lastAt, writers } = history;
  return { is: "rewritten", of, key, writes, ms: lastAt - firstAt, lastAt, ...found, writers: sharesOf(writers) };
}

/**
 * Whether what loops in the object follows from changes of its owner's spec, as the replicas of a ReplicaSet do in rollouts and
 * rollbacks. Not where two undo each other's writes.
 */
export function answersTo(owner: ObjectHistory, loop: RewriteLoop, { fields }: ObjectHistory): boolean {
  if (
    loop.how !== "alternates" ||
    loop.fields.some(({ path }) => !isAskedFor(path) || fields.get(path)?.isFight === true)
  )
    return false;
  return timesAsked(owner) * answersEach >= mostChanges(loop.fields);
}

/** Whether an object is deleted and created again because its owner's spec changes: a StatefulSet's pod, in rollouts. */
export function isReplacedFor(owner: ObjectHistory, { times }: RecreateLoop): boolean {
  return timesAsked(owner) * replacementsEach >= times;
}

function timesAsked({ fields }: ObjectHistory): number {
  return mostChanges([...fields.values()].filter(({ path }) => asksFor(path)));
}

function mostChanges(all: readonly { readonly changes: number }[]): number {
  return Math.max(0, ...all.map(({ changes }) => changes));
}

/** Whether something is asked of the object again and again, only not for long enough yet. */
export function mayBecomeLoop({ fields }: ObjectHistory, { leastMs }: Options): boolean {
  return [...fields.values()].some(
    ({ path, changes, moments }) => isAskedFor(path) && changes >= leastWrites / 2 && moments.spanMs < leastMs,
  );
}

/** Of an object that is in no loop: why not, if it was written as often as one. */
export function acquittalOf(history: ObjectHistory, { perMinute, leastMs }: Options): Acquittal | undefined {
  const { of, key, writes, firstAt, lastAt } = history;
  const ms = lastAt - firstAt;
  const isBusy = writes >= leastWrites && ms >= leastMs && (writes - 1) * 60_000 > perMinute * ms;
  return isBusy ? { of, key, writes, ms, why: reasonOf(history) } : undefined;
}

/** The spec comes first: where it loops, the status only follows. */
function changingLoop(history: ObjectHistory, options: Options): Found | undefined {
  const fields = [...history.fields.values()].filter(({ isCounter }) => !isCounter);
  const asked = fields.filter(({ path }) => isAskedFor(path));
  const answers = fields.filter(({ path }) => !isAskedFor(path));
  for (const some of [asked, answers]) {
    const found = some.flatMap((field) => loopField(field, history, options) ?? []);
    if (found.length === 0) continue;
    const telling = found.filter(({ path }) => !goesWithOthers(path));
    const shown = (telling.length > 0 ? telling : found).sort(byInterestAndChanges);
    return { how: shown.some(({ how }) => how === "alternates") ? "alternates" : "renewed", fields: shown };
  }
  return undefined;
}

function byInterestAndChanges(a: LoopField, b: LoopField): number {
  return interestOf(a.path) - interestOf(b.path) || b.changes - a.changes;
}

/** What the field does, if that is part of a loop. */
function loopField(field: FieldHistory, history: ObjectHistory, options: Options): LoopField | undefined {
  if (field.moments.spanMs < options.leastMs) return undefined;
  const how = alternates(field, options) ? "alternates" : isRenewed(field, history, options) ? "renewed" : undefined;
  if (how === undefined || (!isAskedFor(field.path) && isExcused(field, history))) return undefined;
  const { path, changes, returns, values, shares } = field;
  const [first] = shares;
  const every = shares.length === 1 && first?.name !== undefined && isEveryWriteOf(first.name, field, history);
  return {
    path,
    how,
    changes,
    returns: how === "renewed" ? 0 : returns,
    values: [...values],
    writers: shares,
    ...(every && { everyWriteOf: first.name }),
  };
}

/**
 * A spec counts at any rate: two writers that fight every few minutes are a loop. A status that returns now and then is
 * the world's: only where it does so fast, or where two undo each other, it is a loop.
 */
function alternates(field: FieldHistory, { perMinute }: Options): boolean {
  const { changes, returns, rounds, isFight, moments, path } = field;
  // Several rollouts, one after the other, take their counts up to the same numbers.
  if (field.advances) return false;
  if (returns * 2 < changes - 1 || rounds < leastRounds[isFight ? "fight" : "alone"]) return false;
  return isAskedFor(path) || isFight || (moments.isFasterThan(perMinute) && moments.isSteady);
}

/** A new value with each of writes that bring nothing else. */
function isRenewed(field: FieldHistory, { recent }: ObjectHistory, { perMinute }: Options): boolean {
  const { changes, returns, moments, advances } = field;
  if (changes < leastWrites || returns * 2 >= changes || advances) return false;
  if (!moments.isFasterThan(perMinute) || !moments.isSteady) return false;
  const writes = recent.filter(({ fields }) => fields.includes(field));
  return writes.filter((write) => isHollow(write, field)).length >= nearlyAll * writes.length;
}

/** A write that brings nothing but what is another one with every write. */
function isHollow({ fields, hasMore }: ObjectWrite, renewed: FieldHistory): boolean {
  const isAsking = fields.some(({ path }) => asksFor(path));
  const goesAlong = ({ path, isCounter, changes, advances }: FieldHistory): boolean =>
    isCounter || (!advances && (changes * 2 >= renewed.changes || (isAsking && !isAskedFor(path))));
  return !hasMore && fields.every(goesAlong);
}

/** Whether the writer has written nothing but this field, lately. */
function isEveryWriteOf(writer: string, field: FieldHistory, { recent }: ObjectHistory): boolean {
  return recent.every((write) => write.writer !== writer || write.fields.includes(field));
}

/** Of a status: while something advances, or the spec changes as often, it follows that. */
function isExcused(field: FieldHistory, history: ObjectHistory): boolean {
  const others = [...history.fields.values()].filter((other) => other !== field);
  const changedIn = history.recent.filter(({ fields }) => fields.includes(field));
  const since = (write: number): number => Math.min(field.changes, history.writes - write);
  if (others.some((other) => other.isUnderWay && since(other.lastWrite) < patienceWith(other))) return true;
  return asksIn(history) * answersEach >= changedIn.length;
}

function patienceWith({ way: { from, to } }: FieldHistory): number {
  return Math.min(patience.most, Math.max(patience.least, patience.each * Math.abs(to - from)));
}

/** Writes that ask for something else, lately; labels and annotations ask for nothing. */
function asksIn({ recent }: ObjectHistory): number {
  return recent.filter(({ fields }) => fields.some(({ path }) => asksFor(path))).length;
}

function emptyLoop(history: ObjectHistory, { perMinute, leastMs }: Options): Found | undefined {
  const { empty, emptyMoments, recent } = history;
  if (empty < leastWrites || emptyMoments.spanMs < leastMs) return undefined;
  if (!emptyMoments.isFasterThan(perMinute) || !emptyMoments.isSteady) return undefined;
  // Others may write in earnest meanwhile.
  const writers = new Set(recent.filter(isEmpty).map(({ writer }) => writer));
  const theirs = recent.filter(({ writer }) => writers.has(writer));
  return theirs.filter(isEmpty).length >= nearlyAll * theirs.length ? { how: "empty", fields: [] } : undefined;
}

function isEmpty({ fields, hasMore }: ObjectWrite): boolean {
  return fields.length === 0 && !hasMore;
}

function reasonOf(history: ObjectHistory): AcquittalReason {
  const fields = [...history.fields.values()].sort((a, b) => b.changes - a.changes);
  const length = ({ way }: FieldHistory): number => Math.abs(way.to - way.from);
  const [farthest] = fields.filter(({ advances }) => advances).sort((one, other) => length(other) - length(one));
  if (farthest !== undefined) return { is: "advances", path: farthest.path, ...farthest.way };
  const asked = fields.find(({ path }) => asksFor(path));
  const often = fields.find(({ changes, isCounter }) => changes >= leastWrites && !isCounter);
  const answers = history.recent.filter((write) => write.fields.some(({ path }) => !isAskedFor(path))).length;
  if (asked !== undefined && answers >= leastWrites && asksIn(history) * answersEach >= history.recent.length)
    return { is: "answers", path: asked.path, changes: asked.changes };
  return often === undefined ? { is: "different", fields: fields.length } : { is: "not for long", path: often.path };
}
