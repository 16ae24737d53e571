import type { ObjectKey } from "../api/key.ts";
import type { Timeline } from "../platform/timeline.ts";
import { type Trigger, TriggerLog } from "../trace/triggers.ts";
import { FairFifo } from "./fair-fifo.ts";
import { Fifo } from "./fifo.ts";
import { type Line, PriorityFifo } from "./priority-fifo.ts";

/** A key that a worker has taken, with every trigger that was merged into it. Given back with `done`. */
export interface QueueItem {
  readonly key: ObjectKey;
  readonly triggers: TriggerLog;
  /** When its first trigger came, in ms since 1970. */
  readonly addedAt: number;
}

/**
 * What became of an added key. `added`: it waits now. `merged`: it waited already, the trigger joined it. `in flight`: a worker
 * has it, it comes again after `done`. `shut down`: refused.
 */
export type AddResult = "added" | "merged" | "in flight" | "shut down";

/** The part of a queue that controllers and views see. */
export interface QueueGauges {
  /** Keys that wait for a worker. */
  readonly depth: number;
  /** Keys that workers have. */
  readonly inFlight: number;
  /** When the key that waits longest was added, in ms since 1970; undefined if none waits. */
  readonly oldestAt: number | undefined;
}

interface Entry extends QueueItem {
  triggers: TriggerLog;
  addedAt: number;
  taken: boolean;
  /** Triggers that came while a worker has the key. */
  again: TriggerLog | undefined;
  againAt: number;
}

export interface QueueOptions {
  /** Names the actors of the timeline. */
  readonly name: string;
  readonly timeline: Timeline;
  /** Keys of a higher priority are handed out first; asked for when a key begins to wait. Unset: all are alike. */
  readonly priorityOf?: (key: ObjectKey) => number;
  /** Groups of keys take turns, so that many of one group keep no other waiting; asked for as the priority, which excludes it. */
  readonly groupOf?: (key: ObjectKey) => string;
}

/**
 * A queue of keys with client-go's three promises. Fair: keys come out in the order they went in. Stingy: a key that waits is
 * not added twice, it gains a trigger. Single: a key is never with two workers; added meanwhile, it waits until `done`.
 *
 * Unlike client-go's, an item keeps why it is here: each `add` names its trigger, and the worker gets them all.
 *
 * Source: client-go v0.36 util/workqueue/queue.go; differs: one entry a key instead of a dirty and a processing set.
 */
export class Queue implements QueueGauges {
  readonly name: string;
  protected readonly timeline: Timeline;
  #entries = new Map<ObjectKey, Entry>();
  #waiting: Line<Entry>;
  #inFlight = 0;
  #state: "open" | "shut down" = "open";
  /** Workers that found nothing. */
  #idle = new Fifo<() => void>();
  #drained: (() => void)[] = [];

  constructor(options: QueueOptions) {
    this.name = options.name;
    this.timeline = options.timeline;
    const { priorityOf, groupOf } = options;
    if (priorityOf !== undefined) this.#waiting = new PriorityFifo((entry) => priorityOf(entry.key));
    else if (groupOf !== undefined) this.#waiting = new FairFifo((entry) => groupOf(entry.key));
    else this.#waiting = new Fifo();
  }

  get depth(): number {
    return this.#waiting.length;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get oldestAt(): number | undefined {
    return this.#waiting.peek()?.addedAt;
  }

  get shuttingDown(): boolean {
    return this.#state === "shut down";
  }

  /** Atomic: never awaits. */
  add(key: ObjectKey, trigger: Trigger): AddResult {
    return this.addMerged(key, trigger, undefined);
  }

  /** As `add`, with a trigger, the triggers of a key that waited elsewhere, or both. Atomic. */
  protected addMerged(key: ObjectKey, trigger: Trigger | undefined, log: TriggerLog | undefined): AddResult {
    if (this.#state === "shut down") return "shut down";
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      const triggers = log ?? new TriggerLog(trigger);
      if (log !== undefined && trigger !== undefined) log.add(trigger);
      const addedAt = this.timeline.now();
      const fresh: Entry = { key, triggers, addedAt, taken: false, again: undefined, againAt: 0 };
      this.#entries.set(key, fresh);
      this.#waiting.push(fresh);
      this.#idle.shift()?.();
      return "added";
    }
    let into = entry.triggers;
    if (entry.taken) {
      if (entry.again === undefined) {
        entry.again = new TriggerLog();
        entry.againAt = this.timeline.now();
      }
      into = entry.again;
    }
    if (log !== undefined) into.merge(log);
    if (trigger !== undefined) into.add(trigger);
    return entry.taken ? "in flight" : "merged";
  }

  /**
   * The next key, as soon as there is one; undefined once the queue is shut down and empty. Each item must be given back with
   * `done`. `worker` names the actor that takes it.
   */
  get(worker: string): Promise<QueueItem | undefined> {
    return this.timeline.hop(worker).then(() => {
      const item = this.take();
      return item !== undefined || this.#state === "shut down" ? item : this.#wait(worker);
    });
  }

  async #wait(worker: string): Promise<QueueItem | undefined> {
    for (;;) {
      await new Promise<void>((resolve) => this.#idle.push(resolve));
      await this.timeline.hop(worker);
      const item = this.take();
      if (item !== undefined || this.#state === "shut down") return item;
    }
  }

  /** The next key, if one waits now. Atomic. */
  take(): QueueItem | undefined {
    const entry = this.#waiting.shift();
    if (entry === undefined) return undefined;
    entry.taken = true;
    this.#inFlight++;
    return entry;
  }

  /** The worker has finished with the item, whatever came of it. Atomic. */
  done(item: QueueItem): void {
    // Items are made here only.
    const entry = item as Entry;
    if (!entry.taken) throw new RangeError(`Cannot give back ${item.key}: no worker has it`);
    entry.taken = false;
    this.#inFlight--;
    if (entry.again === undefined) {
      this.#entries.delete(item.key);
    } else {
      const next: Entry = {
        key: item.key,
        triggers: entry.again,
        addedAt: entry.againAt,
        taken: false,
        again: undefined,
        againAt: 0,
      };
      this.#entries.set(item.key, next);
      this.#waiting.push(next);
      this.#idle.shift()?.();
    }
    if (this.#inFlight === 0 && this.#state === "shut down") {
      for (const resolve of this.#drained.splice(0)) resolve();
    }
  }

  /**
   * No key is taken in any more, and workers that wait are told. Keys that wait already, or that were added while a worker has
   * them, are still handed out, unless `discard` drops them. Returns how many were dropped. Atomic; harmless a second time.
   */
  shutDown(options?: { readonly discard?: boolean }): number {
    this.#state = "shut down";
    let dropped = 0;
    if (options?.discard === true) {
      for (let entry = this.#waiting.shift(); entry !== undefined; entry = this.#waiting.shift()) {
        this.#entries.delete(entry.key);
        dropped++;
      }
      for (const entry of this.#entries.values()) {
        if (entry.again === undefined) continue;
        entry.again = undefined;
        dropped++;
      }
    }
    for (let wake = this.#idle.shift(); wake !== undefined; wake = this.#idle.shift()) wake();
    return dropped;
  }

  /** Shuts down and resolves when no worker has a key any more. */
  async shutDownWithDrain(options?: { readonly discard?: boolean }): Promise<void> {
    this.shutDown(options);
    while (this.#inFlight > 0 || this.depth > 0) {
      await new Promise<void>((resolve) => this.#drained.push(resolve));
    }
  }
}
