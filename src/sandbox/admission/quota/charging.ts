/** What admission asks of objects beside their usage. Source: kubernetes v1.36 pkg/quota/v1/evaluator/core. */
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

/** True if an update may take more of a quota; of other kinds only new objects are charged. */
export function chargesUpdate({ group, plural }: Resource, { subresource, object, old }: Update): boolean {
  if (group !== "") return false;
  if (plural === "pods" && subresource === "") return isTerminating(asPod(object)) !== isTerminating(asPod(old));
  if (plural === "pods") return subresource === "resize";
  return (plural === "services" || plural === "persistentvolumeclaims") && subresource === "";
}

/** The store holds pods as loosely as they came; they were validated before. */
const asPod = (object: ApiObject): Pod => object as unknown as Pod;

/** Names of a quota that each container has to ask for, and where it says so. */
const mustBeSaid: ReadonlyMap<string, readonly ["requests" | "limits", "cpu" | "memory"]> = new Map([
  ["cpu", ["requests", "cpu"]],
  ["memory", ["requests", "memory"]],
  ["requests.cpu", ["requests", "cpu"]],
  ["requests.memory", ["requests", "memory"]],
  ["limits.cpu", ["limits", "cpu"]],
  ["limits.memory", ["limits", "memory"]],
]);

/** Of the names, those that containers must ask for and do not, with the names of these containers. Of a pod. */
export function unspecified(
  { spec = {} }: ApiObject,
  names: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const missing = new Map<string, string[]>();
  const ofPod = [...amountsIn(at(spec, "resources", "requests")), ...amountsIn(at(spec, "resources", "limits"))];
  if (ofPod.length > 0) return missing;
  for (const container of [...fieldsIn(spec["containers"]), ...fieldsIn(spec["initContainers"])]) {
    for (const name of names) {
      const place = mustBeSaid.get(name);
      if (place === undefined || amountsIn(at(container, "resources", place[0])).has(place[1])) continue;
      missing.set(name, [...(missing.get(name) ?? []), textOf(container["name"])]);
    }
  }
  return missing;
}
