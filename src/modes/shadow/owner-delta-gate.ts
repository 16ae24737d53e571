/**
 * Keeps shadow in step with the owner. Both see the same change at the same time; the owner's answer to it follows within
 * milliseconds, and must not be seen by a sync of ours that is still to decide about the change itself. So deltas that may be the
 * owner's answer wait until our queues have nothing left to do, one at a time, in the order in which they came.
 */
import type { ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type {
  DeltaQueue,
  DeltaQueueOptions,
  KnownObjects,
  ObjectDelta,
  ProcessDelta,
} from "../../cache/delta-queue.ts";
import type { KindName } from "../../trace/names.ts";
import { RealFIFO } from "../../cache/real-fifo.ts";
import type { Cancel, Timeline } from "../../platform/timeline.ts";
import { Fifo } from "../../workqueue/fifo.ts";

export interface OwnerDeltaGateOptions {
  readonly timeline: Timeline;
  /** Whether every delta that was let through has reached its handlers, and no key waits for a worker or is with one. */
  readonly isIdle: () => boolean;
  /** Kinds whose objects the controllers create and delete. */
  readonly ownedKinds: ReadonlySet<string>;
  /** Told of each change of the watch right after the store has taken it, before anybody else is. */
  readonly onApplied: (change: Applied) => void;
}

/** A change that a store has taken. */
export interface Applied {
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly before: StoredObject | undefined;
  /** Of a deletion the last state. */
  readonly object: StoredObject;
  readonly deleted: boolean;
}

/** The cause of an answer may come over another connection, a moment later than the answer. */
const leastHeldMs = 20;
/** After this a delta is let through, whatever our queues do. A sync that asks the API server may take its time. */
const mostHeldMs = 1000;
const pollMs = 1;

interface Held {
  readonly queue: object;
  readonly at: number;
  readonly mayBeOwners: boolean;
  readonly release: () => void;
}

/** Shared by the delta queues of all kinds. */
export class OwnerDeltaGate {
  #options: OwnerDeltaGateOptions;
  #held = new Fifo<Held>();
  /** How many of each queue are held: what comes after them waits behind them. */
  #waiting = new Map<object, number>();
  #timer: Cancel | undefined;
  #stopped = false;

  constructor(options: OwnerDeltaGateOptions) {
    this.#options = options;
  }

  /** How many deltas are held. */
  get held(): number {
    return this.#held.length;
  }

  /** The queue of a kind; give it to a `SharedInformerFactory` as `createQueue`. */
  readonly createQueue = <T extends StoredObject>(options: DeltaQueueOptions<T>): DeltaQueue<T> =>
    new GatedQueue(options, this);

  /** Lets everything through from now on. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.();
    for (let next = this.#held.shift(); next !== undefined; next = this.#held.shift()) next.release();
  }

  /** Whether the delta may be what the owner did about another one. */
  mayBeOwners<T extends StoredObject>(of: KindName, delta: ObjectDelta<T>, known: KnownObjects<T>): boolean {
    const { type, object, key } = delta;
    if (this.#options.ownedKinds.has(of.kind)) return true;
    // Whatever has an owner may be deleted with it.
    if (type === "Deleted") return (object.metadata.ownerReferences?.length ?? 0) > 0;
    if (type !== "Updated") return false;
    const before = known.get(key);
    // What it changes comes just before it.
    if (before === undefined) return true;
    // Of its primary objects an owner writes status and annotations: neither counts as a new generation.
    const [was, is] = [before.metadata, object.metadata];
    return was.generation === is.generation && was.deletionTimestamp === is.deletionTimestamp;
  }

  /** Calls `release` now, or later in order. */
  admit(queue: object, mayBeOwners: boolean, release: () => void): void {
    if (this.#stopped || (!mayBeOwners && !this.#waiting.has(queue))) {
      release();
      return;
    }
    this.#held.push({ queue, at: this.#options.timeline.now(), mayBeOwners, release });
    this.#waiting.set(queue, (this.#waiting.get(queue) ?? 0) + 1);
    this.#arm(leastHeldMs);
  }

  applied(change: Applied): void {
    if (!this.#stopped) this.#options.onApplied(change);
  }

  #arm(ms: number): void {
    this.#timer ??= this.#options.timeline.after(ms, "shadow in step", () => {
      this.#timer = undefined;
      this.#pump();
    });
  }

  #pump(): void {
    const { timeline, isIdle } = this.#options;
    for (let first = this.#held.peek(); first !== undefined; first = this.#held.peek()) {
      const heldMs = timeline.now() - first.at;
      if (first.mayBeOwners && heldMs < mostHeldMs && (heldMs < leastHeldMs || !isIdle())) {
        this.#arm(Math.max(pollMs, leastHeldMs - heldMs));
        return;
      }
      this.#held.shift();
      this.#leave(first.queue);
      first.release();
    }
  }

  #leave(queue: object): void {
    const left = (this.#waiting.get(queue) ?? 1) - 1;
    if (left === 0) this.#waiting.delete(queue);
    else this.#waiting.set(queue, left);
  }
}

/** A RealFIFO whose entrance is kept in step. What is held does not count as waiting in it. */
class GatedQueue<T extends StoredObject> implements DeltaQueue<T> {
  #inner: RealFIFO<T>;
  #gate: OwnerDeltaGate;
  #known: KnownObjects<T>;
  #of: KindName;

  constructor(options: DeltaQueueOptions<T>, gate: OwnerDeltaGate) {
    this.#of = options.of ?? { group: "", kind: "" };
    this.#inner = new RealFIFO(options);
    this.#gate = gate;
    this.#known = options.known;
  }

  put(delta: ObjectDelta<T>): void {
    this.#gate.admit(this, this.#gate.mayBeOwners(this.#of, delta, this.#known), () => this.#inner.put(delta));
  }

  replace(objects: readonly T[], resourceVersion: string, receivedAt: number): void {
    this.#gate.admit(this, false, () => this.#inner.replace(objects, resourceVersion, receivedAt));
  }

  resync(): void {
    this.#gate.admit(this, false, () => this.#inner.resync());
  }

  bookmark(resourceVersion: string, receivedAt: number): void {
    this.#gate.admit(this, false, () => this.#inner.bookmark(resourceVersion, receivedAt));
  }

  pop(process: ProcessDelta<T>): boolean {
    return this.#inner.pop((delta, initial) => {
      if (delta.type !== "Added" && delta.type !== "Updated" && delta.type !== "Deleted") {
        process(delta, initial);
        return;
      }
      const { key, object, type } = delta;
      const before = this.#known.get(key);
      process(delta, initial);
      this.#gate.applied({ of: this.#of, key, before, object, deleted: type === "Deleted" });
    });
  }

  close(): void {
    this.#inner.close();
  }

  get depth(): number {
    return this.#inner.depth;
  }

  get hasSynced(): boolean {
    return this.#inner.hasSynced;
  }

  get appliedResourceVersion(): string {
    return this.#inner.appliedResourceVersion;
  }

  get oldestReceivedAt(): number | undefined {
    return this.#inner.oldestReceivedAt;
  }
}
