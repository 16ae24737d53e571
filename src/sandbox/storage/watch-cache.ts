/** The recent changes of one resource, which watches read. Source: apiserver v0.36 storage/cacher/watch_cache.go. */
import type { Entry } from "./entry.ts";

/** One change of an object, which watches send as an event. */
export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The object after the change; for DELETED, its last state at the resourceVersion of the deletion. */
  readonly entry: Entry;
  readonly previous: Entry | undefined;
  /**
   * Encoded events by type and format, created once and shared by all watches. Only the newest changes, which most watches read, keep
   * theirs: all of them would take as much memory as the objects.
   */
  frames: Map<string, Uint8Array> | undefined;
}

/** How far back watches can start. */
export interface WatchCacheLimits {
  /** Changes kept per resource. Default 100,000. */
  readonly changes?: number;
  /** How long a change is kept. Default 5 minutes, like kube-apiserver's compaction of etcd. */
  readonly ageMs?: number;
}

/** How many of the newest changes keep their frames. */
const framed = 1024;

/**
 * The changes of one resource by revision. Positions count from the first change ever, so a watch's position stays valid when old changes
 * are dropped.
 */
export class WatchCache {
  #changes: Change[] = [];
  /** The position of `#changes[0]`. */
  #first = 0;
  /** Changes before this index of `#changes` are dropped; they are removed in bulk. */
  #dropped = 0;
  /** Events at or before this revision have been discarded. */
  #compacted: number;
  readonly #limit: number;
  readonly #ageMs: number;

  constructor(compacted: number, limits: WatchCacheLimits) {
    this.#compacted = compacted;
    this.#limit = limits.changes ?? 100_000;
    this.#ageMs = limits.ageMs ?? 300_000;
  }

  /** Events at or before this revision have been discarded. A watch may start at this revision or later. */
  get compacted(): number {
    return this.#compacted;
  }

  /** True if every change after `revision` is still available. */
  covers(revision: number): boolean {
    return revision >= this.#compacted;
  }

  /** The position after the last change. */
  get end(): number {
    return this.#first + this.#changes.length;
  }

  /** Appends the newest change, and drops those that are too old or too many. */
  append(change: Change): void {
    this.#changes.push(change);
    const far = this.#changes[this.#changes.length - 1 - framed];
    if (far !== undefined) far.frames = undefined;
    const old = this.#changes[this.#dropped] as Change;
    if (this.#changes.length - this.#dropped > this.#limit || change.at - old.at > this.#ageMs)
      this.#dropOld(change.at);
  }

  /** The change at a position; undefined at the end. @throws RangeError if it has been dropped. */
  changeAt(position: number): Change | undefined {
    if (position < this.#first + this.#dropped)
      throw new RangeError(`Cannot read change ${position}: it is no longer kept`);
    return this.#changes[position - this.#first];
  }

  /** True if the change at a position has not been dropped. */
  has(position: number): boolean {
    return position >= this.#first + this.#dropped;
  }

  /** The position of the first change after `revision`. */
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

  /** Drops all changes up to and including `revision`. */
  compact(revision: number): void {
    const position = this.firstAfter(revision);
    this.#compacted = Math.max(this.#compacted, revision);
    this.#dropped = Math.max(this.#dropped, position - this.#first);
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
    // Removing moves the rest: wait until there is as much to remove.
    if (this.#dropped > 64 && this.#dropped * 2 > length) this.#cut();
  }

  #cut(): void {
    this.#changes.splice(0, this.#dropped);
    this.#first += this.#dropped;
    this.#dropped = 0;
  }
}
