/** Finds objects that are repeatedly deleted and recreated under the same name: a loop that none of the objects shows by itself. */
import type { ObjectKey } from "../../api/key.ts";
import type { DeltaEvent, KindName } from "../../trace/events.ts";
import { GenerationalCache } from "../../trace/generational-cache.ts";
import type { OwnedLoop } from "./causes.ts";
import { sharesOf } from "./field-history.ts";
import { type LoopsOptions, nameOf } from "./loop.ts";
import { Moments } from "./moments.ts";

/** Fewer recreations are not a loop: a StatefulSet's pod is replaced once per rollout, and when its node is lost. */
const minTimes = 4;
/** A recreation is a deletion and a creation. */
const writesEach = 2;
/** Names that are followed; those whose last deletion is longest ago are forgotten. */
const maxNames = 5000;
/** Uids kept per name, the latest. */
const maxUids = 16;
/** A pause longer than this, and longer than the rate allows, ends a series. */
const minPauseMs = 60_000;
const minuteMs = 60_000;

/** The presumed deleter of an object whose owner was deleted first. */
export const garbageCollector = "garbage collector";

/** A series of deletions and creations of one name. */
interface Series {
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
  /** The uids of the objects that had the name, the latest last. */
  readonly uids: string[];
  /** The uids of their owners, the latest last. */
  readonly owners: string[];
  /** No object has the name now. */
  isGone: boolean;
  /** The writer that announced the deletion of the current object. */
  disruptor: string | undefined;
  series: Series;
}

/** Accepts every delta; `found` returns the loops so far. */
export class Recreations {
  #options: Required<LoopsOptions>;
  #names = new Map<string, NameHistory>();
  /** Uids of objects that are deleted or being deleted. */
  #gone = new GenerationalCache<string, true>();

  constructor(options: Required<LoopsOptions>) {
    this.#options = options;
  }

  accept(delta: DeltaEvent): void {
    // A list does not show when and how often an object was deleted and created.
    if (delta.relist === true || delta.tombstone === true) return;
    if (delta.type === "Deleted") this.#deleted(delta);
    else if (delta.type === "Added") this.#created(delta);
    else if (delta.type === "Updated") this.#updated(delta);
  }

  found(): readonly OwnedLoop[] {
    return [...this.#names.values()].filter((history) => this.#isLoop(history)).map(loopOf);
  }

  /** What would be a loop if it had lasted. */
  tooShort(): readonly OwnedLoop[] {
    const all = [...this.#names.values()].filter((history) => !this.#isLoop(history));
    return all.filter((history) => this.#isLoop(history, 0)).map(loopOf);
  }

  #deleted(delta: DeltaEvent): void {
    const { uid, receivedAt: at, detail } = delta;
    const history = this.#latest(delta);
    const series = this.#seriesAt(history, at);
    remember(history.uids, uid);
    remember(history.owners, detail.owner);
    const isOwnerGone = detail.owner !== undefined && this.#gone.get(detail.owner) === true;
    count(series.deleters, history.disruptor ?? (isOwnerGone ? garbageCollector : undefined));
    series.lastAt = at;
    history.disruptor = undefined;
    history.isGone = true;
    this.#gone.set(uid, true);
  }

  /** Keeps the map in order of last deletion, so that the oldest is dropped first. */
  #latest({ of, key, receivedAt }: DeltaEvent): NameHistory {
    const name = nameOf({ of, key });
    const series = newSeries(receivedAt);
    const history = this.#names.get(name) ?? {
      of,
      key,
      uids: [],
      owners: [],
      isGone: false,
      disruptor: undefined,
      series,
    };
    this.#names.delete(name);
    this.#names.set(name, history);
    if (this.#names.size <= maxNames) return history;
    const [oldest = ""] = this.#names.keys();
    this.#names.delete(oldest);
    return history;
  }

  #created({ of, key, receivedAt: at, uid, detail }: DeltaEvent): void {
    const history = this.#names.get(nameOf({ of, key }));
    if (history === undefined || !history.isGone) return;
    history.isGone = false;
    const series = this.#seriesAt(history, at);
    series.times++;
    series.lastAt = at;
    series.moments.add(at);
    count(series.creators, detail.writer);
    remember(history.uids, uid);
    remember(history.owners, detail.owner);
  }

  #seriesAt(history: NameHistory, at: number): Series {
    const pauseMs = Math.max(minPauseMs, (2 * writesEach * minuteMs) / this.#options.perMinute);
    if (at - history.series.lastAt > pauseMs) history.series = newSeries(at);
    return history.series;
  }

  /**
   * Notes who is about to delete an object. Objects do not record this, with one exception: a pod that is evicted or preempted first gets
   * the condition DisruptionTarget. An object whose owner is being deleted is deleted by the garbage collector.
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

  #isLoop({ series: { times, moments } }: NameHistory, minMs = this.#options.minMs): boolean {
    const { perMinute } = this.#options;
    const isFast = moments.isFasterThan(perMinute / writesEach);
    return times >= minTimes && moments.spanMs >= minMs && moments.isSteady && isFast;
  }
}

function newSeries(firstAt: number): Series {
  return { firstAt, lastAt: firstAt, times: 0, moments: new Moments(), creators: new Map(), deleters: new Map() };
}

function loopOf({ of, key, uids, owners, series }: NameHistory): OwnedLoop {
  const { times, firstAt, lastAt, creators, deleters } = series;
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
  if (uids.length > maxUids) uids.shift();
}
