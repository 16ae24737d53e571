/** Services, pods, nodes and slices in the form in which a server stores them. */
import type { StoredMeta } from "../../../src/api/object.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { Endpoint, EndpointSlice, Node, Pod, Service } from "../../../src/api/types.ts";
import { managedByLabel, serviceNameLabel } from "../../../src/controller/workload/service/slice-content.ts";
import { managedBy } from "../../../src/controllers/endpointslice/slice.ts";
import { sceneStart } from "../../support/sync-context.ts";

type Meta = Partial<StoredMeta>;

export const created: string = formatTime(sceneStart - 3_600_000);

function metaOf(name: string, more: Meta): StoredMeta {
  return { name, namespace: "shop", uid: `uid-${name}`, resourceVersion: "1", creationTimestamp: created, ...more };
}

export interface ServiceParts {
  readonly name?: string;
  readonly meta?: Meta;
  readonly spec?: Partial<NonNullable<Service["spec"]>>;
}

/** The Service `web` for pods with `app: web`, with port 8080. */
export function serviceOf({ name = "web", meta = {}, spec = {} }: ServiceParts = {}): Service {
  return {
    metadata: metaOf(name, meta),
    spec: {
      type: "ClusterIP",
      clusterIP: "10.96.0.1",
      ipFamilies: ["IPv4"],
      selector: { app: "web" },
      ports: [{ name: "http", port: 80, targetPort: 8080, protocol: "TCP" }],
      ...spec,
    },
  };
}

export interface PodParts {
  readonly meta?: Meta;
  readonly spec?: Partial<NonNullable<Pod["spec"]>>;
  /** One IPv4 address by default. */
  readonly ips?: readonly string[];
  readonly phase?: string;
  /** True by default. */
  readonly ready?: boolean;
  /** When the pod became ready or unready, in seconds after the start of the scene; -60 by default. */
  readonly since?: number;
}

let addresses = 0;

/** A ready pod with `app: web` on node-1. */
export function podOf(name: string, parts: PodParts = {}): Pod {
  const {
    meta = {},
    spec = {},
    ips = [`10.1.0.${(addresses = (addresses % 250) + 1)}`],
    phase = "Running",
    ready = true,
    since = -60,
  } = parts;
  const condition = {
    type: "Ready",
    status: ready ? "True" : "False",
    lastTransitionTime: formatTime(sceneStart + since * 1000),
  };
  return {
    metadata: metaOf(name, { labels: { app: "web" }, ...meta }),
    spec: { nodeName: "node-1", containers: [{ name: "c" }], ...spec },
    status: {
      phase,
      conditions: [condition],
      ...(ips[0] !== undefined && { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) }),
    },
  };
}

export interface NodeParts {
  readonly zone?: string;
  readonly cpu?: string;
  readonly ready?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A node that is ready by default. */
export function nodeOf(name: string, { zone, cpu = "4", ready = true, labels = {} }: NodeParts = {}): Node {
  return {
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion: "1",
      creationTimestamp: created,
      labels: { ...labels, ...(zone !== undefined && { "topology.kubernetes.io/zone": zone }) },
    },
    status: { allocatable: { cpu }, conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
  };
}

export interface SliceParts {
  readonly meta?: Meta;
  readonly addressType?: string;
  readonly ports?: EndpointSlice["ports"];
  /** The name of the Service; `web` by default. */
  readonly of?: string;
  readonly ownerUid?: string;
}

/** A slice of a Service, by default `web`, that is managed by this controller. */
export function sliceOf(name: string, endpoints: readonly Endpoint[], parts: SliceParts = {}): EndpointSlice {
  const { meta = {}, addressType = "IPv4", of = "web", ownerUid = `uid-${of}` } = parts;
  const owner = { apiVersion: "v1", kind: "Service", name: of, uid: ownerUid, controller: true };
  return {
    metadata: metaOf(name, {
      generation: 1,
      labels: { [serviceNameLabel]: of, [managedByLabel]: managedBy },
      ownerReferences: [owner],
      ...meta,
    }),
    addressType,
    ports: parts.ports ?? [{ name: "http", port: 8080, protocol: "TCP" }],
    endpoints,
  };
}

/** The endpoint of a pod as the controller writes it. */
export function endpointOf(pod: Pod, more: Partial<Endpoint> = {}): Endpoint {
  const serving = pod.status?.conditions?.[0]?.status === "True";
  return {
    addresses: [pod.status?.podIP ?? ""],
    conditions: { ready: serving, serving, terminating: false },
    targetRef: { kind: "Pod", namespace: "shop", name: pod.metadata.name, uid: pod.metadata.uid },
    nodeName: "node-1",
    ...more,
  };
}
