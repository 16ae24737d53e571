import type { ObjectKey } from "../api/key.ts";
import type { Cancel, Timeline, TimerOptions } from "../platform/timeline.ts";
import { type Trigger, TriggerLog } from "../trace/triggers.ts";
import { Heap, type HeapItem } from "./heap.ts";
import { Queue, type QueueOptions } from "./queue.ts";

/** A key that is delayed. */
interface Delayed extends HeapItem {
  readonly key: ObjectKey;
  readonly triggers: TriggerLog;
  /** All requests for it were background ones. */
  background: boolean;
}

/**
 * A queue to which a key can be added with a delay. A delayed key has one due time: a second `addAfter` joins the first, and the earlier
 * time counts. A plain `add` takes effect at once and does not cancel the delayed one, as in client-go.
 *
 * Source: client-go v0.36 util/workqueue/delaying_queue.go; differs: the triggers of joined requests are all kept.
 */
export class DelayingQueue extends Queue {
  /** The delayed keys: the same items as in `#heap`. */
  #delayed = new Map<ObjectKey, Delayed>();
  #heap: Heap<Delayed> = new Heap();
  /** The number of delayed keys that are not `background`. */
  #foreground = 0;
  /** Fires when the first key in the heap is due; undefined if no key is delayed. */
  #timer: { readonly at: number; readonly background: boolean; readonly cancel: Cancel } | undefined;

  #timeline: Timeline;

  constructor(options: QueueOptions) {
    super(options);
    this.#timeline = options.timeline;
  }

  /** The number of delayed keys. They are not included in `depth` and `pending`. */
  get delayed(): number {
    return this.#heap.length;
  }

  /** When a key is due, in ms since 1970; undefined if it is not delayed. */
  dueAt(key: ObjectKey): number | undefined {
    return this.#delayed.get(key)?.dueAt;
  }

  /** When the first delayed key that is not `background` is due, in ms since 1970; undefined if there is none. */
  get nextDueAt(): number | undefined {
    let next: number | undefined;
    for (const { dueAt, background } of this.#delayed.values())
      if (!background && (next === undefined || dueAt < next)) next = dueAt;
    return next;
  }

  /**
   * Adds the key after `delayMs`; at once for 0 or less. `background` is for periodic work such as heartbeats: a virtual run counts as steady
   * without waiting for it. Silently ignored after `shutDown`. Atomic.
   */
  addAfter(key: ObjectKey, delayMs: number, trigger: Trigger, options?: TimerOptions): void {
    if (this.shuttingDown) return;
    if (!(delayMs > 0)) {
      this.add(key, trigger);
      return;
    }
    const background = options?.background ?? false;
    const dueAt = this.#timeline.now() + delayMs;
    const known = this.#delayed.get(key);
    if (known !== undefined) {
      known.triggers.add(trigger);
      if (known.background && !background) {
        known.background = false;
        this.#foreground++;
      }
      known.dueAt = Math.min(known.dueAt, dueAt);
      this.#heap.rise(known);
    } else {
      const delayed: Delayed = { key, triggers: new TriggerLog(trigger), dueAt, background, index: 0 };
      if (!background) this.#foreground++;
      this.#delayed.set(key, delayed);
      this.#heap.push(delayed);
    }
    this.#arm();
  }

  /** Like `Queue.shutDown`; delayed keys are always dropped and counted. */
  override shutDown(options?: { readonly discard?: boolean }): number {
    this.#timer?.cancel();
    this.#timer = undefined;
    const dropped = this.#heap.length;
    this.#heap.clear();
    this.#delayed.clear();
    this.#foreground = 0;
    return dropped + super.shutDown(options);
  }

  /** Sets the single timer for the earliest key; a background timer while all delayed keys are `background`. */
  #arm(): void {
    const first = this.#heap.peek();
    if (first === undefined) return;
    const background = this.#foreground === 0;
    if (this.#timer?.at === first.dueAt && this.#timer.background === background) return;
    this.#timer?.cancel();
    const delayMs = first.dueAt - this.#timeline.now();
    const cancel = this.#timeline.after(delayMs, `${this.name} delayed`, () => this.#release(), { background });
    this.#timer = { at: first.dueAt, background, cancel };
  }

  /** Adds the keys that are due. */
  #release(): void {
    this.#timer = undefined;
    const now = this.#timeline.now();
    for (let first = this.#heap.peek(); first !== undefined && first.dueAt <= now; first = this.#heap.peek()) {
      this.#heap.shift();
      this.#delayed.delete(first.key);
      if (!first.background) this.#foreground--;
      this.add(first.key, first.triggers);
    }
    this.#arm();
  }
}
