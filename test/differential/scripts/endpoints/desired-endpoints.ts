/** Whether Endpoints match their Services and pods, computed independently of the controller. */
import { deepEqual } from "../../../../src/api/deep-equal.ts";
import type { PodObject } from "../../objects.ts";
import type { Stage } from "../../stage.ts";
import { type ServiceObject, usual } from "./desired.ts";

interface EndpointsObject {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly subsets?: readonly {
    readonly addresses?: readonly { readonly ip: string }[];
    readonly notReadyAddresses?: readonly { readonly ip: string }[];
  }[];
}

interface AddressedPod extends PodObject {
  readonly status?: NonNullable<PodObject["status"]> & { readonly podIPs?: readonly { readonly ip: string }[] };
}

/** Whether each Service has the expected addresses and labels, and no managed Endpoints of a deleted Service are left. */
export async function haveSettled(stage: Stage): Promise<boolean> {
  const [services, pods, endpoints] = (await Promise.all([
    stage.list("services"),
    stage.pods(),
    stage.list("endpoints"),
  ])) as unknown as [readonly ServiceObject[], readonly AddressedPod[], readonly EndpointsObject[]];
  const areGone = endpoints.every(
    ({ metadata: { name, labels } }) =>
      services.some(({ metadata }) => metadata.name === name) ||
      labels?.["endpoints.kubernetes.io/managed-by"] === undefined,
  );
  return (
    areGone &&
    services
      .filter(({ spec }) => spec.type !== "ExternalName" && spec.selector !== undefined)
      .every((service) => {
        const own = endpoints.find(({ metadata }) => metadata.name === service.metadata.name);
        if (own === undefined) return false;
        const {
          "endpoints.kubernetes.io/managed-by": _by,
          "service.kubernetes.io/headless": _is,
          ...labels
        } = own.metadata.labels ?? {};
        const {
          "service.kubernetes.io/headless": _own,
          "endpoints.kubernetes.io/managed-by": _too,
          ...wanted
        } = service.metadata.labels ?? {};
        return deepEqual(labels, wanted) && addressesIn(own).join() === addressesOf(service, pods).join();
      })
  );
}

function addressesIn({ subsets = [] }: EndpointsObject): readonly string[] {
  const all = subsets.flatMap(({ addresses = [], notReadyAddresses = [] }) => [
    ...addresses.map(({ ip }) => `${ip} ready`),
    ...notReadyAddresses.map(({ ip }) => ip),
  ]);
  return [...new Set(all)].sort();
}

/** Pods that have none of the Service's ports are left out. All named ports in scripts are called `web` or `absent`. */
function addressesOf({ spec }: ServiceObject, pods: readonly AddressedPod[]): readonly string[] {
  const isHeadless = (spec.ports ?? []).length === 0 && spec.clusterIP === "None";
  const all = pods.flatMap(({ metadata, spec: podSpec, status }) => {
    const isSelected = Object.entries(spec.selector ?? {}).every(([key, value]) => metadata.labels?.[key] === value);
    const hasEnded = status?.phase === "Succeeded" || status?.phase === "Failed";
    const isLeaving = metadata.deletionTimestamp !== undefined && spec.publishNotReadyAddresses !== true;
    const ip = status?.podIPs?.find((each) => each.ip.includes(":") === (spec.ipFamilies?.[0] === "IPv6"))?.ip;
    const named = JSON.stringify(podSpec);
    const hasPort = (spec.ports ?? []).some(
      ({ targetPort }) => typeof targetPort === "number" || named.includes(`"name":"${targetPort}"`),
    );
    if (!isSelected || hasEnded || isLeaving || ip === undefined || !(hasPort || isHeadless)) return [];
    const ready = status?.conditions?.some((each) => each.type === "Ready" && each.status === "True") === true;
    return [ready || spec.publishNotReadyAddresses === true ? `${usual(ip)} ready` : usual(ip)];
  });
  return [...new Set(all)].sort();
}
