/** Why a key is in a queue: the triggers that were merged into one item. Other work queues drop them. */
import type { ObjectKey } from "../api/key.ts";
import type { DeltaType } from "./names.ts";

/**
 * A delta by its ids and versions, never the object, so that it may be kept for hours. A notification carries one, and it is itself
 * the trigger of each key that is enqueued for the notification: nothing is copied.
 */
export interface DeltaRef {
  readonly cause: "delta";
  /** The kind of the object that changed. */
  readonly kind: string;
  readonly type: DeltaType;
  readonly key: ObjectKey;
  readonly resourceVersion: string;
  /** The `seq` of the delta event; 0 without listeners, and for the objects that a handler is first notified about when it is added late. */
  readonly delta: number;
}

/** One reason for a key to be in a queue. */
export type Trigger =
  | DeltaRef
  /** A sync, a handler or a scan asked for the key; `why` in its words. */
  | { readonly cause: "requeue"; readonly why: string; readonly sync: number }
  /** A sync of the key failed. */
  | { readonly cause: "retry"; readonly sync: number; readonly failures: number }
  /** By hand, or of a view: `start`. */
  | { readonly cause: "other"; readonly why: string };

const kept = 8;
const none: Trigger[] = [];

/** The class that a trigger is counted in: `delta Pod Updated`, `retry`. */
export function triggerClass(trigger: Trigger): string {
  return trigger.cause === "delta" ? `delta ${trigger.kind} ${trigger.type}` : trigger.cause;
}

/**
 * The triggers of one item of a queue. All are counted by class; the first 8 and the last 8 are kept whole, so that an item
 * that waits while a thousand deltas join it stays small.
 */
export class TriggerLog {
  readonly first: Trigger[];
  /** The latest, oldest first, without those in `first`. */
  get last(): readonly Trigger[] {
    return this.#last;
  }
  total: number;
  /** Shared and empty until it is needed: nearly every item has fewer than nine triggers. */
  #last: Trigger[] = none;
  #others: Map<string, number> | undefined;

  constructor(trigger?: Trigger) {
    this.first = trigger === undefined ? [] : [trigger];
    this.total = this.first.length;
  }

  /** Atomic: never awaits. */
  add(trigger: Trigger): void {
    this.total++;
    if (this.first.length < kept) {
      this.first.push(trigger);
      return;
    }
    if (this.#last === none) this.#last = [];
    this.#last.push(trigger);
    if (this.#last.length <= kept) return;
    // It has more than `kept` entries.
    const dropped = this.#last.shift() as Trigger;
    this.#others ??= new Map();
    const name = triggerClass(dropped);
    this.#others.set(name, (this.#others.get(name) ?? 0) + 1);
  }

  /** Adds what another log has, as younger than what is here. */
  merge(other: TriggerLog): void {
    for (const trigger of other.first) this.add(trigger);
    if (other.#others !== undefined) {
      this.#others ??= new Map();
      for (const [name, count] of other.#others) {
        this.#others.set(name, (this.#others.get(name) ?? 0) + count);
        this.total += count;
      }
    }
    for (const trigger of other.last) this.add(trigger);
  }

  /** How many of each class, all counted. */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map(this.#others);
    for (const trigger of [...this.first, ...this.last]) {
      const name = triggerClass(trigger);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return counts;
  }

  toJSON(): unknown {
    return { total: this.total, first: this.first, last: this.last, counts: Object.fromEntries(this.counts()) };
  }
}
