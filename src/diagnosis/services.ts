/** Whether a Service has endpoints. */
import { Pods } from "../api/kinds.ts";
import { selectorOfLabels } from "../api/labels.ts";
import type { EndpointSlice, Pod, Service } from "../api/types.ts";
import { type Examined, type Finding, inNamespace, type Item, kubectl, refOf } from "./diagnosis.ts";
import { EndpointSlices } from "../api/kinds.ts";
import { aside, type Look } from "./look.ts";
import { isReady, isServing, podFindings } from "./pods.ts";
import { pluralize } from "../api/pluralize.ts";
import { ofAll } from "./spans.ts";

/** By its EndpointSlices and the pods that it selects. */
export function examineService(look: Look, item: Item<Service>): Examined {
  const service = item.object;
  const { spec, metadata } = service;
  const { namespace = "", name } = metadata;
  if (spec?.type === "ExternalName") {
    const says = `it is an alias for ${spec.externalName ?? ""}, which is not checked`;
    return { says, reached: true, findings: [], seen: ["its spec"], unseen: [] };
  }
  if (name === "kubernetes" && namespace === "default") {
    const says = "it routes to the API server, which responds";
    return { says, reached: true, findings: [], seen: ["that the API server responds"], unseen: [] };
  }
  const slices = look.list(EndpointSlices, namespace, selectorOfLabels({ "kubernetes.io/service-name": name }));
  const endpoints = slices.objects.flatMap((slice) => slice.endpoints ?? []);
  const ready = new Set(
    endpoints.filter(({ conditions }) => conditions?.ready !== false).flatMap(({ addresses }) => addresses),
  ).size;
  const balancer = loadBalancerFindings(item);
  const seen = [pluralize(slices.objects.length, "EndpointSlice")];
  const selects = Object.keys(spec?.selector ?? {}).length > 0;
  const pods = selects ? look.list(Pods, namespace, selectorOfLabels(spec?.selector)) : { objects: [], unseen: [] };
  const staying = pods.objects.filter(isServing);
  const isKnown = slices.unseen.length === 0;
  const readyPods = staying.filter(isReady).length;
  // If endpoints cannot be read, the pods behind them may be.
  const leads = isKnown ? ready > 0 : readyPods > 0;
  const causes =
    leads || (!isKnown && staying.length === 0 && pods.unseen.length > 0)
      ? []
      : noEndpoints(look, item, { selects, staying, isSeen: pods.unseen.length === 0, isKnown });
  const ports = ready > 0 ? portFindings(item, slices.objects) : [];
  const isStale = isKnown && ready > 0 && selects && pods.unseen.length === 0 && staying.length === 0;
  const left: readonly Finding[] = isStale
    ? [{ at: refOf(item), why: "no pod matches its selector any more: is the EndpointSlice controller running?" }]
    : [];
  const troubles = [
    ...(ports.length > 0
      ? [
          `${ports.length} of ${pluralize(spec?.ports?.length ?? 0, "port")} lead${ports.length === 1 ? "s" : ""} nowhere`,
        ]
      : []),
    ...(balancer.length > 0 ? ["it has no load balancer yet"] : []),
  ];
  const isEarly = spec?.publishNotReadyAddresses === true;
  return {
    says: [
      ...troubles,
      summaryOf({ ready: isKnown ? ready : readyPods, readyPods, staying: staying.length, selects, isKnown, isEarly }),
    ].join("; "),
    reached: !isKnown && !leads ? undefined : leads && !isStale && balancer.length === 0 && ports.length === 0,
    findings: [...causes, ...left, ...ports, ...balancer],
    seen: [
      ...(isKnown ? seen : []),
      ...(selects && pods.unseen.length === 0 ? [pluralize(staying.length, "Pod")] : []),
    ],
    unseen: [...(leads ? aside(slices.unseen) : slices.unseen), ...aside(pods.unseen)],
    notes: partialPorts(service, slices.objects),
  };
}

const readyIn = ({ endpoints }: EndpointSlice): number =>
  (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false).length;

/** Named target ports that some of its pods declare and others do not: those get no traffic on them. */
function partialPorts({ spec }: Service, slices: readonly EndpointSlice[]): readonly string[] {
  const all = slices.reduce((sum, slice) => sum + readyIn(slice), 0);
  return (spec?.ports ?? []).flatMap(({ name = "", port, targetPort }): readonly string[] => {
    if (!isNamedPort(targetPort)) return [];
    const those = slices.filter((slice) => hasPort(slice, name)).reduce((sum, slice) => sum + readyIn(slice), 0);
    const others = pluralize(all - those, "pod has", "pods have");
    return those === 0 || those === all
      ? []
      : [`port ${port} leads to ${those} of ${pluralize(all, "ready pod")}: ${others} no port named ${targetPort}`];
  });
}

function isNamedPort(targetPort: string | number | undefined): targetPort is string {
  return typeof targetPort === "string" && !/^\d+$/.test(targetPort);
}

/** Whether the slice has a number for the port. Go serializes an empty list as null. */
function hasPort({ ports }: EndpointSlice, name: string): boolean {
  return (ports ?? []).some((each) => (each.name ?? "") === name && each.port !== undefined);
}

interface Counts {
  /** Endpoints that get traffic. */
  readonly ready: number;
  readonly readyPods: number;
  readonly staying: number;
  readonly selects: boolean;
  readonly isKnown: boolean;
  /** Whether pods that are not ready get traffic as well. */
  readonly isEarly: boolean;
}

function summaryOf({ ready, readyPods, staying, selects, isKnown, isEarly }: Counts): string {
  if (!isKnown && !selects) return "its endpoints cannot be read, and it selects no pods";
  if (!selects && ready === 0) return "it has no endpoints, and selects no pods";
  if (!selects) return `${pluralize(ready, "ready endpoint")}, written by others: it selects no pods`;
  if (ready === 0) return staying === 0 ? "it has no endpoints" : ofAll(0, staying, "selected pod", "ready");
  if (isEarly && isKnown)
    return `${pluralize(ready, "endpoint")}, and ${ofAll(readyPods, staying, "pod", "ready")} (publishNotReadyAddresses)`;
  return staying >= ready ? ofAll(ready, staying, "pod", "ready") : pluralize(ready, "ready endpoint");
}

interface Selected {
  readonly selects: boolean;
  readonly staying: readonly Pod[];
  /** Whether the pods could be read. */
  readonly isSeen: boolean;
  /** Whether its endpoints could be read. */
  readonly isKnown: boolean;
}

function noEndpoints(
  look: Look,
  item: Item<Service>,
  { selects, staying, isSeen, isKnown }: Selected,
): readonly Finding[] {
  const { namespace } = item.object.metadata;
  const at = refOf(item);
  if (!selects && !isKnown) return [];
  if (!selects) return [{ at, why: "it has no selector, and its endpoints have not been written" }];
  if (!isSeen) return [];
  if (staying.length === 0) {
    const { spec } = item.object;
    const labels = Object.entries(spec?.selector ?? {}).map(([key, value]) => `${key}=${value}`);
    const advice = [kubectl(`get pods --show-labels${inNamespace(namespace)}`)];
    return [{ at, why: `no pod matches its selector: ${labels.join(",")}`, advice }];
  }
  const unready = podFindings(look, staying);
  const why = `${pluralize(staying.length, "pod")} match${staying.length === 1 ? "es" : ""}, but no endpoints have been written: is the EndpointSlice controller running?`;
  return unready.length > 0 ? unready : [{ at, why }];
}

/** A named target port that no container declares. */
function portFindings(item: Item<Service>, slices: readonly EndpointSlice[]): readonly Finding[] {
  const { spec } = item.object;
  return (spec?.ports ?? []).flatMap(({ name = "", port, targetPort }): readonly Finding[] => {
    if (!isNamedPort(targetPort) || slices.some((slice) => hasPort(slice, name))) return [];
    return [
      { at: refOf(item), why: `port ${port} has no target: no container of its pods has a port named ${targetPort}` },
    ];
  });
}

function loadBalancerFindings(item: Item<Service>): readonly Finding[] {
  const { spec, status } = item.object;
  if (spec?.type !== "LoadBalancer" || (status?.loadBalancer?.ingress ?? []).length > 0) return [];
  const who =
    spec.loadBalancerClass === undefined ? "a cloud controller" : `the controller of class ${spec.loadBalancerClass}`;
  return [{ at: refOf(item), why: `it has no load balancer yet: ${who} has to provide one` }];
}
