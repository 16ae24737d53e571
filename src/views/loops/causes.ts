/** Which loop follows from which: an owner and what it owns are rewritten together, and one of them is the cause. */
import { isAskedFor, nameOf, type ObjectLoop, type ObjectName } from "./loop.ts";

/** A loop with the uids that tie its object to others. */
export interface OwnedLoop {
  readonly loop: ObjectLoop;
  /** Several of an object that was created again and again. */
  readonly uids: readonly string[];
  /** The uids of its owner, the owner's owner and so on, as far as they are known. */
  readonly owners: readonly string[];
}

/**
 * The same loops, causes first: those in a spec before those in a status, then the fastest; after each cause what follows from it.
 *
 * - What is owned follows its owner, where something is asked of the owner again and again: a ReplicaSet its Deployment. Not where
 *   several fight over it by themselves, or where it is rewritten by the one who rewrites the owner: those are loops of their own.
 * - An owner of which the status alone goes round follows what it owns.
 */
export function inOrderOfCauses(loops: readonly OwnedLoop[]): readonly ObjectLoop[] {
  const byUid = new Map(loops.flatMap((each) => each.uids.map((uid) => [uid, each] as const)));
  const causes = new Map<OwnedLoop, OwnedLoop>();
  for (const owned of loops) {
    const owner = owned.owners.flatMap((uid) => byUid.get(uid) ?? [])[0];
    if (owner === undefined) continue;
    if (!isAsked(owner.loop)) {
      if (!causes.has(owner) || isAsked(owned.loop)) causes.set(owner, owned);
    } else if (isLed(owned.loop, owner.loop)) causes.set(owned, owner);
  }
  const roots = loops.filter((each) => !causes.has(each)).sort(moreTelling);
  return roots.flatMap((root) => [root.loop, ...followers(root, causes)]);
}

function isAsked(loop: ObjectLoop): boolean {
  return loop.is === "recreated" || loop.how === "empty" || loop.fields.some(({ path }) => isAskedFor(path));
}

/** Whether the dependent is rewritten because its owner is. Dependents of an object that is deleted are deleted with it. */
function isLed(owned: ObjectLoop, owner: ObjectLoop): boolean {
  const [led, leading] = [writersOf(owned), writersOf(owner)];
  if (owner.is === "recreated" || !isAsked(owned)) return true;
  return led.size <= 1 && [...led].every((name) => !leading.has(name));
}

/** Those who change the fields of the loop, or create the object. */
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

/** Ends: of an owner and what it owns only one follows the other, and what is owned has one owner. */
function rootOf(each: OwnedLoop, causes: ReadonlyMap<OwnedLoop, OwnedLoop>): OwnedLoop {
  let root = each;
  for (let cause = causes.get(root); cause !== undefined; cause = causes.get(root)) root = cause;
  return root;
}

function moreTelling(a: OwnedLoop, b: OwnedLoop): number {
  const rate = ({ loop }: OwnedLoop): number =>
    (loop.is === "recreated" ? 2 * loop.times : loop.writes) / Math.max(loop.ms, 1);
  return (
    Number(isAsked(b.loop)) - Number(isAsked(a.loop)) || rate(b) - rate(a) || (nameOf(a.loop) < nameOf(b.loop) ? -1 : 1)
  );
}
