/** The deltas that a process received recently, by object. */
import { type ObjectKey, splitKey } from "../../api/key.ts";
import type { DeltaEvent, EventHead } from "../../trace/events.ts";
import { GenerationalCache } from "../../trace/generational-cache.ts";
import type { StartedBy } from "../../trace/reconcile-ref.ts";

/** A delta event with its `seq` and time. */
export type NumberedDelta = EventHead & DeltaEvent;

/** Deltas kept for one object, and as many for the objects that one object controls. */
const keptEach = 64;
/** Deltas kept in all, the latest: a delta may hold two states of its object, and thousands arrive in a second. */
const keptInAll = 10_000;
/** The latest deltas that a search by name looks at. */
const searchedByName = 256;
/** The uids of at least this many objects can be looked up by key. */
const maxUids = 20_000;

/** The latest deltas, oldest first. */
export class RecentDeltas {
  readonly #own = new LatestOf();
  readonly #owned = new LatestOf();
  readonly #byKey = new LatestOf();
  readonly #uids = new GenerationalCache<string, string>(maxUids);
  /** In order of arrival; those before `#first` have been forgotten and are undefined. */
  #inOrder: (NumberedDelta | undefined)[] = [];
  #first = 0;

  /** Adds a delta. A process with two informers of a kind receives each change twice; only the first is kept. */
  add(delta: NumberedDelta): void {
    const { uid, detail } = delta;
    if (isKnown(this.#own.of(uid), delta)) return;
    this.#own.add(uid, delta);
    this.#byKey.add(nameOf(delta), delta);
    if (detail.owner !== undefined) this.#owned.add(detail.owner, delta);
    this.#uids.set(nameOf(delta), uid);
    this.#inOrder.push(delta);
    if (this.#inOrder.length - this.#first > keptInAll) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const oldest = this.#inOrder[this.#first];
    if (oldest === undefined) return;
    this.#inOrder[this.#first++] = undefined;
    this.#own.drop(oldest.uid, oldest);
    this.#byKey.drop(nameOf(oldest), oldest);
    if (oldest.detail.owner !== undefined) this.#owned.drop(oldest.detail.owner, oldest);
    if (this.#first < keptInAll) return;
    this.#inOrder = this.#inOrder.slice(this.#first);
    this.#first = 0;
  }

  /** The deltas of the object itself. */
  own(uid: string): readonly NumberedDelta[] {
    return this.#own.of(uid);
  }

  /** The deltas of the objects that this object controls. */
  owned(uid: string): readonly NumberedDelta[] {
    return this.#owned.of(uid);
  }

  /** The deltas of objects with one of these names or uids, newest first. */
  *named(names: ReadonlySet<string>): Generator<NumberedDelta> {
    for (const delta of this.#inOrder.slice(-searchedByName).toReversed())
      if (delta !== undefined && (names.has(delta.uid) || names.has(splitKey(delta.key).name))) yield delta;
  }

  /** The delta of exactly this version; undefined if it is no longer kept. */
  find({ kind, key, resourceVersion }: StartedBy): NumberedDelta | undefined {
    return this.#byKey.of(`${kind} ${key}`).findLast((delta) => delta.resourceVersion === resourceVersion);
  }

  /** The last known uid of an object; empty if no delta of it was received. */
  uidOf(kind: string, key: ObjectKey): string {
    return this.#uids.get(`${kind} ${key}`) ?? "";
  }

  /** The latest delta received before a time, in ms since 1970. */
  latest(before: number): NumberedDelta | undefined {
    return this.#inOrder.findLast((delta) => delta === undefined || delta.receivedAt < before);
  }
}

function nameOf({ of, key }: NumberedDelta): string {
  return `${of.kind} ${key}`;
}

function isKnown(kept: readonly NumberedDelta[], { resourceVersion, type }: NumberedDelta): boolean {
  return kept.some((one) => one.resourceVersion === resourceVersion && one.type === type);
}

/** The latest deltas of each of many objects. */
class LatestOf {
  readonly #kept = new Map<string, NumberedDelta[]>();

  of(name: string): readonly NumberedDelta[] {
    return this.#kept.get(name) ?? [];
  }

  add(name: string, delta: NumberedDelta): void {
    const kept = this.#kept.getOrInsertComputed(name, () => []);
    kept.push(delta);
    if (kept.length > keptEach) kept.shift();
  }

  /** Drops the delta that is the oldest of all; no-op if this object's list has dropped it already. */
  drop(name: string, oldest: NumberedDelta): void {
    const kept = this.#kept.get(name);
    if (kept?.[0] !== oldest) return;
    kept.shift();
    if (kept.length === 0) this.#kept.delete(name);
  }
}
