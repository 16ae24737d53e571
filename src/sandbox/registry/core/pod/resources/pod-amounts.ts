/** What a pod asks for as a whole. Source: component-helpers v0.36 resource/helpers.go PodRequests, PodLimits. */
import { addQuantities, parseQuantity } from "../../../../../api/quantity.ts";
import type { Amounts } from "../../../../../api/quota/amounts.ts";
import { amountsTogether } from "../../../../../api/quota/together.ts";
import { at, fieldsIn, isFields, type Fields } from "../../../../meta/object.ts";

/** The quantities of a resource list; what is none is left out. */
export function amountsIn(list: unknown): Amounts {
  const amounts: Amounts = new Map();
  if (!isFields(list)) return amounts;
  for (const name of Object.keys(list)) {
    const quantity = parseQuantity(String(list[name]));
    if (quantity !== undefined) amounts.set(name, quantity);
  }
  return amounts;
}

/** Containers and sidecars together, or what the hungriest init container needs beside the sidecars that started before it, if that is more. */
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

/** With the pod's overhead; resources of the pod as a whole go before those of its containers. */
export function podAmounts(spec: Fields, key: "requests" | "limits"): Amounts {
  const total = containerAmounts(spec, key);
  for (const [name, quantity] of amountsIn(at(spec, "resources", key))) total.set(name, quantity);
  const overhead = amountsIn(spec["overhead"]);
  // A pod without a limit has none with its overhead either.
  for (const [name, quantity] of overhead) {
    const there = total.get(name);
    if (key === "requests" || there !== undefined)
      total.set(name, there === undefined ? quantity : addQuantities(there, quantity));
  }
  return total;
}
