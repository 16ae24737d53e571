/** Writes to what one object controls that are compared by count: generated names, and the choice among equal pods, are chance. */
import { controllerOf } from "../../../../src/api/owner-references.ts";
import { essenceOf } from "./essence.ts";
import {
  isGenerated,
  isPodDeletion,
  makerOf,
  type OwnerWrite,
  type Round,
  type SyncRecord,
  syncsOf,
  type Write,
} from "./round.ts";
import { type Finding, neverDone } from "./verdict.ts";

/** The writes of one kind to what one object controls, and the verdict on them. */
export interface Counted {
  readonly owner: readonly OwnerWrite[];
  readonly ours: readonly Write[];
  readonly same: readonly OwnerWrite[];
  readonly differs: readonly Finding[];
  readonly movedOn: number;
}

/** Every write that is compared by count. */
export function countedWrites(round: Round): Counted[] {
  return [...countedCreates(round), ...countedDeletes(round)];
}

/** Number of writes that our syncs of one key intended, each counted once however often it was decided while outstanding. */
interface Count {
  readonly meant: number;
  /** The owner's writes that became visible before we had intended as many. */
  readonly unmeant: number;
  /** Those that the last sync still intends. */
  readonly standing: number;
}

/**
 * A sync intends as many writes as it sees missing; those that an earlier sync intended and that are not visible yet are the same writes.
 * `shown`: how many of the owner's writes the sync sees.
 */
function countMeant(
  syncs: readonly SyncRecord[],
  meantBy: (sync: SyncRecord) => number,
  shown: (sync: SyncRecord) => number,
): Count {
  let meant = 0;
  let unmeant = 0;
  let standing = 0;
  for (const sync of syncs) {
    const done = shown(sync);
    if (done > meant + unmeant) unmeant = done - meant;
    const waiting = meant + unmeant - done;
    const now = meantBy(sync);
    meant += Math.max(0, now - waiting);
    // A sync that failed has not come to the end of what it intends.
    if (!sync.failed) standing = now;
  }
  return { meant, unmeant, standing };
}

function countedCreates({ syncs, owner, mayComeInstead = () => false }: Round): Counted[] {
  const ours = syncs.flatMap(({ writes }) => writes.filter(isGenerated));
  const theirs = owner.filter(isGenerated);
  const makers = new Set([...ours, ...theirs].map(makerOf));
  return [...makers].map((maker) => {
    const its = (write: Write): boolean => isGenerated(write) && makerOf(write) === maker;
    const all = { owner: theirs.filter(its), ours: ours.filter(its) };
    const names = new Set(all.owner.map(({ given }) => given));
    const seen = new Set<string>();
    const shown = ({ pods, versions }: SyncRecord): number => {
      for (const name of [...pods.map(({ metadata }) => metadata.name), ...versions.keys()])
        if (names.has(name)) seen.add(name);
      return seen.size;
    };
    const count = countMeant(syncsOf(syncs, maker), ({ writes }) => writes.filter(its).length, shown);
    const bodies = new Set(all.ours.map(essenceOf));
    // What we intended and the owner has not created; each can replace one other.
    const spared = new Set(bodies);
    for (const write of all.owner) spared.delete(essenceOf(write));
    return byNumber(all, count, (write) => {
      const body = essenceOf(write);
      if (bodies.has(body)) return undefined;
      for (const { writes, pods } of syncs) {
        const meant = writes
          .filter(its)
          .find((each) => spared.has(essenceOf(each)) && mayComeInstead(write, each, pods));
        if (meant === undefined) continue;
        spared.delete(essenceOf(meant));
        return undefined;
      }
      return bodies.size === 0 ? "not meant here" : `with another body${whereOther(body, bodies)}`;
    });
  });
}

function countedDeletes({ syncs, owner, alike }: Round): Counted[] {
  if (alike === undefined) return [];
  const uids = new Set(syncs.flatMap(({ primary, pods }) => (pods.length === 0 ? [] : [primary?.uid])));
  const makerOfGone = ({ responseObject }: OwnerWrite): string | undefined =>
    responseObject === undefined ? undefined : controllerOf(responseObject)?.uid;
  return [...uids].map((uid) => {
    const its = syncsOf(syncs, uid);
    const theirs = owner.filter((write) => isPodDeletion(write) && makerOfGone(write) === uid);
    const ours = its.flatMap(({ writes }) => writes.filter(isPodDeletion));
    const gone = new Set(theirs.map(({ name }) => name));
    const seen = new Set<string>();
    const missing = new Set<string>();
    const shown = ({ pods }: SyncRecord): number => {
      const there = new Set(pods.map(({ metadata }) => metadata.name));
      for (const name of seen) if (gone.has(name) && !there.has(name)) missing.add(name);
      for (const name of there) seen.add(name);
      return missing.size;
    };
    const count = countMeant(its, ({ writes }) => writes.filter(isPodDeletion).length, shown);
    const spared = new Map(ours.map(({ name }) => [name, name]));
    for (const name of gone) spared.delete(name);
    const meant = new Set(ours.map(({ name }) => name));
    const pods = new Map(its.flatMap((sync) => sync.pods.map((pod) => [pod.metadata.name, pod] as const)));
    return byNumber({ owner: theirs, ours }, count, ({ name }) => {
      if (meant.has(name)) return undefined;
      const one = pods.get(name);
      for (const other of spared.keys()) {
        const pod = pods.get(other);
        if (one === undefined || pod === undefined) continue;
        if (!alike(one, pod)) continue;
        spared.delete(other);
        return undefined;
      }
      return `we meant ${[...spared.keys()].join(", ") || "none"}, which does not rank alike`;
    });
  });
}

function byNumber(
  { owner, ours }: Pick<Counted, "owner" | "ours">,
  { meant, unmeant, standing }: Count,
  other: (write: OwnerWrite) => string | undefined,
): Counted {
  const wrong = new Map(owner.map((write) => [write, other(write)] as const));
  // It is unknown which of them we did not intend: the last ones are reported, as many as there are too many.
  const tooMany = Math.max(0, owner.length - meant, unmeant);
  for (const write of owner.slice(owner.length - tooMany)) {
    const why = `${owner.length} by the owner, ${owner.length - tooMany} meant here`;
    if (wrong.get(write) === undefined) wrong.set(write, why);
  }
  const left = Math.min(standing, Math.max(0, meant + unmeant - owner.length));
  const notDone = ours.slice(ours.length - left).map((write): Finding => ({ of: "ours", write, why: neverDone }));
  const found = owner.flatMap((write): Finding[] => {
    const why = wrong.get(write);
    return why === undefined ? [] : [{ of: "owner", write, why }];
  });
  return {
    owner,
    ours,
    same: owner.filter((write) => wrong.get(write) === undefined),
    differs: [...found, ...notDone],
    movedOn: Math.max(0, meant + unmeant - owner.length - left),
  };
}

/** Where a text first differs from the most similar of the others, and how both continue; empty if there are no others. */
function whereOther(text: string, others: ReadonlySet<string>): string {
  const alike = (other: string): number => {
    let at = 0;
    while (at < text.length && text[at] === other[at]) at++;
    return at;
  };
  const [closest] = [...others].sort((a, b) => alike(b) - alike(a));
  if (closest === undefined) return "";
  const [from, to] = [Math.max(0, alike(closest) - 40), alike(closest) + 80];
  return `: …${text.slice(from, to)}…, meant here …${closest.slice(from, to)}…`;
}
