import { keyOf, type ObjectKey } from "../api/key.ts";
import type { StoredObject } from "../api/object.ts";
import { Fifo } from "../workqueue/fifo.ts";
import type { DeltaQueue, DeltaQueueOptions, KnownObjects, ObjectDelta, ProcessDelta } from "./delta-queue.ts";

/** A delta with its place among those received: `counted` is false for a Sync, which brings nothing new. */
interface Received {
  /** Everything received before this delta was at this version. */
  readonly versionBefore: string;
  popped: boolean;
}

interface Queued<T> {
  readonly delta: ObjectDelta<T>;
  readonly received: Received | undefined;
}

/**
 * The classic delta queue: keys in the order of their first waiting delta, with all the deltas of a key popped together. An
 * object that changes often while its key waits is so worked through in one go, and a later change of it overtakes earlier ones
 * of other objects. Hence the applied version is a low watermark: with A@10, B@11, A@12 waiting and both of A popped, B@11 is
 * still missing, and the version is 9.
 *
 * Lists come as one `Replaced` for each object and one tombstone for each that is missing; so a store shows a mixture of the old
 * and the new for as long as they are popped.
 *
 * Source: client-go v0.36 tools/cache/delta_fifo.go; differs: keeps the watermark; synced only after a list.
 */
export class DeltaFIFO<T extends StoredObject> implements DeltaQueue<T> {
  #keys: Fifo<ObjectKey> = new Fifo();
  #items = new Map<ObjectKey, Queued<T>[]>();
  #known: KnownObjects<T>;
  #wake: () => void;
  #now: () => number;
  #closed = false;
  /** What was received and brings something new, oldest first; entries stay until all older ones are popped. */
  #received: Fifo<Received> = new Fifo();
  #latestVersion = "";
  /** Keys of the first list that have not been popped; undefined before it has come. */
  #initialKeys: number | undefined;

  constructor(options: DeltaQueueOptions<T>) {
    this.#known = options.known;
    this.#wake = options.wake;
    this.#now = options.now;
  }

  get depth(): number {
    return this.#keys.length;
  }

  get hasSynced(): boolean {
    return this.#initialKeys === 0;
  }

  get appliedResourceVersion(): string {
    return this.#received.peek()?.versionBefore ?? this.#latestVersion;
  }

  get oldestReceivedAt(): number | undefined {
    const key = this.#keys.peek();
    return key === undefined ? undefined : this.#items.get(key)?.[0]?.delta.receivedAt;
  }

  put(delta: ObjectDelta<T>): void {
    // It was deleted when a list came without it.
    const reported =
      delta.type === "Deleted" && !this.#items.has(delta.key) && this.#known.get(delta.key) === undefined;
    if (!reported) this.#queue(delta);
    this.#latestVersion = delta.object.metadata.resourceVersion;
  }

  replace(objects: readonly T[], resourceVersion: string, receivedAt: number): void {
    const listed = new Set<ObjectKey>();
    for (const object of objects) {
      const key = keyOf(object);
      listed.add(key);
      this.#queue({ type: "Replaced", key, object, receivedAt, tombstone: false, managedFields: undefined });
    }
    for (const [key, queued] of this.#items) {
      const last = queued.at(-1)?.delta;
      if (!listed.has(key) && last !== undefined) this.#bury(key, last.object, receivedAt);
    }
    for (const key of this.#known.keys()) {
      const object = this.#known.get(key);
      if (!listed.has(key) && !this.#items.has(key) && object !== undefined) this.#bury(key, object, receivedAt);
    }
    this.#latestVersion = resourceVersion;
    this.#initialKeys ??= this.#keys.length;
    if (this.#keys.length === 0) this.#wake();
  }

  #bury(key: ObjectKey, object: T, receivedAt: number): void {
    this.#queue({ type: "Deleted", key, object, receivedAt, tombstone: true, managedFields: undefined });
  }

  resync(): void {
    const receivedAt = this.#now();
    for (const key of this.#known.keys()) {
      // What waits is newer than what is known.
      if (this.#items.has(key)) continue;
      const object = this.#known.get(key);
      if (object === undefined) continue;
      this.#queue({ type: "Sync", key, object, receivedAt, tombstone: false, managedFields: undefined });
    }
  }

  bookmark(resourceVersion: string): void {
    this.#latestVersion = resourceVersion;
  }

  #queue(delta: ObjectDelta<T>): void {
    if (this.#closed) return;
    const queued = this.#items.get(delta.key);
    const last = queued?.at(-1);
    if (queued !== undefined && last !== undefined && last.delta.type === "Deleted" && delta.type === "Deleted") {
      // The one that knows more is kept.
      if (last.delta.tombstone) queued[queued.length - 1] = { delta, received: last.received };
      return;
    }
    let received: Received | undefined;
    if (delta.type !== "Sync") {
      received = { versionBefore: this.#latestVersion, popped: false };
      this.#received.push(received);
    }
    if (queued !== undefined) {
      queued.push({ delta, received });
      return;
    }
    this.#items.set(delta.key, [{ delta, received }]);
    this.#keys.push(delta.key);
    if (this.#keys.length === 1) this.#wake();
  }

  pop(process: ProcessDelta<T>): boolean {
    const key = this.#keys.shift();
    if (key === undefined) return false;
    const queued = this.#items.get(key) ?? [];
    this.#items.delete(key);
    const initial = !this.hasSynced;
    for (const { delta } of queued) process(delta, initial);
    for (const { received } of queued) if (received !== undefined) received.popped = true;
    while (this.#received.peek()?.popped === true) this.#received.shift();
    if (this.#initialKeys !== undefined && this.#initialKeys > 0) this.#initialKeys--;
    return true;
  }

  close(): void {
    this.#closed = true;
    this.#keys.clear();
    this.#items.clear();
    this.#received.clear();
  }
}
