/** Keys of pods in the queue of a controller whose other keys are those of its own kind. */
import { type ObjectKey, objectKey, splitKey } from "../../api/key.ts";
import type { Pod } from "../../api/types.ts";

/** No object has a name with a colon. */
const mark = "pod:";

/** The key of a pod: `shop/pod:web-1`. */
export function podKey({ metadata }: Pod): ObjectKey {
  return objectKey(metadata.namespace, `${mark}${metadata.name}`);
}

/** The pod that such a key is about, as `shop/web-1`; undefined for any other key. */
export function podOfKey(key: ObjectKey): ObjectKey | undefined {
  const { namespace, name } = splitKey(key);
  return name.startsWith(mark) ? objectKey(namespace, name.slice(mark.length)) : undefined;
}
