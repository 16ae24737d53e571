/** The objects of one resource, their watch cache, and listeners for changes. */
import type { Entry } from "./entry.ts";
import { WatchCache, type Change, type WatchCacheLimits } from "./watch-cache.ts";
import { lowerBound, SortedNames } from "./sorted-names.ts";

/** Called synchronously after each change. It must not change the collection. */
export type Listener = (change: Change) => void;

interface Partition {
  readonly entries: Map<string, Entry>;
  readonly names: SortedNames;
}

/** Which keys of a collection to read. */
export interface Range {
  /** Undefined: all namespaces. */
  readonly namespace?: string | undefined;
  /** The first key: `namespace/name`, or `name` for cluster-scoped objects. */
  readonly from?: string;
}

/** The objects of one resource by key, and their recent changes. Every method is atomic. */
export class Collection {
  readonly namespaced: boolean;
  #watchCache: WatchCache;
  readonly #limits: WatchCacheLimits;
  readonly listeners: Set<Listener> = new Set();
  #partitions = new Map<string, Partition>();
  #namespaces = new SortedNames();
  #size = 0;

  constructor(namespaced: boolean, revision: number, limits: WatchCacheLimits) {
    this.namespaced = namespaced;
    this.#limits = limits;
    this.#watchCache = new WatchCache(revision, limits);
  }

  /** The recent changes. */
  get watchCache(): WatchCache {
    return this.#watchCache;
  }

  /** Starts a new watch cache: no watch can start before `revision`; open watches read the old changes to the end. */
  restart(revision: number): void {
    this.#watchCache = new WatchCache(revision, this.#limits);
  }

  /** The number of objects. */
  get size(): number {
    return this.#size;
  }

  /** Undefined if there is no such object. */
  get(namespace: string, name: string): Entry | undefined {
    return this.#partitions.get(namespace)?.entries.get(name);
  }

  /** Adds or replaces an object without an event. Returns the previous entry. */
  set(entry: Entry): Entry | undefined {
    let partition = this.#partitions.get(entry.namespace);
    if (partition === undefined) {
      partition = { entries: new Map(), names: new SortedNames() };
      this.#partitions.set(entry.namespace, partition);
      // Sorted including the slash, like etcd's keys: `a-b/x` comes before `a/x`.
      this.#namespaces.add(`${entry.namespace}/`);
    }
    const previous = partition.entries.get(entry.name);
    if (previous === undefined) {
      partition.names.add(entry.name);
      this.#size++;
    }
    partition.entries.set(entry.name, entry);
    return previous;
  }

  /** Applies a change. When this returns, objects, watch cache and listeners have it. */
  apply(type: "PUT" | "DELETE", entry: Entry, at: number): void {
    let previous: Entry | undefined;
    if (type === "PUT") previous = this.set(entry);
    else previous = this.#delete(entry.namespace, entry.name);
    const change: Change = {
      type: type === "DELETE" ? "DELETED" : previous === undefined ? "ADDED" : "MODIFIED",
      revision: entry.revision,
      at,
      entry,
      previous,
      frames: new Map(),
    };
    this.watchCache.append(change);
    for (const listener of this.listeners) listener(change);
  }

  #delete(namespace: string, name: string): Entry | undefined {
    const partition = this.#partitions.get(namespace);
    const entry = partition?.entries.get(name);
    if (partition === undefined || entry === undefined) return undefined;
    partition.entries.delete(name);
    partition.names.remove();
    this.#size--;
    return entry;
  }

  /** The current objects, in the order of etcd's keys. */
  *range({ namespace, from }: Range): Generator<Entry> {
    if (namespace !== undefined) {
      yield* this.#inPartition(namespace, from?.slice(from.indexOf("/") + 1));
      return;
    }
    const namespaces = this.#namespaces.inOrder(() => true);
    const slash = this.namespaced ? (from?.indexOf("/") ?? -1) : -1;
    const first = from === undefined || slash < 0 ? 0 : lowerBound(namespaces, from.slice(0, slash + 1));
    for (let index = first; index < namespaces.length; index++) {
      const key = namespaces[index] as string;
      const starts = from !== undefined && (!this.namespaced || from.startsWith(key));
      yield* this.#inPartition(key.slice(0, -1), starts ? from.slice(slash + 1) : undefined);
    }
  }

  *#inPartition(namespace: string, from: string | undefined): Generator<Entry> {
    const partition = this.#partitions.get(namespace);
    if (partition === undefined) return;
    const names = partition.names.inOrder((name) => partition.entries.has(name));
    for (let index = from === undefined ? 0 : lowerBound(names, from); index < names.length; index++) {
      const entry = partition.entries.get(names[index] as string);
      if (entry !== undefined) yield entry;
    }
  }

  /** The objects as of `revision`, which the watch cache must cover: the current ones with later changes undone. */
  rangeAt(range: Range, revision: number): Iterable<Entry> {
    const first = this.watchCache.firstAfter(revision);
    if (first === this.watchCache.end) return this.range(range);
    /** The entries at `revision` of keys that changed later; undefined for objects that did not exist. */
    const atRevision = new Map<string, Entry | undefined>();
    for (let at = first; at < this.watchCache.end; at++) {
      const change = this.watchCache.changeAt(at) as Change;
      const key = keyOf(change.entry);
      if (!atRevision.has(key)) atRevision.set(key, change.previous);
    }
    return this.#undone(range, atRevision);
  }

  *#undone(range: Range, atRevision: ReadonlyMap<string, Entry | undefined>): Generator<Entry> {
    const from = range.from ?? "";
    const old = [...atRevision.values()]
      .filter((entry) => entry !== undefined)
      .filter((e) => (range.namespace === undefined || e.namespace === range.namespace) && keyOf(e) >= from)
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    let next = 0;
    for (const entry of this.range(range)) {
      const key = keyOf(entry);
      while (next < old.length && keyOf(old[next] as Entry) < key) yield old[next++] as Entry;
      if (!atRevision.has(key)) yield entry;
      else if (next < old.length && keyOf(old[next] as Entry) === key) yield old[next++] as Entry;
    }
    while (next < old.length) yield old[next++] as Entry;
  }
}

/** `namespace/name`, or `name`: the part of etcd's key after the resource. */
export function keyOf(entry: { readonly namespace: string; readonly name: string }): string {
  return entry.namespace === "" ? entry.name : `${entry.namespace}/${entry.name}`;
}
