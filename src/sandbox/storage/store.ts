/** The state of the server: all collections under one revision counter, as etcd has it. */
import type { Timeline } from "../../platform/timeline.ts";
import type { ApiObject } from "../meta/object.ts";
import { Collection } from "./collection.ts";
import { Compaction } from "./compaction.ts";
import { Entry } from "./entry.ts";
import type { WatchCacheLimits } from "./watch-cache.ts";

/** etcd's `--max-request-bytes`, by default. */
const maxRequestBytes = 1_572_864;
/** A character is a byte, or up to three. */
const maxBytesPerCharacter = 3;
/** What a transaction that puts one key needs beside its value: the key three times, and some numbers. */
const transactionBytes = 160;

/** Thrown by `Store.put` for an object that etcd would not take. */
export class RequestTooLarge extends Error {
  override name = "RequestTooLarge";
  /** Of the whole request. */
  readonly bytes: number;

  constructor(bytes: number) {
    super("etcdserver: request is too large");
    this.bytes = bytes;
  }
}

/** All collections under one revision counter. Every write takes the next revision. */
export class Store {
  readonly #timeline: Timeline;
  readonly #limits: WatchCacheLimits;
  readonly #collections = new Map<string, Collection>();
  readonly #fillers = new Map<string, () => void>();
  readonly #compaction: Compaction;
  #revision = 1;
  /** Of collections that are made later: no watch of theirs can start before it. */
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

  /** The oldest revision that lists can be of: those before are compacted, whatever the collection's own watch cache has. */
  get oldest(): number {
    this.#compaction.pass(this.#timeline.now(), this.#revision);
    return this.#compaction.oldest;
  }

  /** The collection of a resource, by its storage name (`replicasets.apps`). */
  collection(storage: string, namespaced: boolean): Collection {
    let collection = this.#collections.get(storage);
    if (collection === undefined) {
      // Nothing has been written to it: a watch may start at any revision of this server.
      collection = new Collection(namespaced, this.#compacted, this.#limits);
      this.#collections.set(storage, collection);
      this.#fillers.get(storage)?.();
    }
    return collection;
  }

  /**
   * Has a collection filled when it is first asked for: objects that most servers never show cost nothing before. One that is there
   * already is filled at once.
   */
  onFirstUse(storage: string, fill: () => void): void {
    if (this.#collections.has(storage)) fill();
    else this.#fillers.set(storage, fill);
  }

  /** All collections that have been asked for, by their storage names. */
  get collections(): ReadonlyMap<string, Collection> {
    return this.#collections;
  }

  /**
   * Goes on where another server ended: before the first write. No watch can start before `revision`, since nothing is known of what
   * was before.
   */
  beginAt(revision: number): void {
    this.#revision = revision;
    this.#compacted = revision;
  }

  /** The collection of a resource that has been asked for before. */
  existing(storage: string): Collection | undefined {
    return this.#collections.get(storage);
  }

  /**
   * Commits an object under the next revision. It belongs to the store from now on. `isDefaultedOnRead` as the entry has it.
   * @throws RequestTooLarge for an object that etcd would not take; nothing has changed then.
   */
  put(collection: Collection, object: ApiObject, isDefaultedOnRead = false): Entry {
    const entry = new Entry(object, this.#revision + 1, isDefaultedOnRead);
    checkSize(entry.text);
    const now = this.#timeline.now();
    this.#compaction.pass(now, this.#revision++);
    collection.apply("PUT", entry, now);
    return entry;
  }

  /** Deletes an object under the next revision; the entry is its last state. `object` must be a copy of its own. */
  remove(collection: Collection, object: ApiObject): Entry {
    const now = this.#timeline.now();
    this.#compaction.pass(now, this.#revision);
    const entry = new Entry(object, ++this.#revision);
    collection.apply("DELETE", entry, now);
    return entry;
  }

  /**
   * Adds an object of a snapshot as it is, at its own resourceVersion and without an event. The counter continues at `revision`, and
   * no watch can start before it.
   */
  load(collection: Collection, object: ApiObject, revision: number): void {
    this.#revision = Math.max(this.#revision, revision);
    const own = Number(object.metadata.resourceVersion ?? revision);
    collection.set(new Entry(object, Number.isSafeInteger(own) && own > 0 ? own : revision));
    if (collection.watchCache.compacted < revision) collection.watchCache.compact(revision);
  }

  /** Discards all events up to and including `revision`, as etcd does when it compacts. */
  compact(revision: number): void {
    for (const collection of this.#collections.values())
      collection.watchCache.compact(Math.min(revision, this.#revision));
  }
}

/** The value is JSON here, as it is in etcd for custom resources; the protobuf of other kinds is a little shorter. */
function checkSize(text: string): void {
  if (text.length * maxBytesPerCharacter < maxRequestBytes - transactionBytes) return;
  const bytes = Buffer.byteLength(text) + transactionBytes;
  if (bytes > maxRequestBytes) throw new RequestTooLarge(bytes);
}
