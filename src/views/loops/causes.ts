/** Determines which loop follows from which: when an owner and its dependent both loop, one of them is the cause. */
import { isDesiredState, nameOf, type ObjectLoop, type ObjectName } from "./loop.ts";

/** A loop, with the uids of its object and the object's owners. */
export interface OwnedLoop {
  readonly loop: ObjectLoop;
  /** The object's uids: several for one that was recreated. */
  readonly uids: readonly string[];
  /** The uids of its owner, the owner's owner and so on, as far as known. */
  readonly owners: readonly string[];
}

/**
 * Sorts loops: those in a spec before those in a status, then the fastest first; each cause is followed by the loops that follow from it.
 *
 * - A dependent follows its owner if the owner's desired state loops: a ReplicaSet follows its Deployment. But it is a loop of its own if
 *   several writers fight over the dependent, or if the writer of the owner also writes the dependent.
 * - An owner whose status alone loops follows its dependent.
 */
export function inOrderOfCauses(loops: readonly OwnedLoop[]): readonly ObjectLoop[] {
  const byUid = new Map(loops.flatMap((each) => each.uids.map((uid) => [uid, each] as const)));
  const causes = new Map<OwnedLoop, OwnedLoop>();
  for (const owned of loops) {
    const owner = owned.owners.flatMap((uid) => byUid.get(uid) ?? [])[0];
    if (owner === undefined) continue;
    if (!loopsInDesiredState(owner.loop)) {
      if (!causes.has(owner) || loopsInDesiredState(owned.loop)) causes.set(owner, owned);
    } else if (followsOwner(owned.loop, owner.loop)) causes.set(owned, owner);
  }
  const roots = loops.filter((each) => !causes.has(each)).sort(moreTelling);
  return roots.flatMap((root) => [root.loop, ...followers(root, causes)]);
}

function loopsInDesiredState(loop: ObjectLoop): boolean {
  return loop.is === "recreated" || loop.how === "empty" || loop.fields.some(({ path }) => isDesiredState(path));
}

/** Whether a dependent loops because its owner does. Dependents of a recreated owner are deleted with it. */
function followsOwner(owned: ObjectLoop, owner: ObjectLoop): boolean {
  const [dependentWriters, ownerWriters] = [writersOf(owned), writersOf(owner)];
  if (owner.is === "recreated" || !loopsInDesiredState(owned)) return true;
  return dependentWriters.size <= 1 && [...dependentWriters].every((name) => !ownerWriters.has(name));
}

/** The writers that change the looping fields, or create the object. */
function writersOf(loop: ObjectLoop): ReadonlySet<string> {
  const shares =
    loop.is === "recreated"
      ? loop.createdBy
      : loop.how === "empty"
        ? loop.writers
        : loop.fields.flatMap((field) => field.writers);
  return new Set(shares.flatMap(({ name }) => name ?? []));
}

function followers(root: OwnedLoop, causes: ReadonlyMap<OwnedLoop, OwnedLoop>): readonly ObjectLoop[] {
  const from: ObjectName = { of: root.loop.of, key: root.loop.key };
  const follows = [...causes.keys()].filter((each) => rootOf(each, causes) === root).sort(moreTelling);
  return follows.map(({ loop }) => ({ ...loop, followsFrom: from }));
}

/** Terminates: of an owner and its dependent only one follows the other, and a dependent has one owner here. */
function rootOf(each: OwnedLoop, causes: ReadonlyMap<OwnedLoop, OwnedLoop>): OwnedLoop {
  let root = each;
  for (let cause = causes.get(root); cause !== undefined; cause = causes.get(root)) root = cause;
  return root;
}

function moreTelling(a: OwnedLoop, b: OwnedLoop): number {
  const rate = ({ loop }: OwnedLoop): number =>
    (loop.is === "recreated" ? 2 * loop.times : loop.writes) / Math.max(loop.ms, 1);
  return (
    Number(loopsInDesiredState(b.loop)) - Number(loopsInDesiredState(a.loop)) ||
    rate(b) - rate(a) ||
    (nameOf(a.loop) < nameOf(b.loop) ? -1 : 1)
  );
}
