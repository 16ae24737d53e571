/**
 * What a pod contributes to the endpoints of a Service: whether it has any, its addresses, its ports.
 * Source: endpointslice v0.36 util/controller_utils.go, utils.go.
 */
import { canonicalAddress, type IpFamily } from "../ip-address.ts";
import type { Pod, Service, ServicePort } from "../types.ts";

/** Whether a pod that the selector matches has endpoints: it has an address and has not terminated. */
export function hasEndpoints(pod: Pod): boolean {
  const { phase, podIP = "", podIPs = [] } = pod.status ?? {};
  return phase !== "Succeeded" && phase !== "Failed" && (podIP !== "" || podIPs.length > 0);
}

/** The pod's addresses of a family, each in canonical form. */
export function addressesOf(pod: Pod, family: IpFamily): readonly string[] {
  const addresses: string[] = [];
  for (const { ip } of pod.status?.podIPs ?? []) {
    const address = canonicalAddress(ip);
    if (address?.family === family) addresses.push(address.text);
  }
  return addresses;
}

/** The pod's name in the Service's DNS zone: its hostname, if its subdomain is the Service. */
export function hostnameOf({ metadata, spec }: Pod, service: Service): string | undefined {
  const { hostname = "", subdomain = "" } = spec ?? {};
  const isIn = subdomain === service.metadata.name && metadata.namespace === service.metadata.namespace;
  return hostname !== "" && isIn ? hostname : undefined;
}

/**
 * The pod's port number for a Service port: its targetPort, or the port that a container or sidecar declares under this name. Undefined if
 * none does.
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

/** Whether clients get the pods' addresses because the Service has none. */
export function isHeadless({ spec }: Service): boolean {
  return spec?.clusterIP === "None" || (spec?.clusterIP ?? "") === "";
}

/** The families in which a Service has endpoints. @see getAddressTypesForService */
export function familiesOf({ spec }: Service): readonly IpFamily[] {
  const { ipFamilies = [], clusterIP = "" } = spec ?? {};
  const families = (["IPv4", "IPv6"] as const).filter((family) => ipFamilies.includes(family));
  if (families.length > 0) return families;
  // Written by an older API server: its endpoints must not all be removed.
  if (clusterIP === "" || clusterIP === "None") return ["IPv4", "IPv6"];
  return [clusterIP.includes(":") ? "IPv6" : "IPv4"];
}
