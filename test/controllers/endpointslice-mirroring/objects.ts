/** Endpoints, Services and mirrored slices in the form in which a server stores them. */
import { objectKey } from "../../../src/api/key.ts";
import type { StoredMeta } from "../../../src/api/object.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { Endpoint, Endpoints, EndpointSlice, Service } from "../../../src/api/types.ts";
import { managedByLabel, serviceNameLabel } from "../../../src/controller/workload/service/slice-content.ts";
import type { Address, Subset } from "../../../src/controller/workload/service/subsets.ts";
import { managedBy } from "../../../src/controllers/endpointslice-mirroring/plan.ts";
import { sceneStart } from "../../support/sync-context.ts";

type Meta = Partial<StoredMeta>;

export const key: string = objectKey("shop", "web");
const creationTimestamp: string = formatTime(sceneStart - 3_600_000);

function metaOf(name: string, uid: string, more: Meta): StoredMeta {
  return { name, namespace: "shop", uid, resourceVersion: "1", creationTimestamp, ...more };
}

/** The Endpoints `web`. */
export function endpointsOf(subsets: readonly Subset[], meta: Meta = {}): Endpoints {
  return { metadata: metaOf("web", "uid-endpoints", meta), subsets };
}

/** The Service `web`, without a selector. */
export function serviceOf(spec: NonNullable<Service["spec"]> = {}, meta: Meta = {}): Service {
  return { metadata: metaOf("web", "uid-service", meta), spec: { type: "ClusterIP", ...spec } };
}

/** A subset with these addresses and the port http 80. */
export function subsetOf(ips: readonly string[], parts: Subset = {}): Subset {
  return { addresses: ips.map((ip) => ({ ip })), ports: [{ name: "http", port: 80, protocol: "TCP" }], ...parts };
}

export const addressOf = (ip: string, more: Partial<Address> = {}): Address => ({ ip, ...more });

export interface SliceParts {
  readonly meta?: Meta;
  readonly addressType?: string;
  readonly ports?: EndpointSlice["ports"];
  readonly ownerUid?: string;
}

/** A slice that mirrors the Endpoints `web`. */
export function sliceOf(name: string, endpoints: readonly Endpoint[], parts: SliceParts = {}): EndpointSlice {
  const { meta = {}, addressType = "IPv4", ownerUid = "uid-endpoints" } = parts;
  const owner = { apiVersion: "v1", kind: "Endpoints", name: "web", uid: ownerUid, controller: true };
  return {
    metadata: metaOf(name, `uid-${name}`, {
      generation: 1,
      labels: { [serviceNameLabel]: "web", [managedByLabel]: managedBy },
      ownerReferences: [owner],
      ...meta,
    }),
    addressType,
    ports: parts.ports ?? [{ name: "http", port: 80, protocol: "TCP" }],
    endpoints,
  };
}

/** The endpoint of an address. */
export function endpointAt(address: string, ready = true): Endpoint {
  return { addresses: [address], conditions: { ready } };
}
