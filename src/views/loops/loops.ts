/**
 * Finds loops: objects that are rewritten or recreated without converging. A fold over `delta` events, so it works for operators in any
 * language; for our own controllers it also uses `get`, `write` and `link` events to find syncs that trigger themselves.
 */
import type { DeltaEvent, StageEvent } from "../../trace/events.ts";
import { inOrderOfCauses, type OwnedLoop } from "./causes.ts";
import { acquittalOf, followsFromOwner, isReplacedFor, loopOf, mayBecomeLoop, shortLoopOf } from "./judge-object.ts";
import {
  type Acquittal,
  defaultMinMs,
  isObjectLoop,
  type Loop,
  type LoopsOptions,
  nameOf,
  type ObjectLoop,
  type ObjectName,
  type RewriteLoop,
  type SelfTriggeredLoop,
  type RequeueLoop,
} from "./loop.ts";
import { ObjectHistory } from "./object-history.ts";
import { OwnSyncs } from "./own-syncs.ts";
import { OwnWriters } from "./own-writers.ts";
import { Recreations } from "./recreations.ts";

/** Objects remembered: those that changed most recently. */
const maxObjects = 20_000;
/** Loops kept; later ones are dropped. */
const maxLoops = 1000;
/** How many levels of owners are followed. */
const maxOwners = 5;

/** Accepts every event; `found` returns the loops so far. A loop that was found is never withdrawn. */
export class Loops {
  #options: Required<LoopsOptions>;
  #objects = new Map<string, ObjectHistory>();
  #byUid = new Map<string, ObjectHistory>();
  #owners = new Map<string, string>();
  /** Objects written since they were last judged. */
  #unjudged = new Set<ObjectHistory>();
  #found = new Map<string, OwnedLoop>();
  #recreations: Recreations;
  #own: OwnSyncs;
  #ownWriters = new OwnWriters();
  #foundOwn = new Map<string, SelfTriggeredLoop | RequeueLoop>();
  #deltas = 0;

  constructor({ perMinute, minMs = defaultMinMs }: LoopsOptions) {
    this.#options = { perMinute, minMs };
    this.#recreations = new Recreations(this.#options);
    this.#own = new OwnSyncs(this.#options);
  }

  /** The number of objects remembered. */
  get size(): number {
    return this.#objects.size;
  }

  /** The number of creations, deletions and changes seen so far. */
  get deltas(): number {
    return this.#deltas;
  }

  accept(event: StageEvent): void {
    this.#ownWriters.accept(event);
    if (event.stage === "delta") {
      this.#delta(event);
      this.#recreations.accept(event);
    } else this.#own.accept(event);
  }

  /** The loops so far, each cause before the loops that follow from it. */
  found(): readonly Loop[] {
    const all = [...this.#unjudged];
    this.#unjudged.clear();
    const explained = all.filter((history) => this.#judge(history) === "explained");
    // An owner that seemed to explain a loop may itself turn out to be in one.
    for (const history of explained) this.#judge(history);
    for (const owned of this.#recreations.found()) if (!this.#isReplacement(owned)) this.#keep(owned);
    for (const loop of this.#own.found()) {
      const name = `${loop.is} ${loop.controller} ${loop.key}`;
      if (this.#foundOwn.size < maxLoops || this.#foundOwn.has(name)) this.#foundOwn.set(name, loop);
    }
    const own = [...this.#foundOwn.values()].sort((a, b) => b.syncs - a.syncs);
    const ofObjects = inOrderOfCauses([...this.#found.values()]);
    return [...ofObjects.map((loop) => (loop.is === "rewritten" ? this.#ownWriters.named(loop) : loop)), ...own];
  }

  /**
   * The loops so far that certainly follow from no other. Left out are objects whose owner also changes often, but not yet for long
   * enough to be a loop.
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

  /**
   * What would be loops if they had lasted: their writes span less than the shortest duration of a loop, here in `ms`. Without those that
   * follow from others.
   */
  tooShort(): readonly Loop[] {
    const objects = [...this.#objects.values()].flatMap((history): readonly OwnedLoop[] => {
      const loop = this.#isRewritten(history) ? undefined : shortLoopOf(history, this.#options);
      if (loop === undefined || this.#isExplained(loop, history)) return [];
      return [{ loop, uids: [history.uid], owners: this.#ownersOf(history.uid) }];
    });
    const recreated = this.#recreations.tooShort().filter((owned) => !this.#isReplacement(owned));
    const ofObjects = inOrderOfCauses([...objects, ...recreated]).filter((loop) => loop.followsFrom === undefined);
    return [...ofObjects, ...this.#own.tooShort()];
  }

  /** Objects that were written often but are not in a loop, such as those of a rollout. The busiest first. */
  acquitted(): readonly Acquittal[] {
    return [...this.#objects.values()]
      .filter((history) => !this.#isRewritten(history))
      .flatMap((history) => acquittalOf(history, this.#options) ?? [])
      .sort((a, b) => b.writes - a.writes);
  }

  #delta(delta: DeltaEvent): void {
    if (delta.type !== "Sync" && delta.relist !== true) this.#deltas++;
    const name = nameOf(delta);
    // A tombstone, for an object missing from a relist, does not drop the history.
    if (delta.type === "Deleted" && delta.tombstone !== true) this.#forget(name);
    if (delta.type !== "Updated") return;
    let history = this.#objects.get(name);
    if (history?.uid !== delta.uid) {
      this.#forget(name);
      history = new ObjectHistory(delta);
    }
    // Keeps the map in order of last change, so that the oldest is dropped first.
    this.#objects.delete(name);
    this.#objects.set(name, history);
    this.#byUid.set(history.uid, history);
    history.add(delta);
    this.#unjudged.add(history);
    if (this.#objects.size <= maxObjects) return;
    const [oldest = ""] = this.#objects.keys();
    this.#forget(oldest);
  }

  /** Forgets an object, after judging its last writes. */
  #forget(name: string): void {
    const history = this.#objects.get(name);
    if (history === undefined) return;
    if (this.#unjudged.delete(history)) this.#judge(history);
    this.#objects.delete(name);
    this.#byUid.delete(history.uid);
    this.#owners.delete(history.uid);
  }

  /** `explained`: it looks like a loop, but follows from changes of its owner's spec. */
  #judge(history: ObjectHistory): "loop" | "explained" | "none" {
    const { uid, owner } = history;
    if (owner !== undefined) this.#owners.set(uid, owner);
    const loop = loopOf(history, this.#options);
    if (loop === undefined) return "none";
    if (this.#isExplained(loop, history)) return "explained";
    this.#keep({ loop, uids: [uid], owners: this.#ownersOf(uid) });
    return "loop";
  }

  #isExplained(loop: RewriteLoop, history: ObjectHistory): boolean {
    const owner = history.owner === undefined ? undefined : this.#explainingOwner(history.owner);
    return owner !== undefined && followsFromOwner(owner, loop, history);
  }

  #isReplacement({ loop, owners }: OwnedLoop): boolean {
    if (loop.is !== "recreated") return false;
    return owners.flatMap((uid) => this.#explainingOwner(uid) ?? []).some((owner) => isReplacedFor(owner, loop));
  }

  /** The owner whose changes may explain a loop; undefined if the owner is in a loop itself, which is then the cause. */
  #explainingOwner(uid: string): ObjectHistory | undefined {
    const owner = this.#byUid.get(uid);
    return owner === undefined || this.#isRewritten(owner) ? undefined : owner;
  }

  #isRewritten(object: ObjectName): boolean {
    return this.#found.has(`rewritten ${nameOf(object)}`);
  }

  #keep(owned: OwnedLoop): void {
    const name = foundName(owned.loop);
    if (this.#found.size < maxLoops || this.#found.has(name)) this.#found.set(name, owned);
  }

  #ownersOf(uid: string): readonly string[] {
    const owners: string[] = [];
    for (let owner = this.#owners.get(uid); owner !== undefined; owner = this.#owners.get(owner)) {
      owners.push(owner);
      if (owners.length === maxOwners) break;
    }
    return owners;
  }
}

function foundName(loop: ObjectLoop): string {
  return `${loop.is} ${nameOf(loop)}`;
}
