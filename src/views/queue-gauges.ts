/** Queue depth, waiting times and sync durations of controllers: a fold over `enqueue`, `get` and `done` events. */
import type { ObjectKey } from "../api/key.ts";
import type { DoneEvent, EnqueueEvent, EventHead, GetEvent, StageEvent } from "../trace/events.ts";
import { RecentDurations } from "./durations.ts";

/** The state of one queue. Counts start when the view starts to listen. */
export interface QueueState {
  readonly controller: string;
  /** Keys waiting for a worker, as of the last event. */
  readonly depth: number;
  /** How long the oldest waiting key has been waiting, in ms; 0 if none is waiting. */
  readonly oldestMs: number;
  readonly inFlight: number;
  /** Keys added with a delay that is not over. */
  readonly delayed: number;
  readonly adds: number;
  /** Adds of a key that was already waiting. */
  readonly merged: number;
  readonly syncs: number;
  /** Syncs that failed, for whatever reason. */
  readonly failures: number;
  /** The key of the longest-running sync, and for how long it has run, in ms. */
  readonly longest: { readonly key: ObjectKey; readonly ms: number } | undefined;
  /** Waiting times and sync durations of the last 30 to 60 seconds; undefined if there were none. */
  readonly waited: Quantiles | undefined;
  readonly took: Quantiles | undefined;
}

/** The median and the 99th percentile, in ms. */
export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
}

/** One queue, reconstructed from its events. */
class QueueFold {
  depth = 0;
  adds = 0;
  merged = 0;
  syncs = 0;
  failures = 0;
  /** Waiting keys, in the order of their adds. */
  readonly waiting = new Map<ObjectKey, { since: number; triggers: number }>();
  /** Keys added dirty while they were processing. */
  readonly dirty = new Map<ObjectKey, { since: number; triggers: number }>();
  readonly delayed = new Map<ObjectKey, number>();
  readonly inFlight = new Map<ObjectKey, number>();
  readonly waited = new RecentDurations();
  readonly took = new RecentDurations();

  enqueue({ key, at, delayMs, inFlight, merged, depth }: EnqueueEvent & EventHead): void {
    this.adds++;
    this.depth = depth;
    if (delayMs !== undefined && delayMs > 0) {
      const due = at + delayMs;
      this.delayed.set(key, Math.min(due, this.delayed.get(key) ?? due));
      return;
    }
    if (merged) this.merged++;
    const keys = inFlight ? this.dirty : this.waiting;
    const known = keys.get(key);
    if (known === undefined) keys.set(key, { since: at, triggers: 1 });
    else known.triggers++;
  }

  get({ key, at, waitedMs, depth, triggers }: GetEvent & EventHead): void {
    this.depth = depth;
    this.waiting.delete(key);
    // There is no event for the end of a delay.
    const due = this.delayed.get(key);
    if (due !== undefined && (due <= at || triggers.total > 0)) this.delayed.delete(key);
    this.inFlight.set(key, at);
    this.waited.add(waitedMs, at);
  }

  done({ key, at, ms, error }: DoneEvent & EventHead): void {
    this.syncs++;
    if (error !== undefined) this.failures++;
    this.inFlight.delete(key);
    this.took.add(ms, at);
    const dirty = this.dirty.get(key);
    if (dirty === undefined) return;
    this.dirty.delete(key);
    this.waiting.set(key, dirty);
  }

  state(controller: string, now: number): QueueState {
    const [oldest] = this.waiting.values();
    const [longest] = this.inFlight;
    let delayed = 0;
    for (const due of this.delayed.values()) if (due > now) delayed++;
    return {
      controller,
      depth: this.depth,
      oldestMs: oldest === undefined ? 0 : Math.max(0, now - oldest.since),
      inFlight: this.inFlight.size,
      delayed,
      adds: this.adds,
      merged: this.merged,
      syncs: this.syncs,
      failures: this.failures,
      longest: longest === undefined ? undefined : { key: longest[0], ms: Math.max(0, now - longest[1]) },
      waited: quantiles(this.waited, now),
      took: quantiles(this.took, now),
    };
  }
}

function quantiles(durations: RecentDurations, now: number): Quantiles | undefined {
  const p50 = durations.quantile(0.5, now);
  const p99 = durations.quantile(0.99, now);
  return p50 === undefined || p99 === undefined ? undefined : { p50, p99 };
}

/** Accepts every event; call `state` for figures to show. Memory grows with the waiting keys, not with the events. */
export class QueueGauges {
  #queues = new Map<string, QueueFold>();

  accept(event: StageEvent): void {
    if (event.stage === "enqueue") this.#of(event.controller).enqueue(event);
    else if (event.stage === "get") this.#of(event.controller).get(event);
    else if (event.stage === "done") this.#of(event.controller).done(event);
  }

  /** The state of a controller's queue at `now`, in ms since 1970; an empty queue for a controller without events. */
  state(controller: string, now: number): QueueState {
    return this.#of(controller).state(controller, now);
  }

  /** The number of triggers waiting with a key; 0 if the key is not waiting. */
  triggersOf(controller: string, key: ObjectKey): number {
    const queue = this.#of(controller);
    return (queue.waiting.get(key) ?? queue.dirty.get(key))?.triggers ?? 0;
  }

  #of(controller: string): QueueFold {
    let queue = this.#queues.get(controller);
    if (queue === undefined) {
      queue = new QueueFold();
      this.#queues.set(controller, queue);
    }
    return queue;
  }
}
