/** Object keys: `namespace/name`, or just `name` for cluster-scoped objects, as in client-go's `cache.MetaNamespaceKeyFunc`. */

/** `namespace/name` or `name`. Neither part contains a slash; the API server guarantees that. */
export type ObjectKey = string;

/** Where an object is, within its kind. The namespace is empty for cluster-scoped objects. */
export interface NamespacedName {
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** The key of a namespace and a name; without a namespace, just the name. */
export function objectKey(namespace: string | undefined, name: string): ObjectKey {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

/**
 * The key of an object.
 *
 * @example
 * ```ts
 * import { keyOf } from "kubectl-reconcile";
 *
 * console.log(keyOf({ metadata: { namespace: "shop", name: "web" } })); // shop/web
 * ```
 */
export function keyOf(object: {
  readonly metadata: { readonly namespace?: string; readonly name: string };
}): ObjectKey {
  return objectKey(object.metadata.namespace, object.metadata.name);
}

/** Where a client finds the object: its namespace, empty for a cluster-scoped one, and its name. */
export function namespacedNameOf({
  metadata,
}: {
  readonly metadata: { readonly namespace?: string | undefined; readonly name: string };
}): NamespacedName {
  return { namespace: metadata.namespace ?? "", name: metadata.name };
}

/**
 * The namespace and the name in a key; the namespace is empty for a cluster-scoped object.
 *
 * @throws RangeError for a key with more than one slash.
 * @example
 * ```ts
 * import { splitKey } from "kubectl-reconcile";
 *
 * const { namespace, name } = splitKey("shop/web");
 * console.log(namespace, name);
 * ```
 */
export function splitKey(key: ObjectKey): NamespacedName {
  const slash = key.indexOf("/");
  if (slash < 0) return { namespace: "", name: key };
  if (key.includes("/", slash + 1))
    throw new RangeError(`Cannot read the key ${JSON.stringify(key)}: it has more than one slash`);
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
