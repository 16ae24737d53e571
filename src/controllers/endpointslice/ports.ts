/** The ports of a pod's endpoints. Source: endpointslice v0.36 utils.go getEndpointPorts. */
import { targetPortOf } from "../../api/endpoints/pod-endpoint.ts";
import { inOrder } from "../../controller/workload/service/slice-ports.ts";
import type { EndpointPort, Pod, Service } from "../../api/types.ts";

/** The Service's ports resolved for a pod, in the order used in slices; those that the pod lacks are left out. */
export function portsAt(pod: Pod, { spec }: Service): readonly EndpointPort[] {
  const ports: EndpointPort[] = [];
  for (const servicePort of spec?.ports ?? []) {
    const port = targetPortOf(pod, servicePort);
    if (port === undefined) continue;
    const { name = "", protocol = "TCP", appProtocol } = servicePort;
    ports.push({ name, port, protocol, ...(appProtocol !== undefined && { appProtocol }) });
  }
  return inOrder(ports);
}
