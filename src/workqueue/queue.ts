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

/** One allocation a key: of most keys a single trigger is all there is, and a log of it is made only where somebody asks. */
class Entry implements QueueItem {
  readonly key: ObjectKey;
  readonly addedAt: number;
  taken = false;
  /** Waits after `done`: the key was added while a worker has it. */
  again: Entry | undefined = undefined;
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

/** What a queue is created with. `priorityOf` and `groupOf` exclude each other. */
export interface QueueOptions {
  /** Names the actors of the timeline. */
  readonly name: string;
  readonly timeline: Timeline;
  /** Keys of a higher priority are handed out first; asked for when a key begins to wait. Unset: all are alike. */
  readonly priorityOf?: (key: ObjectKey) => number;
  /** Groups of keys take turns, so that a large group keeps no other waiting. Evaluated like `priorityOf`; not together with it. */
  readonly groupOf?: (key: ObjectKey) => string;
}

/**
 * A queue of keys with the promises of client-go's: fair (keys come out in the order they went in), stingy (a key that is added
 * several times before it is taken is taken once), and many producers and consumers; a key is never with two consumers, and one that is
 * added while it is processed is taken again after `done`.
 *
 * Unlike client-go's, an item keeps why it is here: each `add` names its trigger, and the worker gets them all.
 *
 * Source: client-go v0.36 util/workqueue/queue.go; differs: one entry a key instead of a dirty and a processing set; whoever shuts
 * down waits for the workers to end, not for the queue to drain.
 */
export class Queue implements QueueGauges {
  readonly name: string;
  protected readonly timeline: Timeline;
  #entries = new Map<ObjectKey, Entry>();
  #waiting: Line<Entry>;
  #inFlight = 0;
  #state: "open" | "shut down" = "open";
  /** Workers that found nothing. */
  #idle: (() => void)[] = [];

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

  /** With a trigger, or with the triggers of a key that waited elsewhere. Atomic: never awaits. */
  add(key: ObjectKey, why: Trigger | TriggerLog): AddResult {
    if (this.#state === "shut down") return "shut down";
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#line(new Entry(key, this.timeline.burstBegan(), why));
      return "added";
    }
    if (!entry.taken) {
      entry.join(why);
      return "merged";
    }
    if (entry.again === undefined) entry.again = new Entry(key, this.timeline.burstBegan(), why);
    else entry.again.join(why);
    return "in flight";
  }

  #line(entry: Entry): void {
    this.#entries.set(entry.key, entry);
    this.#waiting.push(entry);
    this.#idle.shift()?.();
  }

  /**
   * The next key, as soon as there is one; undefined once the queue is shut down and empty. Each item must be given back with
   * `done`. `worker` names the actor that takes it. Without a promise where a key waits and the worker's turn is now.
   */
  get(worker: string): QueueItem | undefined | Promise<QueueItem | undefined> {
    const turn = this.timeline.turn(worker);
    const item = turn === undefined ? this.take() : undefined;
    return item ?? this.#wait(worker, turn);
  }

  async #wait(worker: string, turn: Promise<void> | undefined): Promise<QueueItem | undefined> {
    await turn;
    for (;;) {
      const item = this.take();
      if (item !== undefined || this.#state === "shut down") return item;
      await new Promise<void>((resolve) => this.#idle.push(resolve));
      await this.timeline.turn(worker);
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
    if (entry.again === undefined) this.#entries.delete(item.key);
    else this.#line(entry.again);
  }

  /** Keys that wait for a worker, or were added while one has them. */
  pending(): readonly ObjectKey[] {
    const waiting = [...this.#entries.values()].filter(({ taken, again }) => !taken || again !== undefined);
    return waiting.map(({ key }) => key);
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
    for (const wake of this.#idle.splice(0)) wake();
    return dropped;
  }
}
