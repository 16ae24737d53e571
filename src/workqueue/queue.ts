import type { ObjectKey } from "../api/key.ts";
import type { Timeline } from "../platform/timeline.ts";
import { type Trigger, TriggerLog } from "../trace/triggers.ts";
import { FairFifo } from "./fair-fifo.ts";
import { Fifo } from "./fifo.ts";
import { PriorityFifo } from "./priority-fifo.ts";
import type { QueueStorage } from "./queue-storage.ts";

/** A key that a worker processes, with all triggers merged into it. The worker must call `done` with it. */
export interface QueueItem {
  readonly key: ObjectKey;
  readonly triggers: TriggerLog;
  /** When it was first added, in ms since 1970. */
  readonly addedAt: number;
}

/**
 * The result of adding a key. `added`: it is now waiting. `merged`: it was already waiting, and the trigger was added to it. `in flight`: a
 * worker is processing it, and it is queued again after `done`. `shut down`: refused.
 */
export type AddResult = "added" | "merged" | "in flight" | "shut down";

/**
 * Figures for controllers and views. They are only a snapshot: do not use them to decide whether to add or get a key, because another
 * worker may come first.
 */
export interface QueueGauges {
  /** The number of keys waiting for a worker. */
  readonly depth: number;
  /** The number of keys that workers are processing. */
  readonly inFlight: number;
  /** When the next key was added, in ms since 1970; undefined if none is waiting. */
  readonly oldestAt: number | undefined;
}

/**
 * A key that is dirty (to be processed), processing, or both. Most keys have a single trigger, so the log is only created on access, which
 * saves an allocation.
 */
class Entry implements QueueItem {
  readonly key: ObjectKey;
  readonly addedAt: number;
  /** A worker has it. If not, it is dirty and waiting. */
  processing = false;
  /** Set if the key was added again while processing: `done` queues this entry in its place. */
  dirty: Entry | undefined = undefined;
  #why: Trigger | TriggerLog;

  constructor(key: ObjectKey, addedAt: number, why: Trigger | TriggerLog) {
    this.key = key;
    this.addedAt = addedAt;
    this.#why = why;
  }

  get triggers(): TriggerLog {
    if (!(this.#why instanceof TriggerLog)) this.#why = new TriggerLog(this.#why);
    return this.#why;
  }

  join(why: Trigger | TriggerLog): void {
    if (why instanceof TriggerLog) this.triggers.merge(why);
    else this.triggers.add(why);
  }
}

/** The order in which waiting keys are processed. It is determined for a key when it starts to wait. */
export type QueueOrder =
  /** Higher priorities first; first in, first out within a priority. */
  | { readonly by: "priority"; readonly priorityOf: (key: ObjectKey) => number }
  /** Round-robin between groups, so that a large group does not hold up others; first in, first out within a group. */
  | { readonly by: "group"; readonly groupOf: (key: ObjectKey) => string };

/** Options of a queue. */
export interface QueueOptions {
  /** Used in the names of the timeline's actors. */
  readonly name: string;
  readonly timeline: Timeline;
  /** Default: first in, first out. */
  readonly order?: QueueOrder | undefined;
}

/**
 * A queue of keys with the guarantees of client-go's work queue:
 *
 * - Fair: keys are processed in the order in which they are added, unless `order` is set.
 * - Stingy: a key is never processed by two workers at a time, and a key that is added several times before it is processed is processed
 *   once.
 * - Multiple producers and consumers: in particular, a key may be added while it is being processed, and is then processed again.
 * - Shutdown: consumers are notified.
 *
 * Unlike client-go's, an item keeps its reasons: each `add` has a trigger, and the worker gets all of them.
 *
 * Source: client-go v0.36 util/workqueue/{doc,queue}.go; differs: one entry per key instead of a dirty set and a processing set; shutdown
 * waits for the workers to end, not for the queue to drain.
 */
export class Queue implements QueueGauges {
  readonly name: string;
  #timeline: Timeline;
  /** One entry for each key that is dirty, processing, or both. */
  #entries = new Map<ObjectKey, Entry>();
  /** The entries that are dirty but not processing, each once. */
  #waiting: QueueStorage<Entry>;
  /** The number of entries that are processing. */
  #inFlight = 0;
  /** Once shut down, no key becomes dirty any more. */
  #state: "open" | "shut down" = "open";
  /** One function for each idle worker, which wakes it. Empty while keys are waiting, except until a woken worker gets its turn. */
  #idle: (() => void)[] = [];

  constructor(options: QueueOptions) {
    this.name = options.name;
    this.#timeline = options.timeline;
    this.#waiting = storageFor(options.order);
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

  /** Whether `shutDown` was called. */
  get shuttingDown(): boolean {
    return this.#state === "shut down";
  }

  /** Marks the key as dirty, with one trigger or a log of them. Atomic: never awaits. */
  add(key: ObjectKey, why: Trigger | TriggerLog): AddResult {
    if (this.#state === "shut down") return "shut down";
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#enqueue(new Entry(key, this.#timeline.burstBegan(), why));
      return "added";
    }
    if (!entry.processing) {
      entry.join(why);
      return "merged";
    }
    if (entry.dirty === undefined) entry.dirty = new Entry(key, this.#timeline.burstBegan(), why);
    else entry.dirty.join(why);
    return "in flight";
  }

  #enqueue(entry: Entry): void {
    this.#entries.set(entry.key, entry);
    this.#waiting.push(entry);
    this.#idle.shift()?.();
  }

  /**
   * Waits for the next key; undefined once the queue is shut down and empty. Call `done` for each item. `worker` is the name of the actor.
   * Returns the item itself, not a promise, if a key is waiting and it is the worker's turn now.
   */
  get(worker: string): QueueItem | undefined | Promise<QueueItem | undefined> {
    const turn = this.#timeline.turn(worker);
    const item = turn === undefined ? this.take() : undefined;
    return item ?? this.#wait(worker, turn);
  }

  async #wait(worker: string, turn: Promise<void> | undefined): Promise<QueueItem | undefined> {
    await turn;
    for (;;) {
      const item = this.take();
      if (item !== undefined || this.#state === "shut down") return item;
      await new Promise<void>((resolve) => this.#idle.push(resolve));
      await this.#timeline.turn(worker);
    }
  }

  /** The next key, if one is waiting. Atomic. */
  take(): QueueItem | undefined {
    const entry = this.#waiting.shift();
    if (entry === undefined) return undefined;
    entry.processing = true;
    this.#inFlight++;
    return entry;
  }

  /**
   * Marks an item as processed, whatever the outcome. A key that was added meanwhile is queued again. Atomic.
   * @throws RangeError for an item that is not being processed.
   */
  done(item: QueueItem): void {
    if (!(item instanceof Entry && item.processing))
      throw new RangeError(`Cannot give back ${item.key}: no worker has it`);
    item.processing = false;
    this.#inFlight--;
    if (item.dirty === undefined) this.#entries.delete(item.key);
    else this.#enqueue(item.dirty);
  }

  /** The dirty keys: those waiting for a worker, or added again while processing. */
  pending(): readonly ObjectKey[] {
    const waiting = [...this.#entries.values()].filter(({ processing, dirty }) => !processing || dirty !== undefined);
    return waiting.map(({ key }) => key);
  }

  /**
   * Refuses keys from now on and wakes idle workers. Dirty keys are still processed, unless `discard` drops them. Returns the number of
   * dropped keys. Atomic; a second call has no further effect.
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
        if (entry.dirty === undefined) continue;
        entry.dirty = undefined;
        dropped++;
      }
    }
    for (const wake of this.#idle.splice(0)) wake();
    return dropped;
  }
}

function storageFor(order: QueueOrder | undefined): QueueStorage<Entry> {
  switch (order?.by) {
    case "priority":
      return new PriorityFifo((entry) => order.priorityOf(entry.key));
    case "group":
      return new FairFifo((entry) => order.groupOf(entry.key));
    case undefined:
      return new Fifo();
  }
}
