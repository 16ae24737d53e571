import { keyOf, objectKey, type ObjectKey } from "../../src/api/key.ts";
import { matches, type Selector } from "../../src/api/labels.ts";
import type { StoredObject } from "../../src/api/object.ts";
import { deepFreeze } from "../../src/cache/freeze.ts";
import type { Lister } from "../../src/cache/lister.ts";

type Indexes<T> = Readonly<Record<string, (object: T) => readonly string[]>>;

/** A cache that a test fills by hand. Its objects are frozen: code that changes a cached object throws. Indexes are computed by search. */
export class HandFilledCache<T extends StoredObject> implements Lister<T> {
  #objects = new Map<ObjectKey, T>();
  #indexes: Indexes<T>;
  #applied: string;

  constructor(indexes: Indexes<T>, appliedResourceVersion: string) {
    this.#indexes = indexes;
    this.#applied = appliedResourceVersion;
  }

  set(object: T): void {
    this.#objects.set(keyOf(object), deepFreeze(object));
  }

  delete(key: ObjectKey): void {
    this.#objects.delete(key);
  }

  apply(resourceVersion: string): void {
    this.#applied = resourceVersion;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(key);
  }

  getNamespaced(namespace: string, name: string): T | undefined {
    return this.get(objectKey(namespace, name));
  }

  list(namespace = ""): T[] {
    const all = [...this.#objects.values()];
    return namespace === "" ? all : all.filter((object) => object.metadata.namespace === namespace);
  }

  listSelected(namespace: string | undefined, selector: Selector): T[] {
    return this.list(namespace).filter((object) => matches(selector, object.metadata.labels));
  }

  byIndex(name: string, value: string): T[] {
    const valuesOf = this.#indexes[name];
    if (valuesOf === undefined) throw new RangeError(`nobody has asked for the index ${name}`);
    return this.list().filter((object) => valuesOf(object).includes(value));
  }

  appliedResourceVersion(): string {
    return this.#applied;
  }
}
