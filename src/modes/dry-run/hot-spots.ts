/** Detects objects that are written, and keys that are synced, over and over while almost no time passes. */
import type { ObjectKey } from "../../api/key.ts";
import type { StoreChange } from "./store.ts";

/** So many writes of one object, or twice as many syncs of one key, within `windowMs`… */
const hotWrites = 1000;
const windowMs = 1000;
/** …while fewer than this many objects change: many more may follow from changes of many objects, such as pods that become ready. */
const fewObjects = 50;
/** How often this may happen while more objects change: a controller may also create a new object in each sync. */
const mostRounds = 15;

/** A key of a controller. */
export interface HotKey {
  readonly controller: string;
  readonly key: ObjectKey;
}

/** Counts the changes and the syncs of a run. */
export class HotSpots {
  /** Whether an object has been written too often. */
  isWrittenHot = false;
  /** The key that has been synced too often. */
  hotKey: HotKey | undefined;
  #since = -Infinity;
  #changed = new Set<string>();
  #counts = new Map<string, number>();
  #rounds = new Map<string, number>();

  /** Counts a change of the store. */
  changed({ of, key, at }: StoreChange): void {
    const name = `${of.group}/${of.kind} ${key}`;
    const isHot = this.#count(`written ${name}`, { most: hotWrites, at });
    this.#changed.add(name);
    if (isHot) this.isWrittenHot = true;
  }

  /** Counts a sync that has ended at this time, in ms since 1970. */
  synced(sync: HotKey, at: number): void {
    if (this.#count(`synced ${sync.controller} ${sync.key}`, { most: 2 * hotWrites, at })) this.hotKey ??= sync;
  }

  /** Whether it has happened too often. */
  #count(name: string, { most, at }: { readonly most: number; readonly at: number }): boolean {
    if (at - this.#since > windowMs) {
      this.#since = at;
      this.#rounds.clear();
      this.#beginRound();
    }
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    if (count < most) return false;
    const isAlone = this.#changed.size < fewObjects;
    const rounds = (this.#rounds.get(name) ?? 0) + 1;
    this.#rounds.set(name, rounds);
    this.#beginRound();
    return isAlone || rounds > mostRounds;
  }

  #beginRound(): void {
    this.#changed.clear();
    this.#counts.clear();
  }
}
