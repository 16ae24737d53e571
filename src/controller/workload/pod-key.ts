/** Keys of pods in a queue whose other keys name objects of the controller's primary kind. */
import { type ObjectKey, objectKey, splitKey } from "../../api/key.ts";
import type { Pod } from "../../api/types.ts";

/** Marks a pod key. Object names cannot contain a colon. */
const mark = "pod:";

/** The key of a pod: `shop/pod:web-1`. */
export function podKey({ metadata }: Pod): ObjectKey {
  return objectKey(metadata.namespace, `${mark}${metadata.name}`);
}

/** The key of the pod that a pod key names, as `shop/web-1`; undefined for any other key. */
export function podOfKey(key: ObjectKey): ObjectKey | undefined {
  const { namespace, name } = splitKey(key);
  return name.startsWith(mark) ? objectKey(namespace, name.slice(mark.length)) : undefined;
}
