import { keyOf, type ObjectKey } from "../api/key.ts";
import type { StoredObject } from "../api/object.ts";
import { Fifo } from "../workqueue/fifo.ts";
import type { DeltaQueue, DeltaQueueOptions, KnownObjects, ObjectDelta, ProcessDelta } from "./delta-queue.ts";

/** The place of a delta among those received. */
interface Received {
  /** Everything received before this delta was at this version. */
  readonly versionBefore: string;
  popped: boolean;
}

interface Queued<T> {
  delta: ObjectDelta<T>;
  /** Undefined for a Sync, which brings nothing new. */
  readonly received: Received | undefined;
}

/** The waiting deltas of one key, oldest first. */
interface Waiting<T> {
  readonly key: ObjectKey;
  readonly queued: [Queued<T>, ...Queued<T>[]];
}

/**
 * The classic delta queue: keys in the order of their first waiting delta, with all the deltas of a key popped together. So
 * an object that changes often while its key waits is processed in one go, and a later change of it overtakes earlier ones
 * of other objects. Hence the applied version is a low watermark: with A@10, B@11, A@12 waiting and both of A popped, B@11 is
 * still missing, and the version is 9.
 *
 * A list becomes one `Replaced` for each object and one tombstone for each that is missing, so that a store shows a mixture of the old
 * and the new until all are popped.
 *
 * Source: client-go v0.36 tools/cache/delta_fifo.go; differs: keeps the watermark; synced only after a list.
 */
export class DeltaFIFO<T extends StoredObject> implements DeltaQueue<T> {
  /** The same entries as in `#waiting`, in the order in which they are popped. */
  #order: Fifo<Waiting<T>> = new Fifo();
  /** The waiting deltas of each key. */
  #waiting = new Map<ObjectKey, Waiting<T>>();
  #known: KnownObjects<T>;
  #wake: () => void;
  #now: () => number;
  #closed = false;
  /** What was received and brings something new, oldest first; entries stay until all older ones are popped. */
  #received: Fifo<Received> = new Fifo();
  #latestVersion = "";
  /** How many keys of the first list have not been popped; Infinity before there is one. */
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
    // A list came without the object: its deletion was reported with a tombstone.
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
      // The server's own last state is better than what was cached.
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

  /** The applied version stays where it is: what is dropped has not been processed. */
  close(): void {
    this.#closed = true;
    this.#order.clear();
    this.#waiting.clear();
  }
}
