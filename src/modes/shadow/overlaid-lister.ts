/** A cache overlaid with the objects that the sync reading it has written. */
import { objectKey, type ObjectKey } from "../../api/key.ts";
import { matches, matchesEverything } from "../../api/labels.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Lister } from "../../cache/lister.ts";

/** What is laid over a cache. */
export interface Overlaid<T> {
  /** Written objects by key, undefined for deleted ones; undefined if nothing was written. */
  readonly written: () => ReadonlyMap<ObjectKey, T | undefined> | undefined;
  /** The cache's index functions, by name. */
  readonly indexes: Readonly<Record<string, (object: T) => readonly string[]>>;
}

/** Reads through to the cache; written objects replace cached ones, new ones come last. */
export function overlaid<T extends StoredObject>(lister: Lister<T>, { written, indexes }: Overlaid<T>): Lister<T> {
  const get = (key: ObjectKey): T | undefined => {
    const over = written();
    return over?.has(key) === true ? over.get(key) : lister.get(key);
  };
  /** Those of `cached` that are not written over, and those written that belong among them. */
  const among = (cached: T[], belongs: (object: T) => boolean): T[] => {
    const over = written();
    if (over === undefined) return cached;
    const kept = cached.filter(({ metadata }) => !over.has(objectKey(metadata.namespace, metadata.name)));
    return [...kept, ...[...over.values()].filter((object) => object !== undefined && belongs(object))] as T[];
  };
  const inNamespace =
    (namespace: string | undefined) =>
    ({ metadata }: T): boolean =>
      (namespace ?? "") === "" || metadata.namespace === namespace;
  return {
    get,
    getNamespaced: (namespace, name) => get(objectKey(namespace, name)),
    list: (namespace) => among(lister.list(namespace), inNamespace(namespace)),
    listSelected: (namespace, selector) =>
      among(
        lister.listSelected(namespace, selector),
        (object) =>
          inNamespace(namespace)(object) && (matchesEverything(selector) || matches(selector, object.metadata.labels)),
      ),
    byIndex: (index, value) =>
      among(lister.byIndex(index, value), (object) => indexes[index]?.(object).includes(value) === true),
    get size() {
      return among(lister.list(), () => true).length;
    },
    appliedResourceVersion: () => lister.appliedResourceVersion(),
  };
}
