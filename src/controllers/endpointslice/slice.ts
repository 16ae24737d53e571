/** How this controller builds, identifies and compares EndpointSlices. Source: endpointslice v0.36 utils.go, util/. */
import { deepEqual } from "../../api/field-changes.ts";
import type { IpFamily } from "../../api/ip-address.ts";
import type { Labels } from "../../api/labels.ts";
import type { Endpoint, EndpointPort, EndpointSlice, Service } from "../../api/types.ts";
import { isHeadless } from "../../api/endpoints/pod-endpoint.ts";
import {
  endpointsOf,
  managedByLabel,
  portsOf,
  serviceNameLabel,
} from "../../controller/workload/service/slice-content.ts";

/** The value of the managed-by label on this controller's slices. */
export const managedBy = "endpointslice-controller.k8s.io";
const headlessLabel = "service.kubernetes.io/headless";

const reservedLabels: ReadonlySet<string> = new Set([serviceNameLabel, managedByLabel, headlessLabel]);

/** A slice to be written. */
export interface SliceDraft {
  /** As cached; undefined for a new slice. */
  readonly existing?: EndpointSlice;
  /** A slice whose name a new one takes over, discarding anything written to it since. */
  readonly replaces?: EndpointSlice;
  readonly addressType: IpFamily;
  readonly ports: readonly EndpointPort[];
  readonly labels: Labels;
  /** The array is the draft's own; its endpoints are shared. */
  endpoints: Endpoint[];
}

/** A cached slice as it is, to be rewritten. */
export function draftOf(slice: EndpointSlice): SliceDraft {
  // Only slices of the Service's own families are rewritten.
  const addressType = slice.addressType as IpFamily;
  const labels = slice.metadata.labels ?? {};
  return { existing: slice, addressType, ports: portsOf(slice), labels, endpoints: [...endpointsOf(slice)] };
}

/** Whether the slice is owned by this Service, not by an earlier one of the same name. */
export function isOwnedBy({ metadata: { ownerReferences } }: EndpointSlice, { metadata: { uid } }: Service): boolean {
  return (
    ownerReferences?.some((each) => each.uid === uid && each.kind === "Service" && each.apiVersion === "v1") === true
  );
}

/** The labels of a Service's slices: those of the Service, and the controller's own. */
export function labelsFor(service: Service): Labels {
  return {
    ...foreignLabels(service.metadata.labels),
    ...(isHeadless(service) && { [headlessLabel]: "" }),
    [serviceNameLabel]: service.metadata.name,
    [managedByLabel]: managedBy,
  };
}

/** Whether the slice lacks a change of the Service's labels; the controller's own labels do not count. */
export function lacksLabels({ metadata }: EndpointSlice, service: Service): boolean {
  return !deepEqual(foreignLabels(metadata.labels), foreignLabels(service.metadata.labels));
}

function foreignLabels(labels: Labels | undefined): Labels {
  return Object.fromEntries(Object.entries(labels ?? {}).filter(([key]) => !reservedLabels.has(key)));
}

/** Whether a slice is the placeholder of a Service without endpoints. Source: reconciler.go placeholderSliceCompare. */
export function isPlaceholder(slice: EndpointSlice, service: Service): boolean {
  const [has, wanted] = [slice.metadata.labels ?? {}, labelsFor(service)];
  const keys = [...Object.keys(has), ...Object.keys(wanted)];
  return (
    endpointsOf(slice).length === 0 &&
    portsOf(slice).length === 0 &&
    keys.every((key) => (has[key] ?? "") === (wanted[key] ?? ""))
  );
}
