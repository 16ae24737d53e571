/** Writes that are compared one by one: the same verb on the same object with the same content. */
import type { ObjectKey } from "../../../../src/api/key.ts";
import type { ObjectMeta, StoredObject } from "../../../../src/api/object.ts";
import { controllerOf } from "../../../../src/api/owner-references.ts";
import { essenceOf, targetOf } from "./essence.ts";
import { graceMs, whyNotComparable } from "./not-comparable.ts";
import { isGone, isPodDeletion, type OwnerWrite, type Round, type SyncRecord, type Write } from "./round.ts";
import { type Finding, neverDone, type Verdict } from "./verdict.ts";

/** Judges the writes of the round for which `rest` holds. */
export function judgeExact(round: Round, rest: (write: Write) => boolean): Verdict {
  const theirs = round.owner.filter(rest);
  const { same, differs, notComparable } = judgeTheirs(theirs, { round, rest });
  const passedBy = notComparable.map(({ write }) => write);
  const ours = judgeOurs({ round, rest }, { theirs, passedBy });
  return { same, differs: [...differs, ...ours.differs], notComparable, movedOn: ours.movedOn };
}

interface Judged {
  readonly round: Round;
  /** The writes that are judged. */
  readonly rest: (write: Write) => boolean;
}

function judgeTheirs(theirs: readonly OwnerWrite[], { round, rest }: Judged): Omit<Verdict, "movedOn"> {
  const decided = new Map<string, number>();
  for (const write of round.syncs.flatMap(({ writes }) => writes.filter(rest))) {
    const text = essenceOf(write);
    decided.set(text, Math.min(decided.get(text) ?? Infinity, write.at));
  }
  const same: OwnerWrite[] = [];
  const differs: Finding[] = [];
  const notComparable: Finding[] = [];
  for (const write of theirs) {
    const isMeant = (decided.get(essenceOf(write)) ?? Infinity) <= write.at + graceMs;
    if (!isMeant && isWithoutEffect(write)) continue;
    if (isMeant || isInsteadOfMeant(write, round)) same.push(write);
    else {
      const unseen = whyNotComparable(write, round);
      if (unseen === undefined) differs.push({ of: "owner", write, why: meantInstead(write, round.syncs) });
      else notComparable.push({ of: "owner", write, why: unseen });
    }
  }
  return { same, differs, notComparable };
}

/** What the last sync of each key intends must have been done. `passedBy`: the owner's writes from a state that we did not see. */
function judgeOurs(
  { round: { syncs, touched }, rest }: Judged,
  { theirs, passedBy }: { readonly theirs: readonly OwnerWrite[]; readonly passedBy: readonly (Write | OwnerWrite)[] },
): Pick<Verdict, "differs" | "movedOn"> {
  const done = new Set(theirs.map(essenceOf));
  // An owner that saw a state that we did not see may have made several of our writes in one.
  const isPassed = (write: Write): boolean =>
    passedBy.some((other) => targetOf(other) === targetOf(write) && other.at + graceMs >= write.at);
  const isTouched = ({ resource, namespace, name }: Write): boolean => touched.has(`${resource} ${namespace}/${name}`);
  const last = new Map<ObjectKey, SyncRecord>();
  for (const sync of syncs) if (!sync.failed) last.set(sync.key, sync);
  const differs: Finding[] = [];
  let movedOn = 0;
  for (const sync of syncs) {
    const writes = sync.writes.filter(rest);
    for (const [index, write] of writes.entries()) {
      if (done.has(essenceOf(write))) continue;
      const isLast = last.get(sync.key) === sync;
      const isExcused = (): boolean =>
        isTouched(write) || isPassed(write) || isOnTheWay(sync, { write, next: writes.slice(index + 1), theirs });
      if (!isLast || isExcused()) movedOn++;
      else differs.push({ of: "ours", write, why: `${neverDone}; ${doneInstead(write, theirs)}` });
    }
  }
  return { differs, movedOn };
}

/**
 * Whether the API server stored nothing: the object has the version that the request was based on, or that an earlier write left.
 */
function isWithoutEffect(write: OwnerWrite): boolean {
  const { metadata } = (write.body ?? {}) as { readonly metadata?: Partial<ObjectMeta> };
  if (write.responseObject === undefined || isGone(write.responseObject)) return false;
  return write.isIdle === true || metadata?.resourceVersion === write.responseObject.metadata.resourceVersion;
}

/**
 * Whether the owner was in the middle of a sync: ours saw what it wrote to dependents after one write of the object, and intended a state in
 * between; the owner went on to what ours intended next. A Job's pod has lost its finalizer, and the status that counts it is due.
 */
function isOnTheWay(
  { primary, versions }: SyncRecord,
  {
    write,
    next,
    theirs,
  }: { readonly write: Write; readonly next: readonly Write[]; readonly theirs: readonly OwnerWrite[] },
): boolean {
  if (primary === undefined) return false;
  const target = targetOf(write);
  const following = new Set(next.filter((each) => targetOf(each) === target).map(essenceOf));
  const seen = theirs.findIndex(
    (each) => targetOf(each) === target && each.responseObject?.metadata.resourceVersion === primary.resourceVersion,
  );
  const later = theirs.findIndex((each, index) => index > seen && following.has(essenceOf(each)));
  if (seen < 0 || later < 0) return false;
  return theirs.slice(seen + 1, later).some(({ given, responseObject }) => {
    if (responseObject === undefined || controllerOf(responseObject)?.uid !== primary.uid) return false;
    return (versions.get(given) ?? Infinity) >= Number(responseObject.metadata.resourceVersion);
  });
}

/** Whether the owner deleted a pod instead of one that our sync intended, and that it has kept. */
function isInsteadOfMeant(write: OwnerWrite, { syncs, owner, mayGoInstead }: Round): boolean {
  if (mayGoInstead === undefined || !isPodDeletion(write)) return false;
  const gone = new Set(owner.filter(isPodDeletion).map(({ name }) => name));
  return syncs.some(({ pods, writes }) => {
    const podOf = (name: string): StoredObject | undefined => pods.find(({ metadata }) => metadata.name === name);
    const one = podOf(write.name);
    if (one === undefined) return false;
    return writes.filter(isPodDeletion).some(({ name }) => {
      const other = podOf(name);
      return !gone.has(name) && other !== undefined && mayGoInstead(one, other);
    });
  });
}

function meantInstead(write: OwnerWrite, syncs: readonly SyncRecord[]): string {
  const target = targetOf(write);
  const others = new Set(
    syncs.flatMap(({ writes }) => writes.filter((each) => targetOf(each) === target).map(essenceOf)),
  );
  const wrote = essenceOf(write);
  return others.size === 0 ? "not meant here" : `wrote ${wrote}; meant here: ${[...others].join(" or ")}`;
}

/** What we intended, and the owner's last write to the same object. */
function doneInstead(write: Write, theirs: readonly OwnerWrite[]): string {
  const last = theirs.filter((each) => targetOf(each) === targetOf(write)).at(-1);
  const its =
    last === undefined
      ? "it did not write there"
      : `its last there, ${Math.round(write.at - last.at)} ms before ours: ${essenceOf(last)}`;
  return `meant ${essenceOf(write)}; ${its}`;
}
