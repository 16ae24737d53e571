/**
 * What a pod requests of its node.
 * Source: component-helpers v0.36 resource/helpers.go PodRequests; kubernetes v1.36
 * pkg/scheduler/util/pod_resources.go.
 */
import { parseQuantity } from "../../api/quantity.ts";
import type { Container, Pod } from "../../api/types.ts";

/** Amounts by resource: `cpu` in millicores, all others in whole units, rounded up. */
export type Resources = ReadonlyMap<string, number>;

/** A pod's requests, for filtering and for scoring. */
export interface Requests {
  /** The actual requests: they decide whether the pod fits. */
  readonly requested: Resources;
  /** The same with 100m of cpu and 200 MiB for each container without a request: for scoring. */
  readonly scored: Resources;
}

const assumed: Readonly<Record<string, number>> = { cpu: 100, memory: 200 * 1024 * 1024 };

/** The amount of one resource as a number; 0 for an invalid quantity. */
export function amountOf(resource: string, text: string): number {
  const quantity = parseQuantity(text);
  if (quantity === undefined) return 0;
  const unit = resource === "cpu" ? 1_000_000n : 1_000_000_000n;
  return Number((quantity.nano + unit - 1n) / unit);
}

/** A list of quantities (`status.allocatable`, `overhead`) as amounts. */
export function resourcesOf(list: Readonly<Record<string, string>> | undefined): Map<string, number> {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, amountOf(name, text)]));
}

/** Adds `more` to `sum`, in place; subtracts it with sign -1. */
export function addTo(sum: Map<string, number>, more: Resources, sign: 1 | -1 = 1): void {
  for (const [name, amount] of more) sum.set(name, (sum.get(name) ?? 0) + sign * amount);
}

function raiseTo(most: Map<string, number>, other: Resources): void {
  for (const [name, amount] of other) most.set(name, Math.max(most.get(name) ?? 0, amount));
}

const known = new WeakMap<Pod, Requests>();

/** A pod's requests; computed once per object. */
export function requestsOf(pod: Pod): Requests {
  let requests = known.get(pod);
  if (requests === undefined) {
    requests = { requested: sumOf(pod, ofContainer), scored: sumOf(pod, withAssumed) };
    known.set(pod, requests);
  }
  return requests;
}

function ofContainer(container: Container): Map<string, number> {
  return resourcesOf(container.resources?.requests);
}

function withAssumed(container: Container): Map<string, number> {
  const requests = ofContainer(container);
  for (const [name, amount] of Object.entries(assumed)) if (!requests.has(name)) requests.set(name, amount);
  return requests;
}

/**
 * Containers and sidecars run together; each init container runs beside the sidecars started before it. The larger of
 * the two sums counts, plus the overhead.
 */
function sumOf({ spec }: Pod, of: (container: Container) => Map<string, number>): Map<string, number> {
  const together = new Map<string, number>();
  for (const container of spec?.containers ?? []) addTo(together, of(container));
  const sidecars = new Map<string, number>();
  const most = new Map<string, number>();
  for (const container of spec?.initContainers ?? []) {
    const requests = of(container);
    if (container.restartPolicy === "Always") {
      addTo(together, requests);
      addTo(sidecars, requests);
      raiseTo(most, sidecars);
    } else {
      addTo(requests, sidecars);
      raiseTo(most, requests);
    }
  }
  raiseTo(together, most);
  // Pod-level requests replace those of its containers.
  for (const [name, amount] of resourcesOf(spec?.resources?.requests)) together.set(name, amount);
  addTo(together, resourcesOf(spec?.overhead));
  return together;
}
