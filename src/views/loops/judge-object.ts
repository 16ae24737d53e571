/** Judges whether the writes to one object are a loop. */
import { goesWithOthers, interestOf } from "../field-interest.ts";
import { type FieldHistory, sharesOf } from "./field-history.ts";
import {
  type Acquittal,
  type AcquittalReason,
  requestsAction,
  isDesiredState,
  minWrites,
  type LoopField,
  type LoopsOptions,
  type RecreateLoop,
  type RewriteLoop,
} from "./loop.ts";
import type { ObjectHistory, ObjectWrite } from "./object-history.ts";

/** At least this share of a loop's writes change nothing but the looping fields. */
const nearlyAll = 0.8;
/** The minimum number of cycles: if writers undo each other's changes, and otherwise. */
const minRounds = { fight: 2, alone: 3 } as const;
/**
 * A status may still change this many times after a number last advanced, because it follows from it: `each` per unit of the advance,
 * within these bounds. For example, the last pods of a rollout become ready after all have been created.
 */
const patience = { least: 10, each: 2, most: 100 } as const;
/** A status that changes at most this often per change of the spec follows from it. */
const changesPerSpecChange = 4;
/** A rollout replaces a pod once, or twice if the next rollout overtakes it. */
const replacementsEach = 2;

type Options = Required<LoopsOptions>;
type Found = Pick<RewriteLoop, "how" | "fields">;

/** The loop that the object is in; undefined if it is in none. */
export function loopOf(history: ObjectHistory, options: Options): RewriteLoop | undefined {
  const found = changingLoop(history, options) ?? emptyLoop(history, options);
  if (found === undefined) return undefined;
  const { of, key, writes, firstAt, lastAt, writers } = history;
  return { is: "rewritten", of, key, writes, ms: lastAt - firstAt, lastAt, ...found, writers: sharesOf(writers) };
}

/**
 * What would be a loop if it had lasted for `minMs`; `writes` and `ms` are those of its looping field. Undefined if there is none, also if
 * the object is in a loop.
 */
export function shortLoopOf(history: ObjectHistory, options: Options): RewriteLoop | undefined {
  const loop = loopOf(history, options) === undefined ? loopOf(history, { ...options, minMs: 0 }) : undefined;
  if (loop === undefined) return undefined;
  const field = history.fields.get(loop.fields[0]?.path ?? "");
  const { changes: writes, moments } = field ?? { changes: history.empty, moments: history.emptyMoments };
  return { ...loop, writes, ms: moments.spanMs, lastAt: moments.lastAt };
}

/**
 * Whether an object's loop follows from changes of its owner's spec, as the replicas of a ReplicaSet do in rollouts and rollbacks. False
 * if writers undo each other's changes.
 */
export function followsFromOwner(owner: ObjectHistory, loop: RewriteLoop, { fields }: ObjectHistory): boolean {
  if (
    loop.how !== "alternates" ||
    loop.fields.some(({ path }) => !isDesiredState(path) || fields.get(path)?.isFight === true)
  )
    return false;
  return timesSpecChanged(owner) * changesPerSpecChange >= maxChanges(loop.fields);
}

/** Whether an object is recreated because its owner's spec changes, such as a StatefulSet's pod in rollouts. */
export function isReplacedFor(owner: ObjectHistory, { times }: RecreateLoop): boolean {
  return timesSpecChanged(owner) * replacementsEach >= times;
}

function timesSpecChanged({ fields }: ObjectHistory): number {
  return maxChanges([...fields.values()].filter(({ path }) => requestsAction(path)));
}

function maxChanges(all: readonly { readonly changes: number }[]): number {
  return Math.max(0, ...all.map(({ changes }) => changes));
}

/** Whether the object's desired state changes often, but not yet for long enough to be a loop. */
export function mayBecomeLoop({ fields }: ObjectHistory, { minMs }: Options): boolean {
  return [...fields.values()].some(
    ({ path, changes, moments }) => isDesiredState(path) && changes >= minWrites / 2 && moments.spanMs < minMs,
  );
}

/** Why an object is not in a loop; undefined if it was not written often enough for one anyway. */
export function acquittalOf(history: ObjectHistory, { perMinute, minMs }: Options): Acquittal | undefined {
  const { of, key, writes, firstAt, lastAt } = history;
  const ms = lastAt - firstAt;
  const isBusy = writes >= minWrites && ms >= minMs && (writes - 1) * 60_000 > perMinute * ms;
  return isBusy ? { of, key, writes, ms, why: reasonOf(history) } : undefined;
}

/** A loop in changed fields. The spec is examined first: if it loops, the status only follows. */
function changingLoop(history: ObjectHistory, options: Options): Found | undefined {
  const fields = [...history.fields.values()].filter(({ isCounter }) => !isCounter);
  const desired = fields.filter(({ path }) => isDesiredState(path));
  const statusFields = fields.filter(({ path }) => !isDesiredState(path));
  for (const some of [desired, statusFields]) {
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

/** The field as part of a loop; undefined if it is not. */
function loopField(field: FieldHistory, history: ObjectHistory, options: Options): LoopField | undefined {
  if (field.moments.spanMs < options.minMs) return undefined;
  const how = alternates(field, options) ? "alternates" : isRenewed(field, history, options) ? "renewed" : undefined;
  if (how === undefined || (!isDesiredState(field.path) && isExcused(field, history))) return undefined;
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
 * Whether a field keeps returning to earlier values. Desired state counts at any rate: two writers that fight every few minutes are a
 * loop. A status that returns now and then reflects real changes: it counts only if it is fast or if writers undo each other's changes.
 */
function alternates(field: FieldHistory, { perMinute }: Options): boolean {
  const { changes, returns, rounds, isFight, moments, path } = field;
  // Successive rollouts take counts to the same numbers again.
  if (field.advances) return false;
  if (returns * 2 < changes - 1 || rounds < minRounds[isFight ? "fight" : "alone"]) return false;
  return isDesiredState(path) || isFight || (moments.isFasterThan(perMinute) && moments.isSteady);
}

/** Whether a field gets a new value with each of many writes that change nothing else. */
function isRenewed(field: FieldHistory, { recent }: ObjectHistory, { perMinute }: Options): boolean {
  const { changes, returns, moments, advances } = field;
  if (changes < minWrites || returns * 2 >= changes || advances) return false;
  if (!moments.isFasterThan(perMinute) || !moments.isSteady) return false;
  const writes = recent.filter(({ fields }) => fields.includes(field));
  return writes.filter((write) => changesNothingElse(write, field)).length >= nearlyAll * writes.length;
}

/** Whether a write changes nothing but fields that change with nearly every write. */
function changesNothingElse({ fields, hasMore }: ObjectWrite, renewed: FieldHistory): boolean {
  const isRequest = fields.some(({ path }) => requestsAction(path));
  const goesAlong = ({ path, isCounter, changes, advances }: FieldHistory): boolean =>
    isCounter || (!advances && (changes * 2 >= renewed.changes || (isRequest && !isDesiredState(path))));
  return !hasMore && fields.every(goesAlong);
}

/** Whether all recent writes of the writer change this field. */
function isEveryWriteOf(writer: string, field: FieldHistory, { recent }: ObjectHistory): boolean {
  return recent.every((write) => write.writer !== writer || write.fields.includes(field));
}

/** Whether a changing status is normal, because a number advances or the spec changes too. */
function isExcused(field: FieldHistory, history: ObjectHistory): boolean {
  const others = [...history.fields.values()].filter((other) => other !== field);
  const changedIn = history.recent.filter(({ fields }) => fields.includes(field));
  const since = (write: number): number => Math.min(field.changes, history.writes - write);
  if (others.some((other) => other.isUnderWay && since(other.lastWrite) < patienceWith(other))) return true;
  return specChangesIn(history) * changesPerSpecChange >= changedIn.length;
}

function patienceWith({ way: { from, to } }: FieldHistory): number {
  return Math.min(patience.most, Math.max(patience.least, patience.each * Math.abs(to - from)));
}

/** Recent writes that request something else; labels and annotations request nothing. */
function specChangesIn({ recent }: ObjectHistory): number {
  return recent.filter(({ fields }) => fields.some(({ path }) => requestsAction(path))).length;
}

function emptyLoop(history: ObjectHistory, { perMinute, minMs }: Options): Found | undefined {
  const { empty, emptyMoments, recent } = history;
  if (empty < minWrites || emptyMoments.spanMs < minMs) return undefined;
  if (!emptyMoments.isFasterThan(perMinute) || !emptyMoments.isSteady) return undefined;
  // Other writers may make real changes meanwhile.
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
  const desired = fields.find(({ path }) => requestsAction(path));
  const often = fields.find(({ changes, isCounter }) => changes >= minWrites && !isCounter);
  const statusWrites = history.recent.filter((write) => write.fields.some(({ path }) => !isDesiredState(path))).length;
  if (
    desired !== undefined &&
    statusWrites >= minWrites &&
    specChangesIn(history) * changesPerSpecChange >= history.recent.length
  )
    return { is: "answers", path: desired.path, changes: desired.changes };
  return often === undefined ? { is: "different", fields: fields.length } : { is: "not for long", path: often.path };
}
