/**
 * Simulated usage and metrics of pods, from annotations (docs/sandbox-annotations.md). A pod's annotation is about that pod; a workload's
 * is the total of all its ready pods.
 */
import { isTrue } from "../meta/conditions.ts";
import { parseQuantity, type Quantity } from "../../api/quantity.ts";
import type { Server } from "../context/server.ts";
import { simulationPrefix } from "../meta/simulation.ts";
import { at, fieldsIn, isFields, textOf, type ApiObject, type Fields } from "../meta/object.ts";

/** The quantity in an annotation (`250m`); undefined if it is missing or invalid. */
export function annotated({ metadata: { annotations = {} } }: ApiObject, name: string): Quantity | undefined {
  const text = annotations[`${simulationPrefix}${name}`];
  return text === undefined ? undefined : parseQuantity(text);
}

/** Usage of one container. */
export interface ContainerUsage {
  readonly name: string;
  readonly cpu: Quantity;
  readonly memory: Quantity;
}

/** The load of pods during one request: pods are listed once, and the pods of a workload counted once. */
export interface SimulatedLoad {
  /** The running pods of a namespace, or of all. */
  running(namespace: string): readonly ApiObject[];
  /** The pod's value of a metric, its own or its share of its workload's; undefined if there is none. */
  shareOf(pod: ApiObject, metric: string): Quantity | undefined;
  /** Usage of the containers of a running pod. A value for the whole pod is divided among them; CPU is capped at the limit. */
  usageOf(pod: ApiObject): readonly ContainerUsage[];
}

/** The load of a server as it is now. */
export function simulatedLoad(server: Server): SimulatedLoad {
  const running = remembered((namespace: string) => runningPods(server, namespace));
  const ownersOf = remembered((pod: ApiObject) => ownersAbove(server, pod));
  const topOf = (pod: ApiObject): string => textOf(ownersOf(pod).at(-1)?.metadata.uid);
  /** The number of a namespace's pods that share a workload's value, by workload. */
  const sharing = remembered((of: string) => {
    // Namespaces contain no slash.
    const slash = of.indexOf("/");
    const [namespace, metric] = [of.slice(0, slash), of.slice(slash + 1)];
    const counts = new Map<string, number>();
    for (const pod of running(namespace)) {
      if (isTrue(pod, "Ready") && annotated(pod, metric) === undefined)
        counts.set(topOf(pod), (counts.get(topOf(pod)) ?? 0) + 1);
    }
    return counts;
  });
  const shareOf = (pod: ApiObject, metric: string): Quantity | undefined => {
    const own = annotated(pod, metric);
    if (own !== undefined) return own;
    // The topmost workload's: Deployments copy theirs to their ReplicaSets.
    const inherited = ownersOf(pod).map((owner) => annotated(owner, metric));
    const total = inherited.findLast((quantity) => quantity !== undefined);
    if (total === undefined) return undefined;
    if (!isTrue(pod, "Ready")) return { nano: 0n, format: total.format };
    const pods = sharing(`${textOf(pod.metadata.namespace)}/${metric}`).get(topOf(pod)) ?? 1;
    return { nano: total.nano / BigInt(pods), format: total.format };
  };
  return { running, shareOf, usageOf: (pod) => usageOf(pod, (metric) => shareOf(pod, metric)) };
}

/** A function that caches its results. */
function remembered<A, R>(work: (argument: A) => R): (argument: A) => R {
  const known = new Map<A, R>();
  return (argument) => {
    const before = known.get(argument);
    if (before !== undefined) return before;
    const result = work(argument);
    known.set(argument, result);
    return result;
  };
}

function runningPods(server: Server, namespace: string): readonly ApiObject[] {
  const range = namespace === "" ? {} : { namespace };
  const all = [...server.store.collection("pods", true).range(range)].map(({ object }) => object);
  return all.filter(
    ({ status, metadata }) => status?.["phase"] === "Running" && metadata.deletionTimestamp === undefined,
  );
}

/** The maximum length of a chain of owners. */
const highest = 8;

/** The controllers of an object, from its own upwards. */
function ownersAbove(server: Server, object: ApiObject): readonly ApiObject[] {
  const owners: ApiObject[] = [];
  let below: ApiObject | undefined = object;
  while (below !== undefined && owners.length < highest) {
    below = controllerOf(server, below);
    if (below !== undefined) owners.push(below);
  }
  return owners;
}

function controllerOf(server: Server, { metadata }: ApiObject): ApiObject | undefined {
  const reference = fieldsIn(metadata.ownerReferences).find(({ controller }) => controller === true);
  if (reference === undefined) return undefined;
  const resource = server.registry.ofKind(textOf(reference["apiVersion"]), textOf(reference["kind"]));
  if (resource === undefined) return undefined;
  const { storage, namespaced } = server.registry.stored(resource);
  const namespace = namespaced ? textOf(metadata.namespace) : "";
  const owner = server.store.collection(storage, namespaced).get(namespace, textOf(reference["name"]))?.object;
  return owner?.metadata.uid === reference["uid"] ? owner : undefined;
}

const nothing: Quantity = { nano: 0n, format: "decimal" };
const noBytes: Quantity = { nano: 0n, format: "binary" };

function usageOf(pod: ApiObject, ofPod: (metric: string) => Quantity | undefined): readonly ContainerUsage[] {
  const containers = fieldsIn(pod.spec?.["containers"]);
  const of = (container: Fields, resource: string): Quantity | undefined => {
    const own = annotated(pod, `${resource}.${textOf(container["name"])}`);
    if (own !== undefined) return own;
    const whole = ofPod(resource);
    return whole && { ...whole, nano: whole.nano / BigInt(containers.length) };
  };
  return containers.map((container) => ({
    name: textOf(container["name"]),
    cpu: throttled(of(container, "cpu") ?? nothing, container),
    memory: of(container, "memory") ?? noBytes,
  }));
}

function throttled(cpu: Quantity, container: Fields): Quantity {
  const limits = at(container, "resources", "limits");
  const limit = isFields(limits) ? parseQuantity(textOf(limits["cpu"])) : undefined;
  return limit !== undefined && limit.nano < cpu.nano ? { ...cpu, nano: limit.nano } : cpu;
}
