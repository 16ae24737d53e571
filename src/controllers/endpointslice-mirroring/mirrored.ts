/**
 * What Endpoints contribute to slices: whether they are mirrored at all, and the endpoints for each address type and set of ports.
 * Source: kubernetes v1.36 pkg/controller/endpointslicemirroring/reconciler.go reconcile, reconciler_helpers.go, utils.go.
 */
import { canonicalAddress, type IpFamily } from "../../api/ip-address.ts";
import type { Endpoint, EndpointPort, Endpoints, Service } from "../../api/types.ts";
import { endpointKey } from "../../controller/workload/service/slice-content.ts";
import { inOrder, portsKey } from "../../controller/workload/service/slice-ports.ts";
import { type Address, type Port, repack } from "../../controller/workload/service/subsets.ts";

/** The label that excludes Endpoints from mirroring. */
const skipMirrorLabel = "endpointslice.kubernetes.io/skip-mirror";
/**
 * The annotation of Endpoints that older programs use for leader election. Source: client-go v0.36
 * tools/leaderelection/resourcelock/interface.go.
 */
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader";

/** Why this controller keeps no slices for Endpoints. */
export type NotMirrored =
  | "the Endpoints are gone"
  | "the Endpoints have the label skip-mirror"
  | "the Endpoints are a lock of leader election"
  | "there is no Service of this name"
  | "the Service has a selector";

/** Why the Endpoints themselves exclude mirroring. */
export function whySkipped({ metadata: { labels, annotations } }: Endpoints): NotMirrored | undefined {
  if (labels?.[skipMirrorLabel] === "true") return "the Endpoints have the label skip-mirror";
  return annotations?.[leaderAnnotation] === undefined ? undefined : "the Endpoints are a lock of leader election";
}

/** Whether the Service has a selector, so that its Endpoints are managed. On the wire, an empty selector is none. */
export function hasSelector({ spec }: Service): boolean {
  return spec?.selector !== undefined && Object.keys(spec.selector).length > 0;
}

/** The endpoints of the slices with one address type and one set of ports. */
export interface Group {
  readonly addressType: IpFamily;
  readonly ports: readonly EndpointPort[];
  /** By `endpointKey`. May exceed the capacity of a slice, if several subsets have these ports. */
  readonly endpoints: Map<string, Endpoint>;
}

/** What slices of the Endpoints should contain, and how many addresses they leave out. */
export interface Mirrored {
  /** By `groupKey`. One for each address type and set of ports, with or without endpoints. */
  readonly groups: ReadonlyMap<string, Group>;
  /** Invalid addresses. */
  readonly invalid: number;
  /** All skipped addresses: invalid ones, and those beyond the maximum of a subset. */
  readonly skipped: number;
}

const asRead = { distinguishesAppProtocols: true } as const;
const families: readonly IpFamily[] = ["IPv4", "IPv6"];

/** Equal for endpoints that may share a slice. */
export function groupKey(addressType: string, ports: readonly EndpointPort[]): string {
  return `${addressType} ${portsKey(ports)}`;
}

/** Of each subset, in canonical form, the first addresses count, ready ones before others. */
export function mirrored({ subsets = [] }: Endpoints, maxPerSubset: number): Mirrored {
  const groups = new Map<string, Group>();
  let [invalid, skipped] = [0, 0];
  for (const { addresses = [], notReadyAddresses = [], ports: subsetPorts = [] } of repack(subsets, asRead)) {
    const ports = inOrder(subsetPorts.map(portOf));
    for (const addressType of families) {
      const key = groupKey(addressType, ports);
      if (!groups.has(key)) groups.set(key, { addressType, ports, endpoints: new Map<string, Endpoint>() });
    }
    const all = [
      ...addresses.map((address) => ({ address, ready: true })),
      ...notReadyAddresses.map((address) => ({ address, ready: false })),
    ];
    let added = 0;
    for (const { address, ready } of all) {
      if (added >= maxPerSubset) break;
      const found = canonicalAddress(address.ip);
      if (found === undefined) {
        invalid++;
        continue;
      }
      added++;
      const endpoint = endpointOf(address, { address: found.text, ready });
      groups.get(groupKey(found.family, ports))?.endpoints.set(endpointKey(endpoint), endpoint);
    }
    skipped += all.length - added;
  }
  return { groups, invalid, skipped };
}

function portOf({ name = "", port, protocol = "TCP", appProtocol }: Port): EndpointPort {
  return { name, port, protocol, ...(appProtocol !== undefined && { appProtocol }) };
}

function endpointOf(
  { targetRef, nodeName, hostname = "" }: Address,
  { address, ready }: { readonly address: string; readonly ready: boolean },
): Endpoint {
  return {
    addresses: [address],
    conditions: { ready },
    ...(hostname !== "" && { hostname }),
    ...(targetRef !== undefined && { targetRef }),
    ...(nodeName !== undefined && { nodeName }),
  };
}
