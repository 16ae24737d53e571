/** The deltas that a process received of late, by the objects that they are about. */
import { type ObjectKey, splitKey } from "../../api/key.ts";
import type { DeltaEvent, EventHead } from "../../trace/events.ts";
import { GenerationalCache } from "../../trace/generational-cache.ts";
import type { StartedBy } from "../../trace/reconcile-ref.ts";

/** A delta with its number. */
export type NumberedDelta = EventHead & DeltaEvent;

/** Kept of one object, and of the objects that one controls. */
const keptEach = 64;
/** Kept in all, the latest: a delta may hold two states of its object, and thousands come in a second. */
const keptInAll = 10_000;
/** Searched by name, whatever they are about. */
const searchedByName = 256;
/** Objects whose uid is known by their key. */
const mostUids = 20_000;

/** The latest deltas, oldest first. */
export class RecentDeltas {
  readonly #own = new LatestOf();
  readonly #owned = new LatestOf();
  readonly #byKey = new LatestOf();
  readonly #uids = new GenerationalCache<string, string>(mostUids);
  /** In the order in which they came; those before `#first` are forgotten, and undefined. */
  #inOrder: (NumberedDelta | undefined)[] = [];
  #first = 0;

  /** Adds one. A process with two informers of a kind receives a change twice; the first is kept. */
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

  /** Of the object itself. */
  own(uid: string): readonly NumberedDelta[] {
    return this.#own.of(uid);
  }

  /** Of the objects that it controls. */
  owned(uid: string): readonly NumberedDelta[] {
    return this.#owned.of(uid);
  }

  /** Of objects with one of these names or uids; newest first. */
  *named(names: ReadonlySet<string>): Generator<NumberedDelta> {
    for (const delta of this.#inOrder.slice(-searchedByName).toReversed())
      if (delta !== undefined && (names.has(delta.uid) || names.has(splitKey(delta.key).name))) yield delta;
  }

  /** Exactly this one; undefined if it is not among the latest. */
  find({ kind, key, resourceVersion }: StartedBy): NumberedDelta | undefined {
    return this.#byKey.of(`${kind} ${key}`).findLast((delta) => delta.resourceVersion === resourceVersion);
  }

  /** The uid that an object was last known with; empty if nothing was received of it. */
  uidOf(kind: string, key: ObjectKey): string {
    return this.#uids.get(`${kind} ${key}`) ?? "";
  }

  /** The latest before a time. */
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

  /** Forgets one that is the oldest of all, unless others have taken its place. */
  drop(name: string, oldest: NumberedDelta): void {
    const kept = this.#kept.get(name);
    if (kept?.[0] !== oldest) return;
    kept.shift();
    if (kept.length === 0) this.#kept.delete(name);
  }
}
