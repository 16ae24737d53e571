/**
 * Keeps shadow in step with the owner. Both see a change at the same time; the owner's response follows within
 * milliseconds, and must not be seen by a sync of ours that has yet to decide about the change itself. So deltas that
 * may be the owner's response are held back until our queues are empty, one at a time, in order of arrival.
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

/** When deltas are let through. */
export interface OwnerDeltaGateOptions {
  readonly timeline: Timeline;
  /** Whether every delta let through has reached its handlers, and no key is queued or being synced. */
  readonly isIdle: () => boolean;
  /** Kinds whose objects the controllers create and delete. */
  readonly ownedKinds: ReadonlySet<string>;
  /** Called for each change of the watch immediately after the store has applied it, before any handler. */
  readonly onApplied: (change: Applied) => void;
}

/** A change that a store has applied. */
export interface Applied {
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly before: StoredObject | undefined;
  /** For a deletion the last state. */
  readonly object: StoredObject;
  readonly deleted: boolean;
}

/** The change that the owner responds to may arrive over another connection, just after the response. */
const leastHeldMs = 20;
/** After this time a delta is let through even if queues are not empty: a sync may wait for the API server. */
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
  /** How many deltas of each queue are held: later ones of the queue wait behind them. */
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

  /** Creates the delta queue of a kind; to be passed to a `SharedInformerFactory` as `createQueue`. */
  readonly createQueue = <T extends StoredObject>(options: DeltaQueueOptions<T>): DeltaQueue<T> =>
    new GatedQueue(options, this);

  /** Lets everything through from now on. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.();
    for (let next = this.#held.shift(); next !== undefined; next = this.#held.shift()) next.release();
  }

  /** Whether the delta may be the owner's response to another one. */
  mayBeOwners<T extends StoredObject>(of: KindName, delta: ObjectDelta<T>, known: KnownObjects<T>): boolean {
    const { type, object, key } = delta;
    if (this.#options.ownedKinds.has(of.kind)) return true;
    // Any object with an owner may be deleted with it.
    if (type === "Deleted") return (object.metadata.ownerReferences?.length ?? 0) > 0;
    if (type !== "Updated") return false;
    const before = known.get(key);
    // The object's previous delta comes just before this one.
    if (before === undefined) return true;
    // An owner writes status and annotations of its primary objects: neither changes the generation.
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
