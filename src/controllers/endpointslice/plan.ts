/**
 * What to do about a Service's slices of one address type, as data. Source: endpointslice v0.36 reconciler.go reconcileByAddressType,
 * utils.go podToEndpoint, newEndpointSlice.
 */
import { addressesOf, hasEndpoints, hostnameOf } from "../../api/endpoints/pod-endpoint.ts";
import type { IpFamily } from "../../api/ip-address.ts";
import type { Endpoint, EndpointPort, EndpointSlice, Node, Pod, Service } from "../../api/types.ts";
import { isPodReady } from "../../controller/workload/pod-status.ts";
import { endpointKey, portsOf } from "../../controller/workload/service/slice-content.ts";
import { portsKey } from "../../controller/workload/service/slice-ports.ts";
import { type UnwantedSlice, unwantedSlices } from "../../controller/workload/service/slice-rules.ts";
import { type Placement, placeEndpoints, type PlaceOptions } from "./place.ts";
import { portsAt } from "./ports.ts";
import { draftOf, isOwnedBy, isPlaceholder, labelsFor, lacksLabels, type SliceDraft } from "./slice.ts";

/** The zone of a node, in its labels. */
export const zoneLabel = "topology.kubernetes.io/zone";

/** The input of a plan. */
export interface PlanInput {
  readonly service: Service;
  /** The pods that the Service selects. */
  readonly pods: readonly Pod[];
  /** The Service's slices of this address type. */
  readonly existing: readonly EndpointSlice[];
  readonly addressType: IpFamily;
  readonly maxPerSlice: number;
  readonly nodeNamed: (name: string) => Node | undefined;
}

/** What to write, and the pods left out because their nodes are missing. */
export interface SlicePlan {
  readonly create: readonly SliceDraft[];
  readonly update: readonly SliceDraft[];
  readonly remove: readonly UnwantedSlice[];
  readonly unchanged: readonly EndpointSlice[];
  readonly withoutNode: readonly Pod[];
}

/** Computes a plan, without hints. */
export function planSlices(input: PlanInput): SlicePlan {
  const { service, existing } = input;
  const [owned, foreign] = [
    existing.filter((each) => isOwnedBy(each, service)),
    existing.filter((each) => !isOwnedBy(each, service)),
  ];
  const { groups, withoutNode } = desiredEndpoints(input);
  const existingByPorts = new Map<string, EndpointSlice[]>();
  for (const slice of owned) {
    const key = portsKey(portsOf(slice));
    existingByPorts.set(key, [...(existingByPorts.get(key) ?? []), slice]);
  }
  const placed: Placement[] = [...groups].map(([key, { ports, endpoints }]) =>
    placeEndpoints({ existing: existingByPorts.get(key) ?? [], desired: endpoints }, placeOptions(input, ports)),
  );
  const unwanted = [...existingByPorts].filter(([key]) => !groups.has(key)).flatMap(([, slices]) => slices);
  return withPlaceholder(input, {
    create: placed.flatMap(({ create }) => create),
    update: placed.flatMap(({ update }) => update),
    remove: [
      ...unwantedSlices("it is of an earlier Service of this name", foreign),
      ...unwantedSlices(
        "none of its endpoints is desired",
        placed.flatMap(({ remove }) => remove),
      ),
      ...unwantedSlices("no pod has its ports", unwanted),
    ],
    unchanged: placed.flatMap(({ unchanged }) => unchanged),
    withoutNode,
  });
}

/** A Service has at least one slice, which shows that it was processed. */
function withPlaceholder(input: PlanInput, plan: SlicePlan): SlicePlan {
  const { existing, service } = input;
  const { create, remove } = plan;
  if (create.length > 0 || remove.length !== existing.length) return plan;
  const [only] = remove;
  if (only !== undefined && remove.length === 1 && isPlaceholder(only.slice, service))
    return { ...plan, remove: [], unchanged: [only.slice] };
  return { ...plan, create: [emptySlice(input, [])] };
}

interface Group {
  readonly ports: readonly EndpointPort[];
  /** By `endpointKey`. */
  readonly endpoints: Map<string, Endpoint>;
}

interface Desired {
  /** By their endpoints' ports. A pod without an address of this type yields a group without endpoints. */
  readonly groups: ReadonlyMap<string, Group>;
  readonly withoutNode: readonly Pod[];
}

function desiredEndpoints({ service, pods, addressType, nodeNamed }: PlanInput): Desired {
  const groups = new Map<string, Group>();
  const withoutNode: Pod[] = [];
  for (const pod of pods) {
    if (!hasEndpoints(pod)) continue;
    const ports = portsAt(pod, service);
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: new Map<string, Endpoint>() };
    groups.set(key, group);
    const node = nodeNamed(pod.spec?.nodeName ?? "");
    if (node === undefined && service.spec?.publishNotReadyAddresses !== true) {
      withoutNode.push(pod);
      continue;
    }
    const endpoint = endpointOf(pod, { service, node, addressType });
    if (endpoint.addresses.length > 0) group.endpoints.set(endpointKey(endpoint), endpoint);
  }
  return { groups, withoutNode };
}

function endpointOf(
  pod: Pod,
  { service, node, addressType }: Pick<PlanInput, "service" | "addressType"> & { readonly node: Node | undefined },
): Endpoint {
  const { namespace, name, uid, deletionTimestamp } = pod.metadata;
  const serving = isPodReady(pod);
  const terminating = deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const nodeName = pod.spec?.nodeName ?? "";
  const zone = node?.metadata.labels?.[zoneLabel] ?? "";
  const hostname = hostnameOf(pod, service);
  return {
    addresses: [...addressesOf(pod, addressType)].sort(),
    conditions: { ready, serving, terminating },
    ...(hostname !== undefined && { hostname }),
    targetRef: { kind: "Pod", ...(namespace !== undefined && { namespace }), name, uid },
    ...(nodeName !== "" && { nodeName }),
    ...(zone !== "" && { zone }),
  };
}

function placeOptions(input: PlanInput, ports: readonly EndpointPort[]): PlaceOptions {
  const { service, maxPerSlice } = input;
  return {
    maxPerSlice,
    labels: labelsFor(service),
    fresh: () => emptySlice(input, ports),
    draftOf,
    lacksLabels: (slice) => lacksLabels(slice, service),
  };
}

function emptySlice({ service, addressType }: PlanInput, ports: readonly EndpointPort[]): SliceDraft {
  return { addressType, ports, labels: labelsFor(service), endpoints: [] };
}
