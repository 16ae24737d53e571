/** Reads and compares EndpointSlices, for all controllers that manage them. Source: endpointslice v0.36 util/. */
import { deepEqual } from "../../../api/field-changes.ts";
import { objectKey, type ObjectKey } from "../../../api/key.ts";
import type { Endpoint, EndpointPort, EndpointSlice } from "../../../api/types.ts";

/** The label that names a slice's Service. */
export const serviceNameLabel = "kubernetes.io/service-name";
/** The label with the manager of a slice. */
export const managedByLabel = "endpointslice.kubernetes.io/managed-by";

/** The key of the Service that the slice names; undefined if it names none. */
export function serviceKeyOf({ metadata: { namespace, labels } }: EndpointSlice): ObjectKey | undefined {
  const name = labels?.[serviceNameLabel] ?? "";
  return name === "" ? undefined : objectKey(namespace, name);
}

/** A slice's endpoints; the server may return null for none. */
export function endpointsOf({ endpoints }: { readonly endpoints?: readonly Endpoint[] | null }): readonly Endpoint[] {
  return endpoints ?? [];
}

/** A slice's ports; the server may return null for none. */
export function portsOf({ ports }: { readonly ports?: readonly EndpointPort[] | null }): readonly EndpointPort[] {
  return ports ?? [];
}

/** The identity of an endpoint, which does not include readiness, node and zone. Source: util/endpointset.go hashEndpoint. */
export function endpointKey({ addresses, hostname = "", targetRef }: Endpoint): string {
  return JSON.stringify([[...addresses].sort(), hostname, targetRef?.namespace ?? "", targetRef?.name ?? ""]);
}

/** Whether two endpoints with the same identity are equal apart from hints. Source: util/controller_utils.go EndpointsEqualBeyondHash. */
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
