/** How full the queues of controllers are, and how long keys wait and syncs take: a fold over `enqueue`, `get` and `done` events. */
import type { ObjectKey } from "../api/key.ts";
import type { DoneEvent, EnqueueEvent, EventHead, GetEvent, StageEvent } from "../trace/events.ts";
import { RecentDurations } from "./durations.ts";

/** One queue at one moment. Counts are since the view began to listen. */
export interface QueueState {
  readonly controller: string;
  /** Keys that wait for a worker, as the last event said. */
  readonly depth: number;
  /** How long the key that waits longest has been waiting, in ms; 0 when none waits. */
  readonly oldestMs: number;
  readonly inFlight: number;
  /** Keys whose delay is not over. */
  readonly delayed: number;
  readonly adds: number;
  /** Of the adds, those that joined a key which waited already. */
  readonly merged: number;
  readonly syncs: number;
  /** Syncs that failed, for whatever reason. */
  readonly failures: number;
  /** The sync that runs longest: its key and for how many ms. */
  readonly longest: { readonly key: ObjectKey; readonly ms: number } | undefined;
  /** Of the last 30 to 60 seconds, in ms; undefined when nothing happened. */
  readonly waited: Quantiles | undefined;
  readonly took: Quantiles | undefined;
}

/** The median and the 99th percentile, in ms. */
export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
}

/** One queue: keys that wait, in the order of their adds, and keys that are processing. */
class QueueFold {
  depth = 0;
  adds = 0;
  merged = 0;
  syncs = 0;
  failures = 0;
  /** In the order of their adds. */
  readonly waiting = new Map<ObjectKey, { since: number; triggers: number }>();
  /** Triggers added while the key was processing. */
  readonly again = new Map<ObjectKey, { since: number; triggers: number }>();
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
    const line = inFlight ? this.again : this.waiting;
    const known = line.get(key);
    if (known === undefined) line.set(key, { since: at, triggers: 1 });
    else known.triggers++;
  }

  get({ key, at, waitedMs, depth, triggers }: GetEvent & EventHead): void {
    this.depth = depth;
    this.waiting.delete(key);
    // A key whose delay is over is handed out without an event of its own.
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
    const again = this.again.get(key);
    if (again === undefined) return;
    this.again.delete(key);
    this.waiting.set(key, again);
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

/** Takes every event; `state` is asked whenever one is to be shown. Its size follows the keys that wait, not the events. */
export class QueueGauges {
  #queues = new Map<string, QueueFold>();

  accept(event: StageEvent): void {
    if (event.stage === "enqueue") this.#of(event.controller).enqueue(event);
    else if (event.stage === "get") this.#of(event.controller).get(event);
    else if (event.stage === "done") this.#of(event.controller).done(event);
  }

  /** `now` in ms since 1970. A controller that nothing was heard of has an empty queue. */
  state(controller: string, now: number): QueueState {
    return this.#of(controller).state(controller, now);
  }

  /** The triggers that a key waits with, the first included; 0 for a key that does not wait. */
  triggersOf(controller: string, key: ObjectKey): number {
    const queue = this.#of(controller);
    return (queue.waiting.get(key) ?? queue.again.get(key))?.triggers ?? 0;
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
