/** Caches checks of equal pods: a controller creates the same pod for each replica, so a result for the first is valid for all. */
import { at, fieldsIn, textOf, type ApiObject } from "../../../meta/object.ts";

/** How many distinct pods are cached, and the maximum text length of each. */
const mostPods = 64;
const longestText = 16_384;

/** The generated name of the ServiceAccount token's volume. */
const madeUpName = /^kube-api-access-[a-z0-9]{5}$/;

/**
 * Wraps a check to skip pods in which it has already found nothing: the text of their annotations and spec is remembered, never an object.
 * `check` may depend only on these two; on the pod's name only if an ephemeral volume needs it.
 */
export function onceForEqualPods<T>(check: (pod: ApiObject) => T[]): (pod: ApiObject) => T[] {
  const known = new Set<string>();
  return (pod) => {
    const text = textOfPod(pod);
    if (text === undefined) return check(pod);
    if (known.has(text)) return [];
    const found = check(pod);
    if (found.length > 0) return found;
    if (known.size === mostPods) known.clear();
    known.add(text);
    return found;
  };
}

/** Equal for pods that all checks treat alike; undefined for pods that are not cached. */
function textOfPod({ metadata, spec }: ApiObject): string | undefined {
  const volumes = fieldsIn(at(spec, "volumes"));
  if (volumes.some(({ ephemeral }) => ephemeral !== undefined)) return undefined;
  // In these, a list sent as empty counts as set, which the text does not show.
  if (fieldsIn(at(spec, "ephemeralContainers")).length > 0) return undefined;
  const text = JSON.stringify([metadata.annotations, spec]);
  if (text.length > longestText) return undefined;
  const token = volumes.map(({ name }) => textOf(name)).find((name) => madeUpName.test(name));
  // JSON text never contains this character unescaped.
  return token === undefined ? text : text.replaceAll(token, "\0");
}
