/**
 * Loops: objects that are rewritten, or deleted and created, again and again without getting anywhere. A fold over `delta` events, so it serves operators
 * in any language; for controllers of ours also over `get`, `write` and `link` events: syncs that wake themselves.
 */
import type { DeltaEvent, StageEvent } from "../../trace/events.ts";
import { inOrderOfCauses, type OwnedLoop } from "./causes.ts";
import { acquittalOf, answersTo, isReplacedFor, loopOf, mayBecomeLoop } from "./judge-object.ts";
import {
  type Acquittal,
  defaultLeastMs,
  isObjectLoop,
  type Loop,
  type LoopsOptions,
  nameOf,
  type ObjectLoop,
  type ObjectName,
  type SelfTriggeredLoop,
  type RequeueLoop,
} from "./loop.ts";
import { ObjectHistory } from "./object-history.ts";
import { OwnSyncs } from "./own-syncs.ts";
import { Recreations } from "./recreations.ts";

/** Objects that changed lately are remembered, the others forgotten. */
const mostObjects = 20_000;
/** Loops that are kept once they were found. */
const mostLoops = 1000;
/** How far owners of owners are followed. */
const mostOwners = 5;

/** Give it every event; ask it for the loops at any time. A loop that was found once is never taken back. */
export class Loops {
  #options: Required<LoopsOptions>;
  #objects = new Map<string, ObjectHistory>();
  #byUid = new Map<string, ObjectHistory>();
  #owners = new Map<string, string>();
  /** Those that were written since they were last judged. */
  #unjudged = new Set<ObjectHistory>();
  #found = new Map<string, OwnedLoop>();
  #recreations: Recreations;
  #own: OwnSyncs;
  #foundOwn = new Map<string, SelfTriggeredLoop | RequeueLoop>();
  #deltas = 0;

  constructor({ perMinute, leastMs = defaultLeastMs }: LoopsOptions) {
    this.#options = { perMinute, leastMs };
    this.#recreations = new Recreations(this.#options);
    this.#own = new OwnSyncs(this.#options);
  }

  /** Objects that are followed. */
  get size(): number {
    return this.#objects.size;
  }

  /** Changes seen so far: objects created, deleted or changed. */
  get deltas(): number {
    return this.#deltas;
  }

  accept(event: StageEvent): void {
    if (event.stage === "delta") {
      this.#delta(event);
      this.#recreations.accept(event);
    } else this.#own.accept(event);
  }

  /** The loops so far: causes before what follows from them, each with when it was written last. */
  found(): readonly Loop[] {
    const all = [...this.#unjudged];
    this.#unjudged.clear();
    const answers = all.filter((history) => this.#judge(history) === "answer");
    // The owner that something was taken to follow may itself turn out to be in a loop.
    for (const history of answers) this.#judge(history);
    for (const owned of this.#recreations.found()) if (!this.#isReplacement(owned)) this.#keep(owned);
    for (const loop of this.#own.found()) {
      const name = `${loop.is} ${loop.controller} ${loop.key}`;
      if (this.#foundOwn.size < mostLoops || this.#foundOwn.has(name)) this.#foundOwn.set(name, loop);
    }
    const own = [...this.#foundOwn.values()].sort((a, b) => b.syncs - a.syncs);
    return [...inOrderOfCauses([...this.#found.values()]), ...own];
  }

  /**
   * The loops so far that are certainly causes. An object whose owner changes as well, but not yet for long enough to be a loop, is
   * not among them.
   */
  settled(): readonly Loop[] {
    return this.found().filter((loop) => {
      if (!isObjectLoop(loop)) return true;
      return loop.followsFrom === undefined && !this.#mayFollow(loop);
    });
  }

  #mayFollow(loop: ObjectLoop): boolean {
    const owners = new Set(this.#found.get(foundName(loop))?.owners);
    for (const history of this.#objects.values()) {
      if (owners.has(history.uid) && mayBecomeLoop(history, this.#options)) return true;
    }
    return false;
  }

  /** Objects that were written as often, and are in no loop: a rollout does that. The busiest first. */
  acquitted(): readonly Acquittal[] {
    return [...this.#objects.values()]
      .filter((history) => !this.#isRewritten(history))
      .flatMap((history) => acquittalOf(history, this.#options) ?? [])
      .sort((a, b) => b.writes - a.writes);
  }

  #delta(delta: DeltaEvent): void {
    if (delta.type !== "Sync" && delta.relist !== true) this.#deltas++;
    const name = nameOf(delta);
    // What a list does not show any more may just not have changed since.
    if (delta.type === "Deleted" && delta.tombstone !== true) this.#forget(name);
    if (delta.type !== "Updated") return;
    let history = this.#objects.get(name);
    if (history?.uid !== delta.uid) {
      this.#forget(name);
      history = new ObjectHistory(delta);
    }
    // The latest are last, so that the first are dropped first.
    this.#objects.delete(name);
    this.#objects.set(name, history);
    this.#byUid.set(history.uid, history);
    history.add(delta);
    this.#unjudged.add(history);
    if (this.#objects.size <= mostObjects) return;
    const [oldest = ""] = this.#objects.keys();
    this.#forget(oldest);
  }

  /** What is gone is judged by what it did. */
  #forget(name: string): void {
    const history = this.#objects.get(name);
    if (history === undefined) return;
    if (this.#unjudged.delete(history)) this.#judge(history);
    this.#objects.delete(name);
    this.#byUid.delete(history.uid);
    this.#owners.delete(history.uid);
  }

  /** `answer`: it would be a loop, if it did not follow from its owner's spec. */
  #judge(history: ObjectHistory): "loop" | "answer" | "none" {
    const { uid, owner } = history;
    if (owner !== undefined) this.#owners.set(uid, owner);
    const loop = loopOf(history, this.#options);
    if (loop === undefined) return "none";
    const asked = owner === undefined ? undefined : this.#askedOwner(owner);
    if (asked !== undefined && answersTo(asked, loop, history)) return "answer";
    this.#keep({ loop, uids: [uid], owners: this.#ownersOf(uid) });
    return "loop";
  }

  #isReplacement({ loop, owners }: OwnedLoop): boolean {
    if (loop.is !== "recreated") return false;
    return owners.flatMap((uid) => this.#askedOwner(uid) ?? []).some((owner) => isReplacedFor(owner, loop));
  }

  /** An owner that something may follow; one that is in a loop itself is the cause instead. */
  #askedOwner(uid: string): ObjectHistory | undefined {
    const owner = this.#byUid.get(uid);
    return owner === undefined || this.#isRewritten(owner) ? undefined : owner;
  }

  #isRewritten(object: ObjectName): boolean {
    return this.#found.has(`rewritten ${nameOf(object)}`);
  }

  #keep(owned: OwnedLoop): void {
    const name = foundName(owned.loop);
    if (this.#found.size < mostLoops || this.#found.has(name)) this.#found.set(name, owned);
  }

  #ownersOf(uid: string): readonly string[] {
    const owners: string[] = [];
    for (let owner = this.#owners.get(uid); owner !== undefined; owner = this.#owners.get(owner)) {
      owners.push(owner);
      if (owners.length === mostOwners) break;
    }
    return owners;
  }
}

function foundName(loop: ObjectLoop): string {
  return `${loop.is} ${nameOf(loop)}`;
}
