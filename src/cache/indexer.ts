import { keyOf, objectKey, type ObjectKey } from "../api/key.ts";
import { matches, type Selector } from "../api/labels.ts";
import type { StoredObject } from "../api/object.ts";

/** Returns the values under which an object is indexed; an empty list leaves it out. Must depend on the object alone. */
export type IndexFunction<T> = (object: T) => readonly string[];

interface Index<T> {
  readonly valuesOf: IndexFunction<T>;
  /** The objects of each value. */
  readonly buckets: Map<string, Map<ObjectKey, T>>;
}

/**
 * The store of a cache: objects by key, namespace, and custom indexes. Every method is atomic: a reader sees each change, or list, either
 * completely or not at all, with consistent indexes.
 *
 * Source: client-go v0.36 tools/cache/thread_safe_store.go; differs: buckets hold the objects, so that reading an index needs no second
 * lookup, and an object keeps its position in a bucket while its values stay the same.
 */
export class Indexer<T extends StoredObject> {
  #objects = new Map<ObjectKey, T>();
  /** The objects of each namespace. Created when a namespace is first listed, because most caches are read only by key and index. */
  #namespaces: Map<string, Map<ObjectKey, T>> | undefined;
  #indexes = new Map<string, Index<T>>();

  get size(): number {
    return this.#objects.size;
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(key);
  }

  getNamespaced(namespace: string, name: string): T | undefined {
    return this.#objects.get(objectKey(namespace, name));
  }

  keys(): IterableIterator<ObjectKey> {
    return this.#objects.keys();
  }

  entries(): IterableIterator<[ObjectKey, T]> {
    return this.#objects.entries();
  }

  list(namespace?: string): T[] {
    return Array.from(this.#within(namespace)?.values() ?? []);
  }

  listSelected(namespace: string | undefined, selector: Selector): T[] {
    return this.list(namespace).filter(({ metadata }) => matches(selector, metadata.labels));
  }

  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new RangeError(`Cannot read the index ${name}: it was not added`);
    return Array.from(index.buckets.get(value)?.values() ?? []);
  }

  /**
   * Adds indexes, and indexes existing objects at once. The same index may be added again.
   * @throws RangeError if another function has the name.
   */
  addIndexes(indexes: Readonly<Record<string, IndexFunction<T>>>): void {
    for (const [name, valuesOf] of Object.entries(indexes)) {
      const present = this.#indexes.get(name);
      if (present !== undefined) {
        if (present.valuesOf === valuesOf) continue;
        throw new RangeError(`Cannot add the index ${name}: there is another one of this name`);
      }
      const index: Index<T> = { valuesOf, buckets: new Map() };
      for (const [key, object] of this.#objects) updateIndex(index, key, undefined, object);
      this.#indexes.set(name, index);
    }
  }

  /** Sets the object of a key; returns the previous one. */
  set(key: ObjectKey, object: T): T | undefined {
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    if (this.#namespaces !== undefined) bucketOf(this.#namespaces, object.metadata.namespace ?? "").set(key, object);
    for (const index of this.#indexes.values()) updateIndex(index, key, old, object);
    return old;
  }

  /** Removes the object of a key and returns it; undefined if there is none. */
  delete(key: ObjectKey): T | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    this.#objects.delete(key);
    if (this.#namespaces !== undefined) removeFromIndex(this.#namespaces, old.metadata.namespace ?? "", key);
    for (const index of this.#indexes.values()) {
      for (const value of index.valuesOf(old)) removeFromIndex(index.buckets, value, key);
    }
    return old;
  }

  /** Replaces all objects atomically; returns the previous ones. */
  replace(objects: readonly T[]): ReadonlyMap<ObjectKey, T> {
    const earlier = this.#objects;
    this.#objects = new Map();
    this.#namespaces = undefined;
    for (const index of this.#indexes.values()) index.buckets.clear();
    for (const object of objects) this.set(keyOf(object), object);
    return earlier;
  }

  #within(namespace: string | undefined): ReadonlyMap<ObjectKey, T> | undefined {
    if (namespace === undefined || namespace === "") return this.#objects;
    this.#namespaces ??= this.#byNamespace();
    return this.#namespaces.get(namespace);
  }

  #byNamespace(): Map<string, Map<ObjectKey, T>> {
    const namespaces = new Map<string, Map<ObjectKey, T>>();
    for (const [key, object] of this.#objects) {
      bucketOf(namespaces, object.metadata.namespace ?? "").set(key, object);
    }
    return namespaces;
  }
}

function bucketOf<T>(buckets: Map<string, Map<ObjectKey, T>>, value: string): Map<ObjectKey, T> {
  let bucket = buckets.get(value);
  if (bucket === undefined) {
    bucket = new Map();
    buckets.set(value, bucket);
  }
  return bucket;
}

function removeFromIndex<T>(buckets: Map<string, Map<ObjectKey, T>>, value: string, key: ObjectKey): void {
  const bucket = buckets.get(value);
  bucket?.delete(key);
  if (bucket?.size === 0) buckets.delete(value);
}

/** Updates an index after a change. An object that keeps a value keeps its position in the bucket. */
function updateIndex<T>(index: Index<T>, key: ObjectKey, old: T | undefined, object: T): void {
  const values = index.valuesOf(object);
  if (old !== undefined) {
    for (const value of index.valuesOf(old)) if (!values.includes(value)) removeFromIndex(index.buckets, value, key);
  }
  for (const value of values) bucketOf(index.buckets, value).set(key, object);
}
