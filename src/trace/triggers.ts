/** Why a key is in a queue: the triggers that were merged into one item. client-go's work queue does not keep them. */
import type { ObjectKey } from "../api/key.ts";
import type { DeltaType } from "./names.ts";

/**
 * A reference to a delta, without the object, so that it can be kept for hours. A notification carries one, and the same value is the
 * trigger of each key enqueued for that notification, so nothing is copied.
 */
export interface DeltaRef {
  readonly cause: "delta";
  /** The kind of the object that changed. */
  readonly kind: string;
  readonly type: DeltaType;
  readonly key: ObjectKey;
  readonly resourceVersion: string;
  /** The `seq` of the delta event; 0 if nothing listened, and for the initial notifications of a handler that is added late. */
  readonly delta: number;
}

/** One reason why a key is in a queue. */
export type Trigger =
  | DeltaRef
  /** A sync, a handler or a scan requested it; `why` is its own text. */
  | { readonly cause: "requeue"; readonly why: string; readonly sync: number }
  /** The previous sync of the key failed. */
  | { readonly cause: "retry"; readonly sync: number; readonly failures: number }
  /** Enqueued by hand, or for a view: `start`. */
  | { readonly cause: "other"; readonly why: string };

/** Triggers kept in full at each end of a log. */
const kept = 8;
const none: Trigger[] = [];

/** The class under which a trigger is counted: `delta Pod Updated`, `retry`. */
function triggerClass(trigger: Trigger): string {
  return trigger.cause === "delta" ? `delta ${trigger.kind} ${trigger.type}` : trigger.cause;
}

/**
 * The triggers of one item of a queue. All are counted by class, but only the first 8 and the last 8 are kept in full, so that an item
 * stays small even if a thousand deltas join it.
 */
export class TriggerLog {
  readonly first: Trigger[];
  /** The latest triggers, oldest first, without those in `first`. */
  get last(): readonly Trigger[] {
    return this.#last;
  }
  total: number;
  /** Starts as a shared empty array, because nearly every item has fewer than nine triggers. */
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
    // Not undefined: there are more than `kept` entries.
    const dropped = this.#last.shift() as Trigger;
    this.#others ??= new Map();
    const name = triggerClass(dropped);
    this.#others.set(name, (this.#others.get(name) ?? 0) + 1);
  }

  /** Appends the triggers of another log as newer ones. */
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

  /** The number of triggers in each class, including those not kept. */
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
