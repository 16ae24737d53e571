/** What EndpointSlices say, and how their parts are told apart, for all controllers that keep some. Source: endpointslice v0.36 util/. */
import { deepEqual } from "../../../api/field-changes.ts";
import { objectKey, type ObjectKey } from "../../../api/key.ts";
import type { Endpoint, EndpointPort, EndpointSlice } from "../../../api/types.ts";

/** The label that names a slice's Service. */
export const serviceNameLabel = "kubernetes.io/service-name";
/** The label that names who keeps a slice. */
export const managedByLabel = "endpointslice.kubernetes.io/managed-by";

/** The key of the Service that the slice names; undefined if it names none. */
export function serviceKeyOf({ metadata: { namespace, labels } }: EndpointSlice): ObjectKey | undefined {
  const name = labels?.[serviceNameLabel] ?? "";
  return name === "" ? undefined : objectKey(namespace, name);
}

/** A slice's endpoints: the server has null for none. */
export function endpointsOf({ endpoints }: { readonly endpoints?: readonly Endpoint[] | null }): readonly Endpoint[] {
  return endpoints ?? [];
}

/** A slice's ports: the server has null for none. */
export function portsOf({ ports }: { readonly ports?: readonly EndpointPort[] | null }): readonly EndpointPort[] {
  return ports ?? [];
}

/** What tells an endpoint from others, whatever becomes of its readiness, node and zone. Source: util/endpointset.go hashEndpoint. */
export function endpointKey({ addresses, hostname = "", targetRef }: Endpoint): string {
  return JSON.stringify([[...addresses].sort(), hostname, targetRef?.namespace ?? "", targetRef?.name ?? ""]);
}

/** Whether two endpoints of one key say the same, but for their hints. Source: util/controller_utils.go EndpointsEqualBeyondHash. */
export function isSameEndpoint(one: Endpoint, other: Endpoint): boolean {
  return deepEqual(compared(one), compared(other));
}

function compared({ nodeName, zone, conditions, targetRef }: Endpoint): object {
  const { resourceVersion: _version, ...target } = targetRef ?? {};
  return {
    ...(nodeName !== undefined && { nodeName }),
    ...(zone !== undefined && { zone }),
    ...(targetRef !== undefined && { target }),
    conditions: conditions ?? {},
  };
}
