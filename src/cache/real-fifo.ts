import type { StoredObject } from "../api/object.ts";
import { Fifo } from "../workqueue/fifo.ts";
import type { Delta, DeltaQueue, DeltaQueueOptions, ProcessDelta } from "./delta-queue.ts";

/**
 * The default delta queue: pops everything in the order in which it was put, and merges nothing. A list is one `ReplacedAll` and a resync
 * one `SyncAll`. The store applies each atomically, so it never shows a mixture of two lists, and finds the deleted objects itself.
 * Bookmarks are deltas too, so the applied version is that of the last popped delta.
 *
 * Source: client-go v0.36 tools/cache/the_real_fifo.go with the features InOrderInformers and AtomicFIFO; differs: synced only
 * after a list, also if changes were put before it.
 */
export class RealFIFO<T extends StoredObject> implements DeltaQueue<T> {
  #deltas: Fifo<Delta<T>> = new Fifo();
  #wake: () => void;
  #now: () => number;
  #closed = false;
  hasSynced = false;
  appliedResourceVersion = "";

  constructor(options: Pick<DeltaQueueOptions<T>, "wake" | "now">) {
    this.#wake = options.wake;
    this.#now = options.now;
  }

  get depth(): number {
    return this.#deltas.length;
  }

  get oldestReceivedAt(): number | undefined {
    return this.#deltas.peek()?.receivedAt;
  }

  put(delta: Delta<T>): void {
    if (this.#closed) return;
    this.#deltas.push(delta);
    if (this.#deltas.length === 1) this.#wake();
  }

  replace(objects: readonly T[], resourceVersion: string, receivedAt: number): void {
    this.put({ type: "ReplacedAll", objects, resourceVersion, receivedAt });
  }

  resync(): void {
    this.put({ type: "SyncAll", receivedAt: this.#now() });
  }

  bookmark(resourceVersion: string, receivedAt: number): void {
    this.put({ type: "Bookmark", resourceVersion, receivedAt });
  }

  pop(process: ProcessDelta<T>): boolean {
    const delta = this.#deltas.shift();
    if (delta === undefined) return false;
    process(delta, !this.hasSynced);
    switch (delta.type) {
      case "ReplacedAll":
        this.hasSynced = true;
        this.appliedResourceVersion = delta.resourceVersion;
        break;
      case "Bookmark":
        this.appliedResourceVersion = delta.resourceVersion;
        break;
      case "Added":
      case "Updated":
      case "Deleted":
        this.appliedResourceVersion = delta.object.metadata.resourceVersion;
        break;
      case "Replaced":
      case "Sync":
      case "SyncAll":
        break;
    }
    return true;
  }

  close(): void {
    this.#closed = true;
    this.#deltas.clear();
  }
}
