/** What has happened to the objects of one resource, as far back as it is kept. */
import type { Entry } from "./entry.ts";

export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly revision: number;
  /** When it happened, on the Timeline. */
  readonly at: number;
  /** The object after the change; for DELETED its last state, at the version of the deletion. */
  readonly entry: Entry;
  readonly previous: Entry | undefined;
  /**
   * The frames of watches, each made once and shared by all who watch; by event type and format. Kept while the change is among
   * the newest, where watches are: the frames of all would take as much memory as the objects.
   */
  frames: Map<string, Uint8Array> | undefined;
}

export interface WatchCacheLimits {
  /** Changes kept of each resource, at most. Default 100,000. */
  readonly changes?: number;
  /** How long a change is kept. Default 5 minutes, as kube-apiserver has etcd compact. */
  readonly ageMs?: number;
}

/** So many of the newest changes keep their frames. */
const framed = 1024;

/**
 * The changes of one resource in the order of their revisions. Places are counted from the first change ever, so that a
 * watcher's place stays right when old changes are dropped.
 */
export class WatchCache {
  #changes: Change[] = [];
  /** The place of `#changes[0]`. */
  #first = 0;
  /** Changes before this index of `#changes` are dropped; they are cut off in bulk. */
  #dropped = 0;
  /** Nothing at or before this revision can be told any more. */
  #compacted: number;
  readonly #limit: number;
  readonly #ageMs: number;

  constructor(compacted: number, limits: WatchCacheLimits) {
    this.#compacted = compacted;
    this.#limit = limits.changes ?? 100_000;
    this.#ageMs = limits.ageMs ?? 300_000;
  }

  /** The newest revision from which a watch can no longer start without missing something, less one step: see `covers`. */
  get compacted(): number {
    return this.#compacted;
  }

  /** Whether every change after `revision` is still there. */
  covers(revision: number): boolean {
    return revision >= this.#compacted;
  }

  /** The place behind the last change. */
  get end(): number {
    return this.#first + this.#changes.length;
  }

  append(change: Change): void {
    this.#changes.push(change);
    const far = this.#changes[this.#changes.length - 1 - framed];
    if (far !== undefined) far.frames = undefined;
    const old = this.#changes[this.#dropped] as Change;
    if (this.#changes.length - this.#dropped > this.#limit || change.at - old.at > this.#ageMs)
      this.#dropOld(change.at);
  }

  /** The change at a place; undefined behind the end. @throws RangeError for one that has been dropped. */
  changeAt(place: number): Change | undefined {
    if (place < this.#first + this.#dropped) throw new RangeError(`Cannot read change ${place}: it is no longer kept`);
    return this.#changes[place - this.#first];
  }

  /** Whether a place can still be read. */
  has(place: number): boolean {
    return place >= this.#first + this.#dropped;
  }

  /** The place of the first change after `revision`. */
  firstAfter(revision: number): number {
    let low = this.#dropped;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle] as Change).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#first + low;
  }

  /** Drops all up to and including `revision`. */
  compact(revision: number): void {
    const place = this.firstAfter(revision);
    this.#compacted = Math.max(this.#compacted, revision);
    this.#dropped = Math.max(this.#dropped, place - this.#first);
    this.#cut();
  }

  #dropOld(now: number): void {
    const { length } = this.#changes;
    while (this.#dropped < length) {
      const old = this.#changes[this.#dropped] as Change;
      if (length - this.#dropped <= this.#limit && now - old.at <= this.#ageMs) break;
      this.#compacted = old.revision;
      this.#dropped++;
    }
    // Cutting moves what is left: only once there is as much to drop.
    if (this.#dropped > 64 && this.#dropped * 2 > length) this.#cut();
  }

  #cut(): void {
    this.#changes.splice(0, this.#dropped);
    this.#first += this.#dropped;
    this.#dropped = 0;
  }
}
