/**
 * What of Endpoints is in slices: which of them are mirrored at all, and the endpoints of each address type and set of ports.
 * Source: kubernetes v1.36 pkg/controller/endpointslicemirroring/reconciler.go reconcile, reconciler_helpers.go, utils.go.
 */
import { canonicalAddress, type IpFamily } from "../../api/ip-address.ts";
import type { Endpoint, EndpointPort, Endpoints, Service } from "../../api/types.ts";
import { endpointKey } from "../../controller/workload/service/slice-content.ts";
import { inOrder, portsKey } from "../../controller/workload/service/slice-ports.ts";
import { type Address, type Port, repack } from "../../controller/workload/service/subsets.ts";

/** The label by which Endpoints are left out. */
export const skipMirrorLabel = "endpointslice.kubernetes.io/skip-mirror";
/** Endpoints in which older programs elect their leaders. Source: client-go v0.36 tools/leaderelection/resourcelock/interface.go. */
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader";

/** Why Endpoints have no slices of this controller. */
export type NotMirrored =
  | "the Endpoints are gone"
  | "the Endpoints have the label skip-mirror"
  | "the Endpoints are a lock of leader election"
  | "there is no Service of this name"
  | "the Service has a selector";

/** Whether the Endpoints by themselves keep this controller away. */
export function whySkipped({ metadata: { labels, annotations } }: Endpoints): NotMirrored | undefined {
  if (labels?.[skipMirrorLabel] === "true") return "the Endpoints have the label skip-mirror";
  return annotations?.[leaderAnnotation] === undefined ? undefined : "the Endpoints are a lock of leader election";
}

/** Whether a Service leaves its Endpoints to others. On the wire an empty selector is none. */
export function hasSelector({ spec }: Service): boolean {
  return spec?.selector !== undefined && Object.keys(spec.selector).length > 0;
}

/** The endpoints that slices of one address type and one set of ports have. */
export interface Group {
  readonly addressType: IpFamily;
  readonly ports: readonly EndpointPort[];
  /** By `endpointKey`. There may be more than a slice takes, if several subsets have these ports. */
  readonly endpoints: Map<string, Endpoint>;
}

/** What slices of the Endpoints say, and how many addresses they do not have. */
export interface Mirrored {
  /** By `groupKey`. There is one of each address type for each set of ports, with or without endpoints. */
  readonly groups: ReadonlyMap<string, Group>;
  /** Addresses that are none. */
  readonly invalid: number;
  /** All addresses that are left out: the invalid ones, and those beyond the maximum of a subset. */
  readonly skipped: number;
}

const asRead = { tellsAppProtocolsApart: true } as const;
const families: readonly IpFamily[] = ["IPv4", "IPv6"];

/** Equal for what one slice may have. */
export function groupKey(addressType: string, ports: readonly EndpointPort[]): string {
  return `${addressType} ${portsKey(ports)}`;
}

/** Of each subset, in its one form, the first addresses count, the ready ones before the others. */
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
