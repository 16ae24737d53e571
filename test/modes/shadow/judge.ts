/**
 * Whether one of our controllers intends the same writes as the real one: judged from the decisions of our syncs, as recorded at the
 * controllers' own client, and from the owner's writes in the API server's audit log. Shadow's own verdicts are not used.
 *
 * The owner is stopped while the objects are changed, and until our syncs have decided: so each of its writes must be one that we had
 * decided before, or decide within `graceMs` of it.
 */
import type { ObjectKey } from "../../../src/api/key.ts";
import type { ObjectMeta, StoredObject } from "../../../src/api/object.ts";
import { controllerOf } from "../../../src/api/owner-references.ts";
import type { PodDisruptionBudget } from "../../../src/api/types.ts";
import { essenceOf, makerOf, targetOf } from "./essence.ts";
import type { Change, OwnerWrite, Read, SyncRecord, Write } from "./judged.ts";

/** Time after the owner's write, by the API server's clock, within which one of our syncs can still decide the same. */
export const graceMs = 5000;

/** A round of changes and its outcome. All times are from the clock of one machine. */
export interface Round {
  readonly syncs: readonly SyncRecord[];
  /** The writes of this controller's owner, in the order of the responses. */
  readonly owner: readonly OwnerWrite[];
  /** Changes by any client to objects that are or were controlled by others. */
  readonly changes: readonly Change[];
  /** `pods ns/name`: objects changed, beyond their status, or deleted, with their status, by clients other than this owner. */
  readonly touched: ReadonlySet<string>;
  /**
   * Whether the owner lists its pods again for the status, after a sync has created and deleted some: how many of those its cache shows by
   * then is chance.
   */
  readonly looksTwice?: boolean;
  /** Whether it is irrelevant which of two pods is deleted. Unset: each deletion must match by name. */
  readonly alike?: (one: StoredObject, other: StoredObject) => boolean;
  /** If deletions match by name: whether the owner may delete another one of its pods instead. Unset: it may not. */
  readonly mayGoInstead?: (one: StoredObject, other: StoredObject) => boolean;
  /** Whether the owner may create one pod instead of another, intended by a sync that saw these pods. Unset: it may not. */
  readonly mayComeInstead?: (one: Write, other: Write, pods: readonly StoredObject[]) => boolean;
}

export interface Finding {
  /** Whose write it is. */
  readonly of: "owner" | "ours";
  readonly write: Write | OwnerWrite;
  readonly why: string;
}

export interface Verdict {
  /** The owner's writes that we intended too. */
  readonly same: readonly OwnerWrite[];
  readonly differs: readonly Finding[];
  /** The owner's writes that cannot be judged, each with the reason. */
  readonly notComparable: readonly Finding[];
  /** Number of writes that a sync decided and a later one of the same key, based on a newer state, did not. */
  readonly movedOn: number;
}

/** Judges one controller's round. */
export function judge(round: Round): Verdict {
  const counted = [...countedCreates(round), ...countedDeletes(round)];
  const byCount = new Set<Write>(counted.flatMap(({ owner, ours }) => [...owner, ...ours]));
  const rest = (write: Write): boolean => !byCount.has(write);
  const exact = judgeExact(round, rest);
  return {
    same: [...counted.flatMap(({ same }) => same), ...exact.same],
    differs: [...counted.flatMap(({ differs }) => differs), ...exact.differs],
    notComparable: exact.notComparable,
    movedOn: exact.movedOn + counted.reduce((sum, each) => sum + each.movedOn, 0),
  };
}

/** Writes to what one object controls that are compared by count: generated names, and the choice among equal pods, are chance. */
interface Counted {
  readonly owner: readonly OwnerWrite[];
  readonly ours: readonly Write[];
  readonly same: readonly OwnerWrite[];
  readonly differs: readonly Finding[];
  readonly movedOn: number;
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
    standing = now;
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
  const makerOfGone = ({ answer }: OwnerWrite): string | undefined =>
    answer === undefined ? undefined : controllerOf(answer)?.uid;
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

const neverDone = "the owner never did it";

/** All other writes: the same verb on the same object with the same content. */
function judgeExact(round: Round, rest: (write: Write) => boolean): Verdict {
  const { syncs, owner, changes, touched } = round;
  const theirs = owner.filter(rest);
  const decided = new Map<string, number>();
  for (const write of syncs.flatMap(({ writes }) => writes.filter(rest))) {
    const text = essenceOf(write);
    decided.set(text, Math.min(decided.get(text) ?? Infinity, write.at));
  }
  const done = new Set(theirs.map(essenceOf));
  const same: OwnerWrite[] = [];
  const differs: Finding[] = [];
  const notComparable: Finding[] = [];
  for (const write of theirs) {
    const isMeant = (decided.get(essenceOf(write)) ?? Infinity) <= write.at + graceMs;
    if (isMeant || isInsteadOfMeant(write, round)) same.push(write);
    else {
      const unseen = whyUnseen(write, syncs, changes) ?? whyByChance(write, round) ?? whyEvicting(write, round);
      if (unseen === undefined) differs.push({ of: "owner", write, why: meantInstead(write, syncs) });
      else notComparable.push({ of: "owner", write, why: unseen });
    }
  }
  let movedOn = 0;
  // An owner that saw a state that we did not see may have made several of our writes in one.
  const isPassed = (write: Write): boolean =>
    notComparable.some(({ write: theirs }) => targetOf(theirs) === targetOf(write) && theirs.at + graceMs >= write.at);
  const last = new Map<ObjectKey, SyncRecord>();
  for (const sync of syncs) if (!sync.failed) last.set(sync.key, sync);
  for (const sync of syncs) {
    const writes = sync.writes.filter(rest);
    for (const [index, write] of writes.entries()) {
      if (done.has(essenceOf(write))) continue;
      const { resource, namespace, name } = write;
      const isLast = last.get(sync.key) === sync;
      const isTouched = touched.has(`${resource} ${namespace}/${name}`);
      if (
        isLast &&
        !isTouched &&
        !isPassed(write) &&
        !isOnTheWay(sync, { write, next: writes.slice(index + 1), theirs })
      )
        differs.push({ of: "ours", write, why: `${neverDone}; ${doneInstead(write, theirs)}` });
      else movedOn++;
    }
  }
  return { same, differs, notComparable, movedOn };
}

/**
 * Why no sync of ours has seen the state on which the owner's write is based, by the versions of the object and of its dependents;
 * undefined if one has, or if the versions are inconclusive.
 */
function whyUnseen(write: OwnerWrite, syncs: readonly SyncRecord[], changes: readonly Change[]): string | undefined {
  const { metadata } = (write.body ?? {}) as { readonly metadata?: ObjectMeta };
  const [from, to] = [metadata?.resourceVersion, Number(write.answer?.metadata.resourceVersion)];
  if (write.verb === "delete" || write.verb === "patch") return whyUnread(write, syncs);
  // A scale is read from the server, and has the version of the scaled object.
  if (write.verb !== "update" || from === undefined || write.resource.endsWith("/scale")) return undefined;
  const key = write.namespace === "" ? write.name : `${write.namespace}/${write.name}`;
  const looked = `${write.resource.replace(/\/.*/, "")} ${key} ${from}`;
  const known = syncs.filter(
    ({ primary, versions, lookedUp }) =>
      [primary?.resourceVersion, String(versions.get(write.name))].includes(from) || lookedUp.has(looked),
  );
  if (known.length === 0) return `no sync of ours saw version ${from}, which it is based on`;
  const uid = known[0]?.primary?.uid;
  // The owner may have seen any state of its dependents between the first that we saw with this version and the write.
  const seen = new Set(known.flatMap(({ versions }) => [...versions.values()]));
  const first = Math.min(...known.map(({ versions }) => Math.max(0, ...versions.values())));
  for (const change of changes) {
    if (change.is === "left") {
      const isSeen = known.at(-1)?.versions.has(change.name) !== true;
      if (!isSeen && change.namespace === write.namespace && change.at <= write.at)
        return `no sync of ours saw version ${from} without ${change.name}`;
    } else if (
      change.is === "controlled" &&
      change.ownerUid === uid &&
      change.version > first &&
      change.version < to &&
      !seen.has(change.version)
    )
      return `no sync of ours saw version ${from} with ${change.version} of what it controls`;
  }
  return undefined;
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
  const target = targetOf(write);
  const following = new Set(next.filter((each) => targetOf(each) === target).map(essenceOf));
  const seen = theirs.findIndex(
    (each) => targetOf(each) === target && each.answer?.metadata.resourceVersion === primary?.resourceVersion,
  );
  const later = theirs.findIndex((each, index) => index > seen && following.has(essenceOf(each)));
  if (seen < 0 || later < 0) return false;
  return theirs.slice(seen + 1, later).some(({ given, answer }) => {
    if (answer === undefined || controllerOf(answer)?.uid !== primary?.uid) return false;
    return (versions.get(given) ?? Infinity) >= Number(answer.metadata.resourceVersion);
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

/** The first status that the owner writes soon after its writes to pods is from the same sync. */
function whyByChance(write: OwnerWrite, { owner, looksTwice }: Round): string | undefined {
  if (looksTwice !== true || !write.resource.endsWith("/status")) return undefined;
  const uid = write.answer?.metadata.uid;
  const isItsPod = ({ verb, resource, answer }: OwnerWrite): boolean =>
    resource === "pods" && verb !== "update" && answer !== undefined && controllerOf(answer)?.uid === uid;
  const isStatus = (each: OwnerWrite): boolean => each.resource === write.resource && each.answer?.metadata.uid === uid;
  const before = owner.filter(({ at }) => at < write.at && write.at - at < graceMs);
  const pod = before.slice(before.findLastIndex(isStatus) + 1).find(isItsPod);
  return pod === undefined
    ? undefined
    : `whether its cache shows by then that it has ${pod.verb}d ${pod.given} is chance`;
}

/**
 * The API server counts an eviction in the budget's status, then deletes the pod: two watches show this, in any order. Applies only if the
 * owner itself later removes the pod from the status.
 */
function whyEvicting(write: OwnerWrite, { owner, changes }: Round): string | undefined {
  const granted = ({ body }: OwnerWrite): object =>
    ((body ?? {}) as Partial<PodDisruptionBudget>).status?.disruptedPods ?? {};
  const later = owner.filter((each) => each.at > write.at && targetOf(each) === targetOf(write));
  const pod = changes.find(
    (each) =>
      each.is === "evicted" &&
      each.namespace === write.namespace &&
      each.name in granted(write) &&
      later.some((next) => !(each.name in granted(next))),
  );
  return pod?.is === "evicted" ? `whether its cache shows by then that ${pod.name} goes is chance` : undefined;
}

/**
 * If our controller acts on live reads: that it read the object of an owner's write only after that write. Undefined if it read the object
 * before, or reads nothing.
 */
function whyUnread({ resource, namespace, name, at }: OwnerWrite, syncs: readonly SyncRecord[]): string | undefined {
  const reads = syncs.flatMap((sync) => sync.reads);
  const isOfIt = (read: Read): boolean =>
    read.resource === resource && read.namespace === namespace && read.name === name;
  if (reads.length === 0 || reads.some((read) => isOfIt(read) && read.at <= at)) return undefined;
  return "no sync of ours read it before the owner wrote";
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
      : `its last there, ${write.at - last.at} ms before ours: ${essenceOf(last)}`;
  return `meant ${essenceOf(write)}; ${its}`;
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

/** The syncs of the key whose object has this uid. */
function syncsOf(syncs: readonly SyncRecord[], uid: string | undefined): readonly SyncRecord[] {
  const keys = new Set(syncs.filter(({ primary }) => uid !== undefined && primary?.uid === uid).map(({ key }) => key));
  return syncs.filter(({ key, primary, failed }) => keys.has(key) && primary?.uid === uid && !failed);
}

function isGenerated({ verb, name }: Write): boolean {
  return verb === "create" && name === "";
}

function isPodDeletion({ verb, resource, body }: Write): boolean {
  // A garbage collector identifies the pod by uid: it has no choice among pods.
  const { preconditions } = (body ?? {}) as { readonly preconditions?: { readonly uid?: string } };
  return verb === "delete" && resource === "pods" && preconditions?.uid === undefined;
}

/** `the owner's delete of pods shop/web-x7k2p: not meant here`, for a failure message. */
export function textOf({ of, write, why }: Finding): string {
  const { verb, resource, namespace, name } = write;
  const which = "given" in write ? write.given : name;
  return `${of === "owner" ? "the owner's" : "our"} ${verb} of ${resource} ${namespace}/${which}: ${why}`;
}
