/** Objects that are deleted and created again under their names, again and again: a loop that no version of any of them shows. */
import type { ObjectKey } from "../../api/key.ts";
import type { DeltaEvent, KindName } from "../../trace/events.ts";
import { GenerationalCache } from "../../trace/generational-cache.ts";
import type { OwnedLoop } from "./causes.ts";
import { sharesOf } from "./field-history.ts";
import { type LoopsOptions, nameOf } from "./loop.ts";
import { Moments } from "./moments.ts";

/** A StatefulSet's pod is replaced once for each rollout, and now and then for a node that is gone: that is no loop. */
const leastTimes = 4;
/** A deletion and a creation. */
const writesEach = 2;
/** Names that are followed; those that were deleted the longest ago are forgotten. */
const mostNames = 5000;
/** The latest objects of one name that are remembered. */
const mostUids = 16;
/** After a longer pause than this, and than the rate allows, it is another story. */
const leastPauseMs = 60_000;
const minuteMs = 60_000;

/** The deleter of an object whose owner was deleted first: no object records it. */
export const garbageCollector = "garbage collector";

/** Deletions and creations that follow each other. */
interface Story {
  readonly firstAt: number;
  lastAt: number;
  times: number;
  readonly moments: Moments;
  readonly creators: Map<string | undefined, number>;
  readonly deleters: Map<string | undefined, number>;
}

interface NameHistory {
  readonly of: KindName;
  readonly key: ObjectKey;
  /** Of the objects that had the name, the latest last. */
  readonly uids: string[];
  /** The owners of the latest ones, in the same way. */
  readonly owners: string[];
  /** Whether it is gone, and was not seen to come back yet. */
  isGone: boolean;
  /** Who has said of the object that is there now that it has to go. */
  disruptor: string | undefined;
  story: Story;
}

/** Give it every delta; ask it at any time. */
export class Recreations {
  #options: Required<LoopsOptions>;
  #names = new Map<string, NameHistory>();
  /** Uids of objects that are gone, or on their way. */
  #gone = new GenerationalCache<string, true>();

  constructor(options: Required<LoopsOptions>) {
    this.#options = options;
  }

  accept(delta: DeltaEvent): void {
    // What a list brings was deleted and created at a time, and as often, as nobody saw.
    if (delta.relist === true || delta.tombstone === true) return;
    if (delta.type === "Deleted") this.#deleted(delta);
    else if (delta.type === "Added") this.#created(delta);
    else if (delta.type === "Updated") this.#updated(delta);
  }

  found(): readonly OwnedLoop[] {
    return [...this.#names.values()].filter((history) => this.#isLoop(history)).map(loopOf);
  }

  #deleted(delta: DeltaEvent): void {
    const { uid, receivedAt: at, detail } = delta;
    const history = this.#latest(delta);
    const story = this.#storyAt(history, at);
    remember(history.uids, uid);
    remember(history.owners, detail.owner);
    const isOwnerGone = detail.owner !== undefined && this.#gone.get(detail.owner) === true;
    count(story.deleters, history.disruptor ?? (isOwnerGone ? garbageCollector : undefined));
    story.lastAt = at;
    history.disruptor = undefined;
    history.isGone = true;
    this.#gone.set(uid, true);
  }

  /** The latest are last, so that the first are dropped first. */
  #latest({ of, key, receivedAt }: DeltaEvent): NameHistory {
    const name = nameOf({ of, key });
    const story = newStory(receivedAt);
    const history = this.#names.get(name) ?? {
      of,
      key,
      uids: [],
      owners: [],
      isGone: false,
      disruptor: undefined,
      story,
    };
    this.#names.delete(name);
    this.#names.set(name, history);
    if (this.#names.size <= mostNames) return history;
    const [oldest = ""] = this.#names.keys();
    this.#names.delete(oldest);
    return history;
  }

  #created({ of, key, receivedAt: at, uid, detail }: DeltaEvent): void {
    const history = this.#names.get(nameOf({ of, key }));
    if (history === undefined || !history.isGone) return;
    history.isGone = false;
    const story = this.#storyAt(history, at);
    story.times++;
    story.lastAt = at;
    story.moments.add(at);
    count(story.creators, detail.writer);
    remember(history.uids, uid);
    remember(history.owners, detail.owner);
  }

  #storyAt(history: NameHistory, at: number): Story {
    const pauseMs = Math.max(leastPauseMs, (2 * writesEach * minuteMs) / this.#options.perMinute);
    if (at - history.story.lastAt > pauseMs) history.story = newStory(at);
    return history.story;
  }

  /**
   * Deletions are not recorded in the object. A pod that is evicted or preempted is an exception, which says
   * so first, and of what has an owner that is being deleted.
   *
   * Source: k8s.io/api core/v1 DisruptionTarget; pkg/registry/core/pod/storage/eviction.go addConditionAndDeletePod.
   */
  #updated({ of, key, uid, detail }: DeltaEvent): void {
    if (detail.changes.some(({ path, after }) => path === ".metadata.deletionTimestamp" && after !== undefined))
      this.#gone.set(uid, true);
    const history = this.#names.get(nameOf({ of, key }));
    const isDisrupted = detail.changes.some(({ path }) => path.startsWith(".status.conditions[DisruptionTarget]"));
    if (history !== undefined && of.kind === "Pod" && isDisrupted) history.disruptor = detail.writer;
  }

  #isLoop({ story: { times, moments } }: NameHistory): boolean {
    const { perMinute, leastMs } = this.#options;
    const isFast = moments.isFasterThan(perMinute / writesEach);
    return times >= leastTimes && moments.spanMs >= leastMs && moments.isSteady && isFast;
  }
}

function newStory(firstAt: number): Story {
  return { firstAt, lastAt: firstAt, times: 0, moments: new Moments(), creators: new Map(), deleters: new Map() };
}

function loopOf({ of, key, uids, owners, story }: NameHistory): OwnedLoop {
  const { times, firstAt, lastAt, creators, deleters } = story;
  const ms = lastAt - firstAt;
  const [createdBy, deletedBy] = [sharesOf(creators), sharesOf(deleters)];
  return { loop: { is: "recreated", of, key, times, ms, lastAt, createdBy, deletedBy }, uids, owners };
}

function count(shares: Map<string | undefined, number>, name: string | undefined): void {
  shares.set(name, (shares.get(name) ?? 0) + 1);
}

function remember(uids: string[], uid: string | undefined): void {
  if (uid === undefined || uids.includes(uid)) return;
  uids.push(uid);
  if (uids.length > mostUids) uids.shift();
}
