/** Which endpoints are expected for Services and pods, computed independently of the controller. */
import { EndpointSlices } from "../../../../src/api/kinds.ts";
import type { PodObject } from "../../objects.ts";
import type { Stage } from "../../stage.ts";
import type { SliceObject } from "./acts.ts";

export interface ServiceObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly type: string;
    readonly selector?: Readonly<Record<string, string>>;
    readonly ipFamilies?: readonly string[];
    readonly publishNotReadyAddresses?: boolean;
    readonly trafficDistribution?: string;
    readonly clusterIP?: string;
    readonly ports?: readonly { readonly targetPort: number | string }[];
  };
}

interface AddressedPod extends PodObject {
  readonly status?: NonNullable<PodObject["status"]> & { readonly podIPs?: readonly { readonly ip: string }[] };
}

const same = (one: readonly string[], other: readonly string[]): boolean =>
  JSON.stringify([...one].sort()) === JSON.stringify([...other].sort());

/** Whether each Service has the slices that its pods require. */
export async function isSettled(stage: Stage): Promise<boolean> {
  const [services, pods, slices, nodes] = await Promise.all([
    stage.list("services") as Promise<unknown>,
    stage.pods() as Promise<unknown>,
    stage.list(EndpointSlices) as Promise<unknown>,
    stage.list("nodes"),
  ]);
  const names = new Set(nodes.map(({ metadata }) => (metadata as { readonly name: string }).name));
  return (
    (services as readonly ServiceObject[])
      .filter(
        ({ metadata, spec }) =>
          spec.type !== "ExternalName" && spec.selector !== undefined && metadata.deletionTimestamp === undefined,
      )
      // A Service whose slice was relabeled waits until the cache shows what it wrote to that slice, upstream too.
      .filter(({ metadata: { uid, name } }) =>
        (slices as readonly SliceObject[]).every(
          (slice) => slice.metadata.ownerReferences?.[0]?.uid !== uid || isOf(slice, name),
        ),
      )
      .every((service) =>
        (service.spec.ipFamilies ?? []).every((family) =>
          isServed(service, {
            wanted: wantedOf(service, { pods: pods as readonly AddressedPod[], names, family }),
            slices: (slices as readonly SliceObject[]).filter(
              (slice) => isOf(slice, service.metadata.name) && slice.addressType === family,
            ),
          }),
        ),
      )
  );
}

function isOf({ metadata: { labels = {} } }: SliceObject, service: string): boolean {
  return (
    labels["kubernetes.io/service-name"] === service &&
    labels["endpointslice.kubernetes.io/managed-by"] === "endpointslice-controller.k8s.io"
  );
}

/** A slice without endpoints can belong to an earlier Service of that name: upstream uses it in place of a placeholder. */
function isServed(
  { metadata, spec }: ServiceObject,
  { wanted, slices }: { readonly wanted: readonly string[]; readonly slices: readonly SliceObject[] },
): boolean {
  const has = slices
    .flatMap(({ endpoints }) => endpoints ?? [])
    .map(
      ({ addresses, conditions: { ready, serving, terminating } }) =>
        `${addresses[0]} ${ready} ${serving} ${terminating}`,
    );
  const own = (labels: object = {}): readonly string[] =>
    Object.entries(labels).flatMap(([key, value]) =>
      /^(kubernetes.io.service-name|endpointslice|service.kubernetes.io)/.test(key) ? [] : [`${key}=${value}`],
    );
  const byZones = Object.keys(metadata.annotations ?? {}).some((key) =>
    key.startsWith("service.kubernetes.io/topology"),
  );
  const isHinted = slices
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter(({ conditions }) => conditions.ready)
    .every(({ zone, nodeName, hints }) => {
      const zones = hints?.forZones?.map(({ name }) => name) ?? [];
      const nodes = hints?.forNodes?.map(({ name }) => name) ?? [];
      const distribution = spec.trafficDistribution;
      return (
        same(zones, distribution === undefined || zone === undefined ? [] : [zone]) &&
        same(nodes, distribution === "PreferSameNode" && nodeName !== undefined ? [nodeName] : [])
      );
    });
  return (
    slices.length > 0 &&
    slices.every(
      ({ metadata: { labels, ownerReferences } }) =>
        same(own(labels), own(metadata.labels)) && (wanted.length === 0 || ownerReferences?.[0]?.uid === metadata.uid),
    ) &&
    same(has, wanted) &&
    (byZones || isHinted)
  );
}

function wantedOf(
  { spec }: ServiceObject,
  {
    pods,
    names,
    family,
  }: { readonly pods: readonly AddressedPod[]; readonly names: ReadonlySet<string>; readonly family: string },
): readonly string[] {
  return pods.flatMap(({ metadata, spec: { nodeName = "" }, status }) => {
    const isSelected = Object.entries(spec.selector ?? {}).every(([key, value]) => metadata.labels?.[key] === value);
    const hasEnded = status?.phase === "Succeeded" || status?.phase === "Failed";
    const isOnNode = names.has(nodeName) || spec.publishNotReadyAddresses === true;
    const ip = status?.podIPs?.find((each) => each.ip.includes(":") === (family === "IPv6"))?.ip;
    if (!isSelected || hasEnded || !isOnNode || ip === undefined) return [];
    const serving = status?.conditions?.some((each) => each.type === "Ready" && each.status === "True") === true;
    const terminating = metadata.deletionTimestamp !== undefined;
    const ready = spec.publishNotReadyAddresses === true || (serving && !terminating);
    return [`${usual(ip)} ${ready} ${serving} ${terminating}`];
  });
}

/** Returns the canonical form of the only unusual addresses in scripts. */
export function usual(ip: string): string {
  return ip.toLowerCase().replace("2001:db8:0:0::0:1", "2001:db8::1").replace("2001:db8::1:0:0:1", "2001:db8::1:0:0:1");
}
