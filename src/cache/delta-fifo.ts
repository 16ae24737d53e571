import { keyOf, type ObjectKey } from "../api/key.ts";
import type { StoredObject } from "../api/object.ts";
import { Fifo } from "../workqueue/fifo.ts";
import type { DeltaQueue, DeltaQueueOptions, KnownObjects, ObjectDelta, ProcessDelta } from "./delta-queue.ts";

/** The position of a delta in the order of arrival. */
interface Received {
  /** The resourceVersion before this delta was received. */
  readonly versionBefore: string;
  popped: boolean;
}

interface Queued<T> {
  delta: ObjectDelta<T>;
  /** Undefined for a Sync, which has no new version. */
  readonly received: Received | undefined;
}

/** The waiting deltas of one key, oldest first. */
interface Waiting<T> {
  readonly key: ObjectKey;
  readonly queued: [Queued<T>, ...Queued<T>[]];
}

/**
 * The classic delta queue: keys are ordered by their first waiting delta, and all deltas of a key are popped together. So all waiting
 * changes of an object are processed at once, and later ones may overtake earlier changes of other objects. Hence the applied version is
 * a low watermark: with A@10, B@11, A@12 waiting and both of A popped, B@11 is still missing, and the version is 9.
 *
 * A list becomes one `Replaced` per object and one tombstone per missing object, so a store shows a mixture of old and new until all are
 * popped.
 *
 * Source: client-go v0.36 tools/cache/delta_fifo.go; differs: keeps the watermark; synced only after a list.
 */
export class DeltaFIFO<T extends StoredObject> implements DeltaQueue<T> {
  /** The entries of `#waiting` in the order in which they will be popped. */
  #order: Fifo<Waiting<T>> = new Fifo();
  /** The waiting deltas of each key. */
  #waiting = new Map<ObjectKey, Waiting<T>>();
  #known: KnownObjects<T>;
  #wake: () => void;
  #now: () => number;
  #closed = false;
  /** Received deltas with a new version, oldest first; an entry stays until it and all older ones are popped. */
  #received: Fifo<Received> = new Fifo();
  #latestVersion = "";
  /** Keys of the initial list that have not been popped; Infinity before the list. */
  #initialKeys = Infinity;

  constructor(options: DeltaQueueOptions<T>) {
    this.#known = options.known;
    this.#wake = options.wake;
    this.#now = options.now;
  }

  get depth(): number {
    return this.#order.length;
  }

  get hasSynced(): boolean {
    return this.#initialKeys === 0;
  }

  get appliedResourceVersion(): string {
    return this.#received.peek()?.versionBefore ?? this.#latestVersion;
  }

  get oldestReceivedAt(): number | undefined {
    return this.#order.peek()?.queued[0].delta.receivedAt;
  }

  put(delta: ObjectDelta<T>): void {
    if (this.#closed) return;
    // The object was missing from a list: its deletion was already reported with a tombstone.
    const reported =
      delta.type === "Deleted" && !this.#waiting.has(delta.key) && this.#known.get(delta.key) === undefined;
    if (!reported) this.#queue(delta);
    this.#latestVersion = delta.object.metadata.resourceVersion;
  }

  replace(objects: readonly T[], resourceVersion: string, receivedAt: number): void {
    if (this.#closed) return;
    const missing = new Map(this.#known.entries());
    // What waits is newer than what is known.
    for (const { key, queued } of this.#waiting.values())
      for (const { delta } of queued) missing.set(key, delta.object);
    for (const object of objects) {
      const key = keyOf(object);
      missing.delete(key);
      this.#queue({ type: "Replaced", key, object, receivedAt, tombstone: false, managedFields: undefined });
    }
    for (const [key, object] of missing)
      this.#queue({ type: "Deleted", key, object, receivedAt, tombstone: true, managedFields: undefined });
    this.#latestVersion = resourceVersion;
    this.#initialKeys = Math.min(this.#initialKeys, this.depth);
    if (this.depth === 0) this.#wake();
  }

  resync(): void {
    if (this.#closed) return;
    const receivedAt = this.#now();
    for (const [key, object] of this.#known.entries()) {
      // What waits is newer than what is known.
      if (this.#waiting.has(key)) continue;
      this.#queue({ type: "Sync", key, object, receivedAt, tombstone: false, managedFields: undefined });
    }
  }

  bookmark(resourceVersion: string): void {
    if (this.#closed) return;
    this.#latestVersion = resourceVersion;
  }

  #queue(delta: ObjectDelta<T>): void {
    const waiting = this.#waiting.get(delta.key);
    const last = waiting?.queued.at(-1);
    if (last?.delta.type === "Deleted" && delta.type === "Deleted") {
      // The final state from the server is better than the last cached one.
      if (last.delta.tombstone) last.delta = delta;
      return;
    }
    const queued = { delta, received: delta.type === "Sync" ? undefined : this.#receive() };
    if (waiting !== undefined) {
      waiting.queued.push(queued);
      return;
    }
    const added: Waiting<T> = { key: delta.key, queued: [queued] };
    this.#waiting.set(delta.key, added);
    this.#order.push(added);
    if (this.depth === 1) this.#wake();
  }

  #receive(): Received {
    const received = { versionBefore: this.#latestVersion, popped: false };
    this.#received.push(received);
    return received;
  }

  pop(process: ProcessDelta<T>): boolean {
    const next = this.#order.shift();
    if (next === undefined) return false;
    this.#waiting.delete(next.key);
    const initial = !this.hasSynced;
    for (const { delta } of next.queued) process(delta, initial);
    for (const { received } of next.queued) if (received !== undefined) received.popped = true;
    while (this.#received.peek()?.popped === true) this.#received.shift();
    if (this.#initialKeys > 0) this.#initialKeys--;
    return true;
  }

  /** Keeps the applied version, because dropped deltas have not been processed. */
  close(): void {
    this.#closed = true;
    this.#order.clear();
    this.#waiting.clear();
  }
}
