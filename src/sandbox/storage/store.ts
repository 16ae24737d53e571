/** The state of the server: all collections, with one revision counter, like etcd. */
import type { Timeline } from "../../platform/timeline.ts";
import type { ApiObject } from "../meta/object.ts";
import { Collection } from "./collection.ts";
import { Compaction } from "./compaction.ts";
import { Entry } from "./entry.ts";
import type { WatchCacheLimits } from "./watch-cache.ts";

/** The default of etcd's `--max-request-bytes`. */
const maxRequestBytes = 1_572_864;
/** A UTF-16 code unit takes at most three bytes. */
const maxBytesPerCharacter = 3;
/** The overhead of a transaction that puts one key: three times the key, and some numbers. */
const transactionBytes = 160;

/** Thrown by `Store.put` for an object that etcd would reject. */
export class RequestTooLarge extends Error {
  override name = "RequestTooLarge";
  /** The size of the whole request. */
  readonly bytes: number;

  constructor(bytes: number) {
    super("etcdserver: request is too large");
    this.bytes = bytes;
  }
}

/** All collections, with one revision counter. Every write takes the next revision. */
export class Store {
  readonly #timeline: Timeline;
  readonly #limits: WatchCacheLimits;
  readonly #collections = new Map<string, Collection>();
  readonly #fillers = new Map<string, () => void>();
  readonly #compaction: Compaction;
  #revision = 1;
  /** For collections created later: none of their watches can start before it. */
  #compacted = 0;

  constructor(timeline: Timeline, limits: WatchCacheLimits) {
    this.#timeline = timeline;
    this.#limits = limits;
    this.#compaction = new Compaction(timeline.now());
  }

  /** The revision of the last write. */
  get revision(): number {
    return this.#revision;
  }

  /** The oldest revision that can be listed: earlier ones are compacted, whatever the collection's watch cache has. */
  get oldest(): number {
    this.#compaction.pass(this.#timeline.now(), this.#revision);
    return this.#compaction.oldest;
  }

  /** The collection of a resource, by its storage name (`replicasets.apps`). */
  collection(storage: string, namespaced: boolean): Collection {
    let collection = this.#collections.get(storage);
    if (collection === undefined) {
      // Nothing has been written to it: watches may start at any revision of this server.
      collection = new Collection(namespaced, this.#compacted, this.#limits);
      this.#collections.set(storage, collection);
      this.#fillers.get(storage)?.();
    }
    return collection;
  }

  /**
   * Fills a collection on first use: objects that most servers never need cost nothing until then. If the collection exists, fills it at
   * once.
   */
  onFirstUse(storage: string, fill: () => void): void {
    if (this.#collections.has(storage)) fill();
    else this.#fillers.set(storage, fill);
  }

  /** All collections used so far, by storage name. */
  get collections(): ReadonlyMap<string, Collection> {
    return this.#collections;
  }

  /**
   * Continues from another server's revision; call it before the first write. No watch can start before `revision`, since earlier events
   * are unknown.
   */
  beginAt(revision: number): void {
    this.#revision = revision;
    this.#compacted = revision;
  }

  /** The collection of a resource, if it has been used. */
  existing(storage: string): Collection | undefined {
    return this.#collections.get(storage);
  }

  /**
   * Commits an object under the next revision. The store takes it over. For `isDefaultedOnRead`, see the entry.
   * @throws RequestTooLarge for an object that etcd would reject; then nothing has changed.
   */
  put(collection: Collection, object: ApiObject, isDefaultedOnRead = false): Entry {
    const entry = new Entry(object, this.#revision + 1, isDefaultedOnRead);
    checkSize(entry.text);
    const now = this.#timeline.now();
    this.#compaction.pass(now, this.#revision++);
    collection.apply("PUT", entry, now);
    return entry;
  }

  /** Deletes an object under the next revision; the entry is its last state. `object` must be a copy. */
  remove(collection: Collection, object: ApiObject): Entry {
    const now = this.#timeline.now();
    this.#compaction.pass(now, this.#revision);
    const entry = new Entry(object, ++this.#revision);
    collection.apply("DELETE", entry, now);
    return entry;
  }

  /**
   * Adds an object of a snapshot as it is, with its own resourceVersion and without an event. The counter continues at `revision`, and no
   * watch can start before it.
   */
  load(collection: Collection, object: ApiObject, revision: number): void {
    this.#revision = Math.max(this.#revision, revision);
    const own = Number(object.metadata.resourceVersion ?? revision);
    collection.set(new Entry(object, Number.isSafeInteger(own) && own > 0 ? own : revision));
    if (collection.watchCache.compacted < revision) collection.watchCache.compact(revision);
  }

  /** Discards all events up to and including `revision`, like a compaction in etcd. */
  compact(revision: number): void {
    for (const collection of this.#collections.values())
      collection.watchCache.compact(Math.min(revision, this.#revision));
  }
}

/** The value is JSON here, as for custom resources in etcd; the protobuf of other kinds is slightly shorter. */
function checkSize(text: string): void {
  if (text.length * maxBytesPerCharacter < maxRequestBytes - transactionBytes) return;
  const bytes = Buffer.byteLength(text) + transactionBytes;
  if (bytes > maxRequestBytes) throw new RequestTooLarge(bytes);
}
