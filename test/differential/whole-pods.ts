/**
 * The state of pods when they are written. Our controllers request only the metadata in a response if that is sufficient, and the log then
 * has no more; the rest of the pod is taken from its last response to any client.
 */
import type { Effect } from "../support/audit-log.ts";
import type { PodObject } from "./objects.ts";

/** Takes the effects of a log in order, by any client; returns each with the whole pod as its response. */
export function wholePods(): (effect: Effect) => Effect {
  const last = new Map<string, PodObject>();
  return (effect) => {
    const { resource, namespace, name, code, request, response } = effect;
    if (code >= 300 || resource.split("/")[0] !== "pods") return effect;
    const key = `${namespace}/${name}`;
    const known = effect.verb === "create" && resource === "pods" ? (request as PodObject) : last.get(key);
    if (resource === "pods/binding") {
      const { target } = request as { readonly target: { readonly name: string } };
      if (known !== undefined) last.set(key, { ...known, spec: { ...known.spec, nodeName: target.name } });
      return effect;
    }
    const answer = response as (Partial<PodObject> & { readonly kind?: string }) | undefined;
    if (answer?.spec?.containers !== undefined) {
      last.set(key, answer as PodObject);
      return effect;
    }
    if (answer?.kind !== "PartialObjectMetadata" || answer.metadata === undefined || known === undefined) return effect;
    const whole = { ...known, status: { phase: "Pending", ...known.status }, metadata: answer.metadata };
    last.set(key, whole);
    return { ...effect, response: whole };
  };
}
