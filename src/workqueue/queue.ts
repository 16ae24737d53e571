import type { ObjectKey } from "../api/key.ts";
import type { Timeline } from "../platform/timeline.ts";
import { type Trigger, TriggerLog } from "../trace/triggers.ts";
import { FairFifo } from "./fair-fifo.ts";
import { Fifo } from "./fifo.ts";
import { PriorityFifo } from "./priority-fifo.ts";
import type { QueueStorage } from "./queue-storage.ts";

/** A key that a worker processes, with every trigger that was merged into it. The worker gives it back with `done`. */
export interface QueueItem {
  readonly key: ObjectKey;
  readonly triggers: TriggerLog;
  /** When its first trigger came, in ms since 1970. */
  readonly addedAt: number;
}

/**
 * What became of an added key. `added`: it waits now. `merged`: it waited already, the trigger joined it. `in flight`: a worker
 * processes it, and it is queued again after `done`. `shut down`: refused.
 */
export type AddResult = "added" | "merged" | "in flight" | "shut down";

/**
 * The numbers that controllers and views see. They hold for the moment: never decide by them whether to add or to get a key, since
 * another worker may do so before you do.
 */
export interface QueueGauges {
  /** How many keys wait for a worker. */
  readonly depth: number;
  /** How many keys are processed by workers. */
  readonly inFlight: number;
  /** When the key that is handed out next was added, in ms since 1970; undefined if none waits. */
  readonly oldestAt: number | undefined;
}

/**
 * A key that is dirty (to be processed), processing, or both. One allocation a key: most have a single trigger, and a log of it is
 * made only for those who ask.
 */
class Entry implements QueueItem {
  readonly key: ObjectKey;
  readonly addedAt: number;
  /** A worker has it. If not, it is dirty and waits. */
  processing = false;
  /** What was added while it is processing: the key is dirty and processing. `done` queues this in its place. */
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

/** In which order waiting keys are handed out. A key's place is decided once, when it begins to wait. */
export type QueueOrder =
  /** Higher priorities first; those of one priority as they were added. */
  | { readonly by: "priority"; readonly priorityOf: (key: ObjectKey) => number }
  /** Groups take turns, so that a large group keeps no other waiting; within a group as they were added. */
  | { readonly by: "group"; readonly groupOf: (key: ObjectKey) => string };

/** What a queue is created with. */
export interface QueueOptions {
  /** Names the actors of the timeline. */
  readonly name: string;
  readonly timeline: Timeline;
  /** Default: as they were added. */
  readonly order?: QueueOrder | undefined;
}

/**
 * A queue of keys with the promises of client-go's:
 *
 * - Fair: keys are processed in the order in which they are added, unless `order` says otherwise.
 * - Stingy: a key is never processed by two workers at a time, and one that is added several times before it is processed is
 *   processed once.
 * - Many producers and consumers: in particular, a key may be added while it is processed. Then it is processed again.
 * - Shutdown: consumers are notified.
 *
 * Unlike client-go's, an item keeps why it is here: each `add` names its trigger, and the worker gets them all.
 *
 * Source: client-go v0.36 util/workqueue/{doc,queue}.go; differs: one entry a key instead of a dirty and a processing set; a shutdown
 * waits for the workers to end, not for the queue to drain.
 */
export class Queue implements QueueGauges {
  readonly name: string;
  #timeline: Timeline;
  /** The one entry of each key that is dirty, processing, or both; of no other key. */
  #entries = new Map<ObjectKey, Entry>();
  /** The entries that are dirty and not processing, each once, in the order in which they are handed out. */
  #waiting: QueueStorage<Entry>;
  /** How many entries are processing. */
  #inFlight = 0;
  /** Once shut down, no key becomes dirty any more. */
  #state: "open" | "shut down" = "open";
  /** Wakes the workers that found nothing, one each. Empty while keys wait, but for the moment until a woken worker's turn. */
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

  /** Marks the key as dirty, with a trigger, or with the triggers of a key that was delayed. Atomic: never awaits. */
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
   * The next key, as soon as there is one; undefined once the queue is shut down and empty. Give each item back with `done`.
   * `worker` names the actor that takes it. Not a promise if a key waits and it is the worker's turn now.
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

  /** The next key, if one waits now. Atomic. */
  take(): QueueItem | undefined {
    const entry = this.#waiting.shift();
    if (entry === undefined) return undefined;
    entry.processing = true;
    this.#inFlight++;
    return entry;
  }

  /**
   * The worker has finished with the item, whatever the outcome: a key that was added meanwhile is queued. Atomic.
   * @throws RangeError for an item that no worker has.
   */
  done(item: QueueItem): void {
    if (!(item instanceof Entry && item.processing))
      throw new RangeError(`Cannot give back ${item.key}: no worker has it`);
    item.processing = false;
    this.#inFlight--;
    if (item.dirty === undefined) this.#entries.delete(item.key);
    else this.#enqueue(item.dirty);
  }

  /** The dirty keys: those that wait for a worker, or were added while one has them. */
  pending(): readonly ObjectKey[] {
    const waiting = [...this.#entries.values()].filter(({ processing, dirty }) => !processing || dirty !== undefined);
    return waiting.map(({ key }) => key);
  }

  /**
   * Refuses keys from now on and notifies the workers that wait. Dirty keys are still handed out, unless `discard` drops them.
   * Returns how many were dropped. Atomic; a second call does nothing more.
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
