/** The subsets that a Service should have. Source: kubernetes v1.36 pkg/controller/endpoint/endpoints_controller.go syncService. */
import { addressesOf, hasEndpoints, hostnameOf, targetPortOf } from "../../api/endpoints/pod-endpoint.ts";
import type { IpFamily } from "../../api/ip-address.ts";
import type { Pod, Service } from "../../api/types.ts";
import { isPodReady } from "../../controller/workload/pod-status.ts";
import { type Address, type Port, repack, type Subset } from "../../controller/workload/service/subsets.ts";

/** Returns them in canonical form. */
export function desiredSubsets(service: Service, pods: readonly Pod[]): readonly Subset[] {
  const { publishNotReadyAddresses: publishesAll = false, clusterIP } = service.spec ?? {};
  const subsets: Subset[] = [];
  for (const pod of pods) {
    if (!hasEndpoints(pod) || (pod.metadata.deletionTimestamp !== undefined && !publishesAll)) continue;
    const address = addressOf(pod, service);
    if (address === undefined) continue;
    const field = publishesAll || isPodReady(pod) ? "addresses" : "notReadyAddresses";
    const servicePorts = service.spec?.ports ?? [];
    // Only a headless Service may have no ports.
    if (servicePorts.length === 0 && clusterIP === "None") subsets.push({ [field]: [address] });
    for (const port of portsAt(pod, service)) subsets.push({ [field]: [address], ports: [port] });
  }
  return repack(subsets);
}

function portsAt(pod: Pod, { spec }: Service): readonly Port[] {
  return (spec?.ports ?? []).flatMap((servicePort) => {
    const port = targetPortOf(pod, servicePort);
    if (port === undefined) return [];
    const { name = "", protocol = "TCP", appProtocol } = servicePort;
    return [{ ...(name !== "" && { name }), port, protocol, ...(appProtocol !== undefined && { appProtocol }) }];
  });
}

/** The pod's first address of the Service's first family. */
function addressOf(pod: Pod, service: Service): Address | undefined {
  const [ip] = addressesOf(pod, familyOf(service, pod));
  if (ip === undefined) return undefined;
  const { namespace, name, uid } = pod.metadata;
  const hostname = hostnameOf(pod, service);
  return {
    ip,
    ...(hostname !== undefined && { hostname }),
    nodeName: pod.spec?.nodeName ?? "",
    targetRef: { kind: "Pod", ...(namespace !== undefined && { namespace }), name, uid },
  };
}

/** If the Service does not say, by its address, or else the pod's. */
function familyOf({ spec }: Service, { status }: Pod): IpFamily {
  const { ipFamilies = [], clusterIP = "" } = spec ?? {};
  const [first] = ipFamilies;
  if (first !== undefined) return first === "IPv6" ? "IPv6" : "IPv4";
  const address = clusterIP === "" || clusterIP === "None" ? (status?.podIP ?? "") : clusterIP;
  return address.includes(":") ? "IPv6" : "IPv4";
}
