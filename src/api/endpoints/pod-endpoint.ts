/**
 * What of a pod is in the endpoints of a Service: whether it is at all, its addresses, its ports.
 * Source: endpointslice v0.36 util/controller_utils.go, utils.go.
 */
import { canonicalAddress, type IpFamily } from "../ip-address.ts";
import type { Pod, Service, ServicePort } from "../types.ts";

/** Whether a pod that the selector matches has endpoints: it has an address and has not ended. */
export function hasEndpoints(pod: Pod): boolean {
  const { phase, podIP = "", podIPs = [] } = pod.status ?? {};
  return phase !== "Succeeded" && phase !== "Failed" && (podIP !== "" || podIPs.length > 0);
}

/** The pod's addresses of a family, each in its usual form. */
export function addressesOf(pod: Pod, family: IpFamily): readonly string[] {
  const addresses: string[] = [];
  for (const { ip } of pod.status?.podIPs ?? []) {
    const address = canonicalAddress(ip);
    if (address?.family === family) addresses.push(address.text);
  }
  return addresses;
}

/** The name that the pod has in the Service's DNS zone: its hostname, if its subdomain is the Service. */
export function hostnameOf({ metadata, spec }: Pod, service: Service): string | undefined {
  const { hostname = "", subdomain = "" } = spec ?? {};
  const isIn = subdomain === service.metadata.name && metadata.namespace === service.metadata.namespace;
  return hostname !== "" && isIn ? hostname : undefined;
}

/**
 * The number of the port that a Service's port leads to at this pod: its targetPort, or what a container that stays, a sidecar too,
 * calls by this name. Undefined if none does.
 */
export function targetPortOf({ spec }: Pod, { targetPort, port, protocol = "TCP" }: ServicePort): number | undefined {
  if (targetPort === undefined) return port;
  if (typeof targetPort === "number") return targetPort;
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  for (const { ports = [] } of [...(spec?.containers ?? []), ...sidecars]) {
    const named = ports.find((each) => each.name === targetPort && (each.protocol ?? "TCP") === protocol);
    if (named !== undefined) return named.containerPort;
  }
  return undefined;
}

/** Whether clients get the pods' addresses, because the Service has none of its own. */
export function isHeadless({ spec }: Service): boolean {
  return spec?.clusterIP === "None" || (spec?.clusterIP ?? "") === "";
}

/** The families in which a Service has endpoints. @see getAddressTypesForService */
export function familiesOf({ spec }: Service): readonly IpFamily[] {
  const { ipFamilies = [], clusterIP = "" } = spec ?? {};
  const families = (["IPv4", "IPv6"] as const).filter((family) => ipFamilies.includes(family));
  if (families.length > 0) return families;
  // Written by an older API server, whose controllers must not take all endpoints away.
  if (clusterIP === "" || clusterIP === "None") return ["IPv4", "IPv6"];
  return [clusterIP.includes(":") ? "IPv6" : "IPv4"];
}
