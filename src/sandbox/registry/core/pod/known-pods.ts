/** Pods like those before: a controller posts the same one for each of its replicas, and what holds of the first holds of all. */
import { at, fieldsIn, textOf, type ApiObject } from "../../../meta/object.ts";

/** How many kinds of pods are remembered, and how long the text of each may be. */
const mostPods = 64;
const longestText = 16_384;

/** The volume of the ServiceAccount's token has a generated name. */
const madeUpName = /^kube-api-access-[a-z0-9]{5}$/;

/**
 * The same check, without looking again at a pod in which it has found nothing: the text of its annotations and its spec is
 * remembered, never an object. `check` must rest on these two alone; on the pod's name only where a volume is a claim of its own.
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

/** Equal for pods that all checks treat alike; undefined for a pod that is not remembered. */
function textOfPod({ metadata, spec }: ApiObject): string | undefined {
  const volumes = fieldsIn(at(spec, "volumes"));
  if (volumes.some(({ ephemeral }) => ephemeral !== undefined)) return undefined;
  // Of these, a list that was sent empty counts, which no text shows.
  if (fieldsIn(at(spec, "ephemeralContainers")).length > 0) return undefined;
  const text = JSON.stringify([metadata.annotations, spec]);
  if (text.length > longestText) return undefined;
  const token = volumes.map(({ name }) => textOf(name)).find((name) => madeUpName.test(name));
  // No text that was written as JSON has this character in it.
  return token === undefined ? text : text.replaceAll(token, "\0");
}
