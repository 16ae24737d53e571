/** Compares the writes that our syncs intend with those that the owner makes. */
import { deepEqual } from "../../api/field-changes.ts";
import { splitKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { TraceBus } from "../../trace/bus.ts";
import type { AgreementEvent, IntentionEvent } from "../../trace/events.ts";
import { type Act, actOf, type Observed } from "./acts.ts";
import { otherPropagation, overtaken } from "./comparison.ts";
import { type Episode, Episodes } from "./episodes.ts";
import { closest, isFulfilled, isOfKind, isSibling, isSiblingOf, pathsOf } from "./fulfilment.ts";
import { type Intention, isIdle, isReplaced, isSame, type KeyOf, type Siblings } from "./intention.ts";
import { mergedBy, overtakenWithNext } from "./merged-writes.ts";
import {
  intentionEvent,
  type Outcome,
  outcomeEvent,
  outcomeOf,
  pastTenseOf,
  unintendedEvent,
  whyNotDone,
} from "./outcome.ts";
import { isChange, isGenerated, type WouldBeWrite } from "./would-be-write.ts";
import type { Author } from "./owner-acts.ts";

/** What `Intentions` needs to know about owners and objects. */
export interface IntentionsOptions {
  readonly bus: TraceBus;
  readonly timeline: Timeline;
  /** Whether the controller has an owner. Without one, no intention is ever fulfilled. */
  readonly hasOwner: (controller: string) => boolean;
  /** How often the controller's owner syncs an unchanged key, in ms; 0 if it only acts on changes. */
  readonly syncsEveryMs: (controller: string) => number;
  /** Since when all the controller's watches have been open, in ms since 1970; undefined while one is closed. */
  readonly watchesOpenSince: (controller: string) => number | undefined;
  /** Whether the controller chooses which objects to delete. The garbage collector does not: each key is the object to delete. */
  readonly chooses: (controller: string) => boolean;
  /** The current state of the object of a write; undefined if it does not exist. */
  readonly now: (write: WouldBeWrite) => StoredObject | undefined;
  /** The objects from which the one to delete is chosen, in their current state. */
  readonly siblingsOf: (kind: string, object: StoredObject) => Siblings;
  /** The criterion by which two siblings rank differently; undefined if they rank equally. */
  readonly distinguishedBy: (kind: string, pair: SiblingPair) => string | undefined;
  /** The API server's message when the owner tried the same write; undefined if there is no trace of that. */
  readonly refusalOf: (name: KeyOf, write: WouldBeWrite) => string | undefined;
  /** Who made a change that fulfils an intention of the controller. */
  readonly authorOf: (controller: string, observed: Observed) => Author;
  /** The key that an unexpected act belongs to; undefined if it belongs to none here. */
  readonly keyOfAct: (observed: Observed) => KeyOf | undefined;
}

/** Two objects of one owner, when one of the two was chosen for deletion. */
export interface SiblingPair {
  readonly one: StoredObject;
  readonly other: StoredObject;
  readonly related: readonly StoredObject[];
}

/** How many earlier forms of a creation are kept. */
const mostEarlier = 10;

/**
 * The intentions of all keys. An intention stands until the owner's delta fulfils it or a later sync of the key no longer decides it. If
 * the key has been quiet for two seconds with open watches, plus the owner's sync interval, the intention is reported as not done, but the
 * owner may still fulfil it. A sync that decides a standing intention again renews it instead of adding another. All methods are atomic.
 */
export class Intentions {
  readonly #options: IntentionsOptions;
  readonly #episodes: Episodes;
  #last = 0;

  constructor(options: IntentionsOptions) {
    this.#options = options;
    this.#episodes = new Episodes({ ...options, onQuiet: (episode) => this.#endEpisode(episode) });
  }

  /** Called when a sync has decided a write. */
  decided(name: KeyOf, sync: number, write: WouldBeWrite): void {
    if (isIdle(write)) return;
    const episode = this.#episodes.of(name);
    const open = [...episode.standing].filter(({ claimedBy }) => claimedBy !== sync);
    const same = open.filter((each) => isSame(each.write, write));
    // Creates with generateName: prefer the one with the same contents, otherwise take any of the same owner.
    const known =
      same.find((each) => deepEqual(each.write.sent, write.sent)) ??
      same[0] ??
      open.find((each) => isSibling(each.write, write));
    if (known !== undefined) {
      known.claimedBy = sync;
      if (write.verb === "create" && !deepEqual(known.write.sent, write.sent))
        known.earlier = [...known.earlier, known.write].slice(-mostEarlier);
      known.write = write;
      known.siblings = this.#siblings(write);
      this.#emit(intentionEvent(known, { sync, again: true }));
      return;
    }
    const at = this.#options.timeline.now();
    const siblings = this.#siblings(write);
    const fresh = { claimedBy: sync, earlier: [], reported: undefined };
    const intention: Intention = { ...name, id: ++this.#last, sync, at, write, siblings, ...fresh };
    for (const earlier of open.filter((each) => isReplaced(each.write, write))) {
      this.#settle(episode, earlier, { is: "not comparable", why: `replaced by what sync ${sync} decided` });
    }
    episode.standing.add(intention);
    episode.intended.add(write.target);
    this.#emit(intentionEvent(intention, { sync, again: false }));
    this.#episodes.goesOn(episode);
  }

  /** Called when a sync has ended. Intentions that it has not decided again are dropped, unless it failed. */
  syncEnded(name: KeyOf, sync: number, failed: boolean): void {
    const episode = this.#episodes.find(name);
    if (episode === undefined || failed) return;
    for (const intention of episode.standing) {
      if (intention.claimedBy === sync || this.#pairDeletion(episode, intention)) continue;
      this.#settle(episode, intention, { is: "not comparable", why: `sync ${sync} no longer wants it` });
    }
  }

  /** Called when a delta was applied to the cache. */
  observed(observed: Observed): void {
    const act = actOf(observed);
    const isFulfilling = act !== undefined && this.#fulfil(observed, act);
    if (observed.after === undefined) this.#dropOverdueChanges(observed);
    if (act === undefined || isFulfilling) return;
    if (act === "delete") {
      this.#siblingDeleted(observed);
      return;
    }
    const name = this.#options.keyOfAct(observed);
    if (name === undefined || !this.#options.hasOwner(name.controller)) return;
    const episode = this.#episodes.of(name);
    episode.acts.set(`${observed.of.kind} ${observed.key}`, { observed, act });
    this.#episodes.goesOn(episode);
  }

  /** The number of keys of which something is kept. */
  get keys(): number {
    return [...this.#episodes.all].length;
  }

  /** The number of intentions that the owner still has time for. Without an owner, none is awaited. */
  get awaited(): number {
    const owned = [...this.#episodes.all].filter(({ controller }) => this.#options.hasOwner(controller));
    return owned.flatMap(({ standing }) => [...standing]).filter(({ reported }) => reported === undefined).length;
  }

  /** The number of standing intentions. */
  get standing(): number {
    return [...this.#episodes.all].reduce((sum, { standing }) => sum + standing.size, 0);
  }

  /** Ends all episodes. Where the owner may still act, nothing is reported: these intentions have no outcome. */
  stop(): void {
    for (const episode of this.#episodes.all) {
      if (this.#episodes.isQuiet(episode)) this.#endEpisode(episode);
      else episode.timer?.();
    }
  }

  #siblings({ verb, kind, before }: WouldBeWrite): Siblings {
    return verb === "delete" && before !== undefined
      ? this.#options.siblingsOf(kind, before)
      : { all: [], related: [] };
  }

  #fulfil(observed: Observed, act: Act): boolean {
    let isFulfilling = false;
    for (const episode of this.#episodes.all) {
      const open = [...episode.standing].filter(({ write }) => isFulfilled(write, observed, act));
      const intention = closest(open, observed.after);
      if (intention === undefined) continue;
      this.#compare(episode, intention, observed);
      isFulfilling = true;
      // One object is created or deleted for one key, but several keys can intend changes of the same object.
      if (act !== "update") break;
    }
    return isFulfilling;
  }

  /** Settles the changes of a removed object that the owner has not made in time: it no longer can. */
  #dropOverdueChanges(observed: Observed): void {
    for (const episode of this.#episodes.all) {
      for (const intention of episode.standing) {
        const { reported, write } = intention;
        const isAbout = isOfKind(write, observed) && write.target === observed.key;
        if (reported === undefined || !isChange(write) || !isAbout) continue;
        this.#settle(episode, intention, { is: "not comparable", why: "it is gone" });
      }
    }
  }

  #compare(episode: Episode, intention: Intention, observed: Observed): void {
    const { write } = intention;
    const author = this.#options.authorOf(episode.controller, observed);
    const did = `${author.name} ${pastTenseOf[write.verb]}${isGenerated(write) ? ` ${splitKey(observed.key).name}` : ""}`;
    const policy = write.verb === "delete" ? otherPropagation(write, observed.after) : [];
    if (policy.length > 0) {
      const why = `${did} with another propagation policy: ${policy.join(", ")}`;
      this.#settle(episode, intention, { is: "differs", why, by: observed });
      return;
    }
    const paths = pathsOf(intention, observed);
    if (paths.length > 0 && write.verb !== "create") {
      const merged = mergedBy(observed, { intention, standing: episode.standing });
      for (const each of merged) {
        const how = each === merged.at(-1) ? did : `${did}, merged with the next write`;
        this.#settle(episode, each, { ...outcomeOf(how, [], author), by: observed });
      }
      // Otherwise this may be an intermediate state: the intended one may still follow.
      if (merged.length === 0) this.#episodes.goesOn(episode);
      return;
    }
    this.#settle(episode, intention, { ...outcomeOf(did, paths, author), by: observed });
  }

  /** Records the deletion of a sibling of an object to be deleted: possibly instead of it, unless that one is deleted too. */
  #siblingDeleted(observed: Observed): void {
    for (const episode of this.#episodes.all) {
      if (!this.#options.chooses(episode.controller)) continue;
      if (![...episode.standing].some(({ write }) => isSiblingOf(write, observed))) continue;
      episode.deletions.push(observed);
      this.#pairDeletions(episode);
      return;
    }
  }

  /** Pairs siblings that were deleted with open intentions, once there are at least as many of them as intentions. */
  #pairDeletions(episode: Episode): void {
    const [first] = episode.deletions;
    if (first === undefined) return;
    const open = [...episode.standing].filter(({ write }) => isSiblingOf(write, first));
    if (open.length > episode.deletions.length) return;
    for (const intention of open) this.#pairDeletion(episode, intention);
  }

  /** Compares an object to be deleted with the sibling that was deleted instead; false if there is none. */
  #pairDeletion(episode: Episode, intention: Intention): boolean {
    const { write } = intention;
    const at = episode.deletions.findIndex((each) => isSiblingOf(write, each));
    const [instead] = at < 0 ? [] : episode.deletions.splice(at, 1);
    if (instead?.before === undefined || write.before === undefined) return false;
    const uid = instead.before.metadata.uid;
    const other = intention.siblings.all.find(({ metadata }) => metadata.uid === uid) ?? instead.before;
    const pair = { one: write.before, other, related: intention.siblings.related };
    const by = this.#options.distinguishedBy(write.kind, pair);
    const why = `owner deleted ${splitKey(instead.key).name}${by === undefined ? ", which ranks alike" : ` instead (${by})`}`;
    this.#settle(episode, intention, { is: by === undefined ? "same" : "differs", why, by: instead });
    return true;
  }

  #settle(episode: Episode, intention: Intention, outcome: Outcome): void {
    episode.standing.delete(intention);
    this.#emit(outcomeEvent(intention, { ...outcome, now: this.#options.timeline.now() }));
    if (intention.write.verb === "delete" && outcome.is === "same") this.#pairDeletions(episode);
    this.#episodes.goesOn(episode);
  }

  #emit(event: AgreementEvent | IntentionEvent): void {
    const { bus } = this.#options;
    if (bus.on) bus.emit(event);
  }

  /**
   * Reports intentions that the owner has not fulfilled in time: it may have been refused, or there is nothing left to do. Returns whether
   * any of them could still be fulfilled.
   */
  #overdue(episode: Episode, open: readonly Intention[]): boolean {
    const { chooses, now, refusalOf, timeline } = this.#options;
    const refusals = new Map(open.map((each) => [each, refusalOf(episode, each.write)]));
    const anyRefused = [...refusals.values()].some((each) => each !== undefined);
    let isAnyLeft = false;
    for (const intention of open) {
      const { write } = intention;
      const mayChoose = write.verb === "delete" && chooses(episode.controller);
      const past = mayChoose
        ? undefined
        : (overtaken(write, now(write)) ?? overtakenWithNext({ intention, standing: open }, now));
      const outcome = past ?? whyNotDone(write, refusals.get(intention), anyRefused);
      this.#emit(outcomeEvent(intention, { ...outcome, now: timeline.now() }));
      if (past === undefined) intention.reported = outcome.is;
      else episode.standing.delete(intention);
      isAnyLeft ||= past === undefined;
    }
    return isAnyLeft;
  }

  /** Ends the episode of a quiet key: reports the unfulfilled intentions and the acts of the owner without an intention. */
  #endEpisode(episode: Episode): void {
    const { controller, standing } = episode;
    const owned = this.#options.hasOwner(controller);
    const open = [...standing].filter(({ reported }) => reported === undefined);
    const isAnyLeft = owned ? this.#overdue(episode, open) : open.length > 0;
    for (const { observed, act } of episode.acts.values()) {
      // Either side may write intermediate statuses.
      if (act === "update" && episode.intended.has(observed.key)) continue;
      const is = isAnyLeft ? "differs" : "owner was faster";
      this.#emit(unintendedEvent(episode, { act, observed, is }));
    }
    episode.acts.clear();
    episode.deletions.length = 0;
    episode.intended.clear();
    this.#episodes.close(episode);
  }
}
