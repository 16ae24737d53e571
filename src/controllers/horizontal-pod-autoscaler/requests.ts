/**
 * What pods request of the measured resource, in thousandths. Pure.
 * Source: kubernetes v1.36 pkg/controller/podautoscaler/replica_calculator.go calculateRequests; component-helpers v0.36
 * resource/helpers.go PodRequests.
 */
import { milliValue, parseQuantity, type Quantity } from "../../api/quantity.ts";
import type { Container, Pod } from "../../api/types.ts";

/** Which requests to read. */
export interface Requested {
  /** `cpu`, `memory`. */
  readonly resource: string;
  /** Of this container only; undefined for the whole pod. */
  readonly container: string | undefined;
}

/**
 * By the pods' names. For a whole pod, its pod-level requests if it has any; otherwise the sum over its containers and sidecars.
 * @throws Error if a container has no request, or a pod lacks the container.
 */
export function requestsOf(pods: readonly Pod[], requested: Requested): ReadonlyMap<string, bigint> {
  return new Map(pods.map((pod) => [pod.metadata.name, requestOf(pod, requested)]));
}

function requestOf(pod: Pod, { resource, container }: Requested): bigint {
  if (container === undefined && hasPodLevelRequests(pod)) return podLevelRequest(pod, resource);
  const { name } = pod.metadata;
  let sum = 0n;
  for (const each of [...(pod.spec?.containers ?? []), ...sidecars(pod)]) {
    if (container !== undefined && container !== each.name) continue;
    const request = quantityOf(each, resource);
    if (request === undefined)
      throw new Error(`missing request for ${resource} in container ${each.name} of Pod ${name}`);
    sum += milliValue(request);
    if (container !== undefined) return sum;
  }
  if (container !== undefined) throw new Error(`container ${container} not found in Pod ${name}`);
  return sum;
}

/** Init containers that keep running beside the others. */
function sidecars({ spec }: Pod): readonly Container[] {
  return (spec?.initContainers ?? []).filter(isSidecar);
}

function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === "Always";
}

function quantityOf({ resources }: Pick<Container, "resources">, resource: string): Quantity | undefined {
  const text = resources?.requests?.[resource];
  return text === undefined ? undefined : parseQuantity(text);
}

function isPodLevelResource(name: string): boolean {
  return name === "cpu" || name === "memory" || name.startsWith("hugepages-");
}

function hasPodLevelRequests({ spec }: Pod): boolean {
  return Object.keys(spec?.resources?.requests ?? {}).some(isPodLevelResource);
}

/** @throws Error if neither the pod nor any of its containers requests the resource. */
function podLevelRequest({ metadata, spec }: Pod, resource: string): bigint {
  const own = isPodLevelResource(resource) ? quantityOf(spec ?? {}, resource) : undefined;
  const request = own?.nano ?? ofContainers(spec, resource);
  const overhead = parseQuantity(spec?.overhead?.[resource] ?? "")?.nano;
  if (request === undefined && overhead === undefined)
    throw new Error(`missing pod-level request for ${resource} in Pod ${metadata.name}`);
  return milliValue({ nano: (request ?? 0n) + (overhead ?? 0n), format: "decimal" });
}

/** The larger of two sums, running and starting: an init container runs beside the sidecars before it. In billionths. */
function ofContainers(spec: Pod["spec"], resource: string): bigint | undefined {
  const nanoOf = (container: Container): bigint | undefined => quantityOf(container, resource)?.nano;
  const [main, init] = [spec?.containers ?? [], spec?.initContainers ?? []];
  if ([...main, ...init].every((container) => nanoOf(container) === undefined)) return undefined;
  let together = 0n;
  for (const container of main) together += nanoOf(container) ?? 0n;
  let beside = 0n;
  let starting = 0n;
  for (const container of init) {
    const nano = nanoOf(container) ?? 0n;
    const now = beside + nano;
    if (isSidecar(container)) {
      beside = now;
      together += nano;
    }
    if (now > starting) starting = now;
  }
  return together > starting ? together : starting;
}
