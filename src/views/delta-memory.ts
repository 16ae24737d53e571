/** The recent deltas as `trace` needs them: the delta, the sync that caused it, and the keys that it enqueued. */
import type { ObjectKey } from "../api/key.ts";
import type { DeltaEvent, EventHead } from "../trace/events.ts";
import { GenerationalCache } from "../trace/generational-cache.ts";
import type { SyncName } from "./sync-block.ts";

/** A key that a delta enqueued; `sync` is the sync that took it from the queue, once there is one. */
export interface Wake {
  readonly controller: string;
  readonly key: ObjectKey;
  readonly sync?: number;
}

interface Remembered {
  readonly delta: DeltaEvent & EventHead;
  by?: SyncName;
  readonly woke: Wake[];
}

/** The latest deltas, by the `seq` of their event. */
export class DeltaMemory {
  #deltas = new GenerationalCache<number, Remembered>();

  add(delta: DeltaEvent & EventHead): void {
    this.#deltas.set(delta.seq, { delta, woke: [] });
  }

  get(seq: number): (DeltaEvent & EventHead) | undefined {
    return this.#deltas.get(seq)?.delta;
  }

  /** The sync that caused the delta; undefined if not known. */
  byOf(seq: number): SyncName | undefined {
    return this.#deltas.get(seq)?.by;
  }

  /** Records the sync that caused the delta. */
  link(seq: number, by: SyncName): void {
    const known = this.#deltas.get(seq);
    if (known !== undefined) known.by = by;
  }

  /** Records that the delta enqueued a key. */
  woke(seq: number, wake: Wake): void {
    this.#deltas.get(seq)?.woke.push(wake);
  }

  /** Records that a sync took the key with this delta among its triggers. */
  taken(seq: number, by: { readonly controller: string; readonly key: ObjectKey; readonly sync: number }): void {
    const woke = this.#deltas.get(seq)?.woke ?? [];
    const index = woke.findIndex(
      ({ controller, key, sync }) => controller === by.controller && key === by.key && sync === undefined,
    );
    const wake = woke[index];
    if (wake !== undefined) woke[index] = { ...wake, sync: by.sync };
  }

  wokenBy(seq: number): readonly Wake[] {
    return this.#deltas.get(seq)?.woke ?? [];
  }
}
