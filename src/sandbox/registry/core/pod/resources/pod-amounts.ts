/** The total requests or limits of a pod. Source: component-helpers v0.36 resource/helpers.go PodRequests, PodLimits. */
import { addQuantities, parseQuantity } from "../../../../../api/quantity.ts";
import type { Amounts } from "../../../../../api/quota/amounts.ts";
import { amountsTogether } from "../../../../../api/quota/together.ts";
import { at, fieldsIn, isFields, type Fields } from "../../../../meta/object.ts";

/** The quantities of a resource list; invalid ones are left out. */
export function amountsIn(list: unknown): Amounts {
  const amounts: Amounts = new Map();
  if (!isFields(list)) return amounts;
  for (const name of Object.keys(list)) {
    const quantity = parseQuantity(String(list[name]));
    if (quantity !== undefined) amounts.set(name, quantity);
  }
  return amounts;
}

/** The sum of containers and sidecars or, if greater, what the largest init container needs plus the sidecars started before it. */
export function containerAmounts(spec: Fields, key: "requests" | "limits"): Amounts {
  const own = (container: Fields): Amounts => amountsIn(at(container, "resources", key));
  return amountsTogether(
    fieldsIn(spec["containers"]).map(own),
    fieldsIn(spec["initContainers"]).map((container) => ({
      isSidecar: container["restartPolicy"] === "Always",
      amounts: own(container),
    })),
  );
}

/** Including the pod's overhead; pod-level resources override those of the containers. */
export function podAmounts(spec: Fields, key: "requests" | "limits"): Amounts {
  const total = containerAmounts(spec, key);
  for (const [name, quantity] of amountsIn(at(spec, "resources", key))) total.set(name, quantity);
  const overhead = amountsIn(spec["overhead"]);
  // Overhead is not added to a limit that does not exist.
  for (const [name, quantity] of overhead) {
    const there = total.get(name);
    if (key === "requests" || there !== undefined)
      total.set(name, there === undefined ? quantity : addQuantities(there, quantity));
  }
  return total;
}
