/**
 * Keeps shadow in step with the owner. Both see a change at the same time. The owner's writes follow within milliseconds, and must not be
 * seen by a sync of ours that has yet to decide about the change. So deltas that may be the owner's writes are held back until our queues
 * are empty, and released one at a time, in order of arrival.
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

/** Options of an `OwnerDeltaGate`. */
export interface OwnerDeltaGateOptions {
  readonly timeline: Timeline;
  /** Whether every released delta has reached its handlers, and no key is queued or being synced. */
  readonly isIdle: () => boolean;
  /** Kinds whose objects the controllers create and delete. */
  readonly ownedKinds: ReadonlySet<string>;
  /** Called for each watch event right after the store has applied it, before any handler. */
  readonly onApplied: (change: Applied) => void;
}

/** A change that a store has applied. */
export interface Applied {
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly before: StoredObject | undefined;
  /** The new state, or the last state of a deleted object. */
  readonly object: StoredObject;
  readonly deleted: boolean;
}

/** Minimum hold: the change that the owner reacted to may arrive on another connection, just after the owner's write. */
const minHeldMs = 20;
/** Maximum hold, even if queues are not empty: a sync may be waiting for the API server. */
const maxHeldMs = 1000;
const pollMs = 1;

interface Held {
  readonly queue: object;
  readonly at: number;
  readonly mayBeOwners: boolean;
  readonly release: () => void;
}

/** The gate, shared by the delta queues of all kinds. */
export class OwnerDeltaGate {
  #options: OwnerDeltaGateOptions;
  #held = new Fifo<Held>();
  /** The number of held deltas per queue; later deltas of the same queue wait behind them. */
  #waiting = new Map<object, number>();
  #timer: Cancel | undefined;
  #stopped = false;

  constructor(options: OwnerDeltaGateOptions) {
    this.#options = options;
  }

  /** The number of held deltas. */
  get held(): number {
    return this.#held.length;
  }

  /** Creates the delta queue of a kind; pass it to a `SharedInformerFactory` as `createQueue`. */
  readonly createQueue = <T extends StoredObject>(options: DeltaQueueOptions<T>): DeltaQueue<T> =>
    new GatedQueue(options, this);

  /** Releases all held deltas, and holds none from now on. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.();
    for (let next = this.#held.shift(); next !== undefined; next = this.#held.shift()) next.release();
  }

  /** Whether a delta may show a write by the owner in reaction to another delta. */
  mayBeOwners<T extends StoredObject>(of: KindName, delta: ObjectDelta<T>, known: KnownObjects<T>): boolean {
    const { type, object, key } = delta;
    if (this.#options.ownedKinds.has(of.kind)) return true;
    // An object with an owner may be deleted along with it.
    if (type === "Deleted") return (object.metadata.ownerReferences?.length ?? 0) > 0;
    if (type !== "Updated") return false;
    const before = known.get(key);
    // The object's previous delta is still held.
    if (before === undefined) return true;
    // Owners write the status and annotations of their primary objects, neither of which changes the generation.
    const [was, is] = [before.metadata, object.metadata];
    return was.generation === is.generation && was.deletionTimestamp === is.deletionTimestamp;
  }

  /** Calls `release` at once, or later in order of arrival. */
  admit(queue: object, mayBeOwners: boolean, release: () => void): void {
    if (this.#stopped || (!mayBeOwners && !this.#waiting.has(queue))) {
      release();
      return;
    }
    this.#held.push({ queue, at: this.#options.timeline.now(), mayBeOwners, release });
    this.#waiting.set(queue, (this.#waiting.get(queue) ?? 0) + 1);
    this.#arm(minHeldMs);
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
      if (first.mayBeOwners && heldMs < maxHeldMs && (heldMs < minHeldMs || !isIdle())) {
        this.#arm(Math.max(pollMs, minHeldMs - heldMs));
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

/** A RealFIFO behind the gate. Held deltas do not count in its depth. */
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
