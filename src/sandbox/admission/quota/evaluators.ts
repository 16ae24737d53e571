/** What objects of a kind take of a quota, and when that is looked at. Source: kubernetes v1.36 pkg/quota/v1/evaluator/core. */
import { parseQuantity, type Quantity } from "../../../api/quantity.ts";
import { at, fieldsIn, textOf, type ApiObject, type Fields } from "../../object.ts";
import { amountsIn, podAmounts, type Amounts } from "../../registry/pod-amounts.ts";
import type { Resource } from "../../registry/resource.ts";
import { claimInScope, isTerminating, podInScope, type InScope } from "./scopes.ts";

const one: Quantity = { nano: 1_000_000_000n, format: "decimal" };
const times = (count: number): Quantity => ({ nano: one.nano * BigInt(count), format: "decimal" });

export interface Evaluator {
  /** Whether a name in a quota is about objects of this kind. */
  matches(name: string): boolean;
  usage(object: ApiObject): Amounts;
  /** Without it, a quota with scopes is not about this kind. */
  readonly inScope?: InScope;
  /** Whether an update may take more; without it only new objects are counted. */
  readonly countsUpdate?: (subresource: string, object: ApiObject, old: ApiObject) => boolean;
  /** Of the names that a quota sets: those that containers must ask for and do not, with the containers' names. */
  readonly unspecified?: (object: ApiObject, names: readonly string[]) => ReadonlyMap<string, readonly string[]>;
}

const requested = new Set(["cpu", "memory", "ephemeral-storage"]);
const podNames = new Set([
  "pods",
  "count/pods",
  ...[...requested].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);

function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const usage: Amounts = new Map([["pods", one]]);
  for (const [name, quantity] of requests) {
    if (requested.has(name) || name.startsWith("hugepages-")) usage.set(name, quantity);
    usage.set(`requests.${name}`, quantity);
  }
  for (const [name, quantity] of limits) if (requested.has(name)) usage.set(`limits.${name}`, quantity);
  return usage;
}

const mustBeSaid = new Set(["cpu", "memory"].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]));

const pods: Evaluator = {
  matches: (name) =>
    podNames.has(name) ||
    name.startsWith("hugepages-") ||
    name.startsWith("requests.hugepages-") ||
    (name.startsWith("requests.") && name.includes("/") && !name.includes(".kubernetes.io/")),
  usage(pod) {
    const phase = pod.status?.["phase"];
    if (phase === "Succeeded" || phase === "Failed") return new Map([["count/pods", one]]);
    const spec = pod.spec ?? {};
    const usage = computeUsage(podAmounts(spec, "requests"), podAmounts(spec, "limits"));
    return usage.set("count/pods", one);
  },
  inScope: podInScope,
  countsUpdate: (subresource, pod, old) =>
    subresource === "resize" || (subresource === "" && isTerminating(pod) !== isTerminating(old)),
  unspecified({ spec = {} }, names) {
    const missing = new Map<string, string[]>();
    const wanted = names.filter((name) => mustBeSaid.has(name));
    if (amountsIn(at(spec, "resources", "requests")).size + amountsIn(at(spec, "resources", "limits")).size > 0)
      return missing;
    for (const container of [...fieldsIn(spec["containers"]), ...fieldsIn(spec["initContainers"])]) {
      const [requests, limits] = ["requests", "limits"].map((key) => amountsIn(at(container, "resources", key)));
      const said = computeUsage(requests ?? new Map(), limits ?? new Map());
      for (const name of wanted) {
        if (!said.has(name)) missing.set(name, [...(missing.get(name) ?? []), textOf(container["name"])]);
      }
    }
    return missing;
  },
};

const serviceNames = new Set(["services", "services.nodeports", "services.loadbalancers", "count/services"]);

function nodePortsOf(spec: Fields): number {
  const ports = fieldsIn(spec["ports"]);
  if (spec["type"] === "NodePort") return ports.length;
  if (spec["type"] !== "LoadBalancer") return 0;
  if (spec["allocateLoadBalancerNodePorts"] !== false) return ports.length;
  return ports.filter(({ nodePort }) => typeof nodePort === "number" && nodePort !== 0).length;
}

const services: Evaluator = {
  matches: (name) => serviceNames.has(name),
  usage: ({ spec = {} }) =>
    new Map([
      ["count/services", one],
      ["services", one],
      ["services.loadbalancers", times(spec["type"] === "LoadBalancer" ? 1 : 0)],
      ["services.nodeports", times(nodePortsOf(spec))],
    ]),
  countsUpdate: (subresource) => subresource === "",
};

const claimNames = ["persistentvolumeclaims", "requests.storage"];
const ofClass = ".storageclass.storage.k8s.io/";

const claims: Evaluator = {
  matches: (name) =>
    name === "count/persistentvolumeclaims" ||
    claimNames.includes(name) ||
    claimNames.some((claimName) => name.endsWith(ofClass + claimName)),
  usage({ metadata, spec = {}, status }) {
    const usage: Amounts = new Map([
      ["count/persistentvolumeclaims", one],
      ["persistentvolumeclaims", one],
    ]);
    const annotated = metadata.annotations?.["volume.beta.kubernetes.io/storage-class"];
    const storageClass = annotated ?? textOf(spec["storageClassName"]);
    if (storageClass !== "") usage.set(`${storageClass}${ofClass}persistentvolumeclaims`, one);
    const asked = parseQuantity(textOf(at(spec, "resources", "requests", "storage")));
    if (asked === undefined) return usage;
    const allocated = parseQuantity(textOf(at(status, "allocatedResources", "storage")));
    const storage = allocated !== undefined && allocated.nano > asked.nano ? allocated : asked;
    usage.set("requests.storage", storage);
    if (storageClass !== "") usage.set(`${storageClass}${ofClass}requests.storage`, storage);
    return usage;
  },
  inScope: claimInScope,
  countsUpdate: (subresource) => subresource === "",
};

/** Kinds that are counted by their plain name too. */
const counted = new Set(["configmaps", "secrets", "replicationcontrollers", "resourcequotas"]);

function countOf({ group, plural }: Resource): Evaluator {
  const names = [group === "" ? `count/${plural}` : `count/${plural}.${group}`];
  if (group === "" && counted.has(plural)) names.push(plural);
  return { matches: (name) => names.includes(name), usage: () => new Map(names.map((name) => [name, one])) };
}

const evaluators: Readonly<Record<string, Evaluator>> = { pods, services, persistentvolumeclaims: claims };

export function evaluatorOf(resource: Resource): Evaluator {
  return evaluators[resource.storage] ?? countOf(resource);
}
