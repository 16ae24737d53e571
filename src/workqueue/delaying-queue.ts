import type { ObjectKey } from "../api/key.ts";
import type { Cancel, TimerOptions } from "../platform/timeline.ts";
import { type Trigger, TriggerLog } from "../trace/triggers.ts";
import { Queue } from "./queue.ts";

interface Waiting {
  readonly key: ObjectKey;
  readonly triggers: TriggerLog;
  readyAt: number;
  /** Every request for it was a background one. */
  background: boolean;
  /** Place in the heap. */
  index: number;
}

/**
 * A queue to which a key can be added for later. A key waits for at most one time: a second `addAfter` joins the first, and the
 * earlier time counts. A plain `add` does not wait, and leaves the later one in place, as in client-go.
 *
 * Source: client-go v0.36 util/workqueue/delaying_queue.go; differs: the triggers of joined requests are all kept.
 */
export class DelayingQueue extends Queue {
  #byKey = new Map<ObjectKey, Waiting>();
  /** A binary heap by time. */
  #heap: Waiting[] = [];
  #foreground = 0;
  #timer: { readonly at: number; readonly background: boolean; readonly cancel: Cancel } | undefined;

  /** Keys that wait for their time. */
  get delayed(): number {
    return this.#heap.length;
  }

  /** When the delayed key is due, in ms since 1970; undefined if it is not delayed. */
  dueAt(key: ObjectKey): number | undefined {
    return this.#byKey.get(key)?.readyAt;
  }

  /**
   * Adds the key after `delayMs`; at once for 0 or less. A virtual run does not wait for `background` keys (heartbeats) to be
   * steady. Atomic.
   */
  addAfter(key: ObjectKey, delayMs: number, trigger: Trigger, options?: TimerOptions): void {
    if (this.shuttingDown) return;
    if (!(delayMs > 0)) {
      this.add(key, trigger);
      return;
    }
    const background = options?.background ?? false;
    const readyAt = this.timeline.now() + delayMs;
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      known.triggers.add(trigger);
      if (known.background && !background) {
        known.background = false;
        this.#foreground++;
      }
      known.readyAt = Math.min(known.readyAt, readyAt);
      this.#rise(known);
    } else {
      const waiting: Waiting = { key, triggers: new TriggerLog(), readyAt, background, index: this.#heap.length };
      if (!background) this.#foreground++;
      waiting.triggers.add(trigger);
      this.#byKey.set(key, waiting);
      this.#heap.push(waiting);
      this.#rise(waiting);
    }
    this.#arm();
  }

  override shutDown(options?: { readonly discard?: boolean }): number {
    this.#timer?.cancel();
    this.#timer = undefined;
    const dropped = this.#heap.length;
    this.#heap = [];
    this.#byKey.clear();
    this.#foreground = 0;
    return dropped + super.shutDown(options);
  }

  /** One timer, for the earliest key; a background one while all that wait are. */
  #arm(): void {
    const first = this.#heap[0];
    if (first === undefined) return;
    const background = this.#foreground === 0;
    if (this.#timer?.at === first.readyAt && this.#timer.background === background) return;
    this.#timer?.cancel();
    const delayMs = first.readyAt - this.timeline.now();
    const cancel = this.timeline.after(delayMs, `${this.name} delayed`, () => this.#release(), { background });
    this.#timer = { at: first.readyAt, background, cancel };
  }

  #release(): void {
    this.#timer = undefined;
    const now = this.timeline.now();
    for (let first = this.#heap[0]; first !== undefined && first.readyAt <= now; first = this.#heap[0]) {
      this.#removeFirst(first);
      this.#byKey.delete(first.key);
      if (!first.background) this.#foreground--;
      this.add(first.key, first.triggers);
    }
    this.#arm();
  }

  #removeFirst(first: Waiting): void {
    const last = this.#heap.pop() ?? first;
    if (last === first) return;
    this.#heap[0] = last;
    last.index = 0;
    this.#sink(last);
  }

  #rise(waiting: Waiting): void {
    while (waiting.index > 0) {
      const parent = this.#heap[(waiting.index - 1) >>> 1] as Waiting;
      if (parent.readyAt <= waiting.readyAt) return;
      this.#swap(parent, waiting);
    }
  }

  #sink(waiting: Waiting): void {
    for (;;) {
      const left = this.#heap[2 * waiting.index + 1];
      const right = this.#heap[2 * waiting.index + 2];
      if (left === undefined) return;
      const least = right === undefined || left.readyAt <= right.readyAt ? left : right;
      if (waiting.readyAt <= least.readyAt) return;
      this.#swap(waiting, least);
    }
  }

  #swap(a: Waiting, b: Waiting): void {
    [a.index, b.index] = [b.index, a.index];
    this.#heap[a.index] = a;
    this.#heap[b.index] = b;
  }
}
