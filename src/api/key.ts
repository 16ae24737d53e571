/** Object keys: `namespace/name`, or `name` alone for what has no namespace, as in client-go's `cache.MetaNamespaceKeyFunc`. */

/** `namespace/name` or `name`. Neither part may hold a slash, which the API server guarantees. */
export type ObjectKey = string;

export interface NamespacedName {
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

export function objectKey(namespace: string | undefined, name: string): ObjectKey {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

export function keyOf(object: {
  readonly metadata: { readonly namespace?: string; readonly name: string };
}): ObjectKey {
  return objectKey(object.metadata.namespace, object.metadata.name);
}

/** @throws RangeError for a key with more than one slash. */
export function splitKey(key: ObjectKey): NamespacedName {
  const slash = key.indexOf("/");
  if (slash < 0) return { namespace: "", name: key };
  if (key.includes("/", slash + 1))
    throw new RangeError(`Cannot read the key ${JSON.stringify(key)}: it has more than one slash`);
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
