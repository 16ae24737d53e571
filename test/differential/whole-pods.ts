/**
 * Reconstructs the pods that were written to. Our controllers request only the metadata of a response if they need no more, so the log
 * contains no more; the rest of the pod is taken from the latest response to any client.
 */
import type { Effect } from "../support/audit-log.ts";
import type { PodObject } from "./objects.ts";

/** Returns a function that takes the effects of all clients in log order and returns each with the whole pod as its response. */
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
    const body = response as (Partial<PodObject> & { readonly kind?: string }) | undefined;
    if (body?.spec?.containers !== undefined) {
      last.set(key, body as PodObject);
      return effect;
    }
    if (body?.kind !== "PartialObjectMetadata" || body.metadata === undefined || known === undefined) return effect;
    const whole = { ...known, status: { phase: "Pending", ...known.status }, metadata: body.metadata };
    last.set(key, whole);
    return { ...effect, response: whole };
  };
}
