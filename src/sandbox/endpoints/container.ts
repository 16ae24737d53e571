/** The container that a pod's request names. Source: kubernetes v1.36 pkg/registry/core/pod/strategy.go validateContainer. */
import { fieldsIn, textOf, type ApiObject } from "../meta/object.ts";
import { badRequest } from "../meta/refusal.ts";

const namesIn = (list: unknown): string[] => fieldsIn(list).map(({ name }) => textOf(name));

/** The requested container, or the only one. @throws StatusError 400. */
export function containerOf({ metadata, spec = {} }: ApiObject, requested: string): string {
  const containers = namesIn(spec["containers"]);
  const all = [...namesIn(spec["initContainers"]), ...containers, ...namesIn(spec["ephemeralContainers"])];
  const { name = "" } = metadata;
  if (requested !== "") {
    if (all.includes(requested)) return requested;
    throw badRequest(`container ${requested} is not valid for pod ${name}`);
  }
  const [only, ...more] = containers;
  if (only !== undefined && more.length === 0) return only;
  const choice = only === undefined ? "" : `, choose one of: [${all.join(" ")}]`;
  throw badRequest(`a container name must be specified for pod ${name}${choice}`);
}
