/** Quota checks besides usage. Source: kubernetes v1.36 pkg/quota/v1/evaluator/core. */
import { isTerminating } from "../../../api/quota/scopes.ts";
import type { Pod } from "../../../api/types.ts";
import { at, fieldsIn, textOf, type ApiObject } from "../../meta/object.ts";
import { amountsIn } from "../../registry/core/pod/resources/pod-amounts.ts";
import type { Resource } from "../../registry/resource.ts";

/** An update that quotas may charge. */
export interface Update {
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly object: ApiObject;
  readonly old: ApiObject;
}

/** True if an update may consume more quota; for other kinds only creates are charged. */
export function chargesUpdate({ group, plural }: Resource, { subresource, object, old }: Update): boolean {
  if (group !== "") return false;
  if (plural === "pods" && subresource === "") return isTerminating(asPod(object)) !== isTerminating(asPod(old));
  if (plural === "pods") return subresource === "resize";
  return (plural === "services" || plural === "persistentvolumeclaims") && subresource === "";
}

/** Pods are loosely typed in the store; they were validated before. */
const asPod = (object: ApiObject): Pod => object as unknown as Pod;

/** Resources under quota that each container must specify, and in which field. */
const mustSpecify: ReadonlyMap<string, readonly ["requests" | "limits", "cpu" | "memory"]> = new Map([
  ["cpu", ["requests", "cpu"]],
  ["memory", ["requests", "memory"]],
  ["requests.cpu", ["requests", "cpu"]],
  ["requests.memory", ["requests", "memory"]],
  ["limits.cpu", ["limits", "cpu"]],
  ["limits.memory", ["limits", "memory"]],
]);

/** The given names that containers of a pod must specify but do not, with the names of these containers. */
export function unspecified(
  { spec = {} }: ApiObject,
  names: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const missing = new Map<string, string[]>();
  const ofPod = [...amountsIn(at(spec, "resources", "requests")), ...amountsIn(at(spec, "resources", "limits"))];
  if (ofPod.length > 0) return missing;
  for (const container of [...fieldsIn(spec["containers"]), ...fieldsIn(spec["initContainers"])]) {
    for (const name of names) {
      const place = mustSpecify.get(name);
      if (place === undefined || amountsIn(at(container, "resources", place[0])).has(place[1])) continue;
      missing.set(name, [...(missing.get(name) ?? []), textOf(container["name"])]);
    }
  }
  return missing;
}
