/** A lister that overlays a cache with the objects that the current sync has written. */
import { objectKey, type ObjectKey } from "../../api/key.ts";
import { matches, matchesEverything } from "../../api/labels.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Lister } from "../../cache/lister.ts";

/** The overlay of a cache. */
export interface Overlaid<T> {
  /** Written objects by key, undefined for deleted ones; undefined if nothing was written. */
  readonly written: () => ReadonlyMap<ObjectKey, T | undefined> | undefined;
  /** The cache's index functions, by name. */
  readonly indexes: Readonly<Record<string, (object: T) => readonly string[]>>;
}

/** Reads from the cache, with written objects in place of cached ones. Written objects come last in lists. */
export function overlaid<T extends StoredObject>(lister: Lister<T>, { written, indexes }: Overlaid<T>): Lister<T> {
  const get = (key: ObjectKey): T | undefined => {
    const over = written();
    return over?.has(key) === true ? over.get(key) : lister.get(key);
  };
  /** Replaces written objects in a list: removes them from `cached`, and adds those for which `belongs` holds. */
  const merged = (cached: T[], belongs: (object: T) => boolean): T[] => {
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
    list: (namespace) => merged(lister.list(namespace), inNamespace(namespace)),
    listSelected: (namespace, selector) =>
      merged(
        lister.listSelected(namespace, selector),
        (object) =>
          inNamespace(namespace)(object) && (matchesEverything(selector) || matches(selector, object.metadata.labels)),
      ),
    byIndex: (index, value) =>
      merged(lister.byIndex(index, value), (object) => indexes[index]?.(object).includes(value) === true),
    get size() {
      return merged(lister.list(), () => true).length;
    },
    appliedResourceVersion: () => lister.appliedResourceVersion(),
  };
}
